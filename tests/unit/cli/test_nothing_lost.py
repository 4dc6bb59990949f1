"""No command replaces what it reads, part of a release, or a file that it did not write itself."""

import shutil

import pytest

import covey
from covey.errors import OutputError
from covey.io import write
from covey.io.writing import write_ratings, write_table
from covey.report.charts import save_plot
from covey.synth import people, shop, survey

SALES = "".join(f"a b {'s c' if i % 4 else 'c'}\n" for i in range(40))

#: Every command that writes a file, but for the name of that file. What it reads is in the folder `made` makes.
WRITERS = {
    "report": "report release -o",
    "internal report": "report release --original sales.dat -o",
    "inspect --html": "inspect sales.dat --samples 10 --html",
    "inspect --mark": "inspect sales.dat -s s --samples 10 --mark",
    "inspect --plot": "inspect sales.dat --samples 10 --plot",
    "check --violators": "check sales.dat -g k-anonymity(k=2) --violators",
    "check --violators of ratings": "check survey.csv -s i2 -g k-eps-l(k=2,epsilon=1) --violators",
    "check --plot": "check survey.csv -s i2 -g k-eps-l(k=2,epsilon=1) --plot",
    "taxonomy suggest": "taxonomy suggest sales.dat --no-cost -o",
    "hierarchy suggest": "hierarchy suggest people.csv --column age -o",
    "generate quest": "generate quest -n 20 -d 10 -o",
    "generate viewers": "generate viewers -n 20 -d 10 --longest 5 --mean-length 2 -o",
    "generate shop": "generate shop -n 20 -o",
    "generate people": "generate people -n 20 -o",
    "generate survey": "generate survey -n 20 -o",
}
#: How the file must be called, where that matters.
ENDINGS = {"plot": "svg", "people": "csv", "survey": "csv", "shop": "csv"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "sales.dat").write_text(SALES)
    (folder / "people.csv").write_text("age,town\n" + "".join(f"{20 + i % 30},x\n" for i in range(60)))
    ratings = "".join(f"u{i},i1,{1 + i % 3}\nu{i},i2,{1 + i % 5}\n" for i in range(20))
    (folder / "survey.csv").write_text(f"user,issue,rating\n{ratings}")
    covey.publish(covey.Source.of(folder / "sales.dat", row_is_person=True), folder / "release", "k-anonymity(k=2)")
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def words(writer):
    return WRITERS[writer].split()


def place_of(writer, stem="mine"):
    return f"{stem}.{next((ending for word, ending in ENDINGS.items() if word in writer), 'dat')}"


def content(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_of_someone_else_stays(here, covey_cli, writer):
    (here / place_of(writer)).write_text("mine")
    before = content(here)
    code, _, errors = covey_cli(*words(writer), place_of(writer))
    assert code == 2
    assert "exists already" in errors
    assert content(here) == before


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("writer", WRITERS)
def test_nothing_is_written_into_a_release(here, covey_cli, writer, force):
    before = content(here)
    for name in (place_of(writer, "release/new"), place_of(writer, "release/deeper/new"), "release/manifest.json"):
        if name.endswith(".json") and place_of(writer) != "mine.dat":
            continue
        code, _, errors = covey_cli(*words(writer), name, *force)
        assert code == 2
        assert "would be inside the release" in errors
    assert content(here) == before
    assert covey.verify(here / "release").holds


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("writer", [name for name in WRITERS if not name.startswith(("generate", "report"))])
def test_what_is_read_is_never_replaced(here, covey_cli, writer, force):
    command = words(writer)
    target = read = next(word for word in reversed(command) if (here / word).is_file())
    if writer.endswith("plot"):  # a plot must be called so
        target = "same.svg"
        (here / target).hardlink_to(here / read)
    before = content(here)
    code, _, errors = covey_cli(*command, target, *force)
    assert code == 2
    assert "is read here and would be lost" in errors
    assert content(here) == before


@pytest.mark.parametrize("writer", WRITERS)
def test_what_it_wrote_may_be_written_again(here, covey_cli, writer):
    """Pages and plots without a word; lists and data, which people edit, with --force."""
    name = place_of(writer, "again")
    code, _, errors = covey_cli(*words(writer), name)
    assert code in (0, 1), errors
    assert (here / name).stat().st_size
    told = any(word in writer for word in ("report", "html", "plot"))
    code, _, errors = covey_cli(*words(writer), name)
    assert code in ((0, 1) if told else (2,)), errors
    if not told:
        assert covey_cli(*words(writer), name, "--force")[0] in (0, 1)


def test_an_empty_file_is_lost_to_nobody(here, covey_cli):
    (here / "page.html").touch()
    assert covey_cli("report", "release", "-o", "page.html")[0] == 0


def test_two_outputs_need_two_names(here, covey_cli):
    code, _, errors = covey_cli("inspect", "sales.dat", "-s", "s", "--html", "one", "--mark", "./one")
    assert (code, "another file that will be written there" in errors) == (2, True)


def test_a_release_is_not_made_inside_another(here, covey_cli):
    code, _, errors = covey_cli("anonymize", "sales.dat", "-g", "k-anonymity(k=2)", "-o", "release/new")
    assert (code, "would be inside the release" in errors) == (2, True)


def test_an_exploration_replaces_only_its_own_results(here, covey_cli):
    (here / "results.csv").write_text("mine")
    asked = ("explore", "sales.dat", "-g", "k-anonymity(k=2)", "-m", "pattern-ka", "-j", "1", "-o")
    code, _, errors = covey_cli(*asked, ".")
    assert (code, "no exploration wrote it" in errors) == (2, True), errors
    assert (here / "results.csv").read_text() == "mine"
    code, _, errors = covey_cli(*asked, "release")
    assert (code, "inside the release" in errors) == (2, True), errors
    assert covey.verify("release").holds
    for _ in range(2):
        assert covey_cli(*asked, "results")[0] == 0


def test_the_same_in_python(here):
    baskets, made = covey.read("sales.dat"), shop(transactions=5, seed=1)
    found = covey.inspect(baskets, samples=10)
    (here / "mine.svg").write_text("mine")
    before = content(here)
    for act in (
        lambda: covey.report("release", output="sales.dat"),
        lambda: covey.report("release", "sales.dat", output="sales.dat", force=True),
        lambda: covey.report("release", covey.Source.of("sales.dat"), output="sales.dat", force=True),
        lambda: covey.report("release", output="release/manifest.json", force=True),
        lambda: write(baskets, "sales.dat"),
        lambda: covey.write_taxonomy(covey.Taxonomy.flat(["a", "b"]), "people.csv"),
        lambda: write(made.baskets, "people.csv"),
        lambda: write(baskets, "release/x.dat", force=True),
        lambda: write_table(people(rows=2), "survey.csv"),
        lambda: write_ratings(survey(respondents=2, seed=1), "people.csv"),
        lambda: save_plot(found.plot(), "mine.svg"),
    ):
        with pytest.raises(OutputError, match=r"exists already|is read here|inside the release"):
            act()
    assert content(here) == before
    write(baskets, "sales.dat", force=True)
    assert covey.read("sales.dat") == baskets
