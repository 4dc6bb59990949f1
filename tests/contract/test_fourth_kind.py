"""A fourth kind of data and of release walks the whole path, though nothing but a few lines of registries knows it."""

import json
import sys

import pytest

import covey
import toy_guarantee
from covey.registry import METHODS
from toy_kind import COUNT, Answers, register


@pytest.fixture(autouse=True)
def fourth_kind(monkeypatch):
    # The options of the command line are made of the kinds there are when it is imported: so anew here, without traces.
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith("covey.cli")}
    register(monkeypatch)
    toy_guarantee.register(monkeypatch)
    yield
    METHODS.remove(COUNT)
    METHODS.remove(toy_guarantee.PAIRS)
    for name in [name for name in sys.modules if name.startswith("covey.cli")]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_text("red red blue blue blue green\n")
    return path


@pytest.mark.parametrize("csv", [False, True])
def test_python_walks_the_path(data, tmp_path, csv):
    published = covey.publish(data, tmp_path / "out", "k-anonymity(k=2)", kind="answers", csv=csv)
    assert published.manifest.kind == "tally"
    assert published.manifest.counts == {"answers": 5, "dropped": 1}
    assert covey.verify(tmp_path / "out", Answers(("red", "red", "blue", "blue", "blue", "green"))).holds
    assert not covey.verify(tmp_path / "out", Answers(("red",) * 6)).holds
    assert covey.read_release(tmp_path / "out").tally == {"blue": 3, "red": 2}


def test_the_command_line_walks_the_path(data, tmp_path, covey_cli):
    code, text, _ = covey_cli("inspect", data, "--kind", "answers")
    assert code == 0
    assert "6 answers, 3 different" in text
    code, text, err = covey_cli(
        "anonymize", data, "--kind", "answers", "-g", "k-anonymity(k=2)", "-o", tmp_path / "out"
    )
    assert code == 0, err
    assert "5 answers, 1 dropped, by count" in " ".join(text.split())
    code, text, err = covey_cli("verify", tmp_path / "out", "--original", data)
    assert code == 0, err
    code, text, _ = covey_cli("evaluate", tmp_path / "out", "--original", data)
    assert "Answers that are published" in text
    assert "83.3 %" in text
    code, text, err = covey_cli("report", tmp_path / "out", "--original", data, "-o", tmp_path / "r.html")
    assert code == 0, err
    assert "answers that are published" in (tmp_path / "r.html").read_text()
    code, text, _ = covey_cli("methods", "--json")
    assert "count" in [m["name"] for m in json.loads(text)["methods"]]


def test_what_it_did_not_declare_is_refused(data, tmp_path):
    covey.publish(data, tmp_path / "out", "k-anonymity(k=2)", kind="answers")
    (tmp_path / "out" / "notes.csv").write_text("ann\n")
    assert not covey.verify(tmp_path / "out").holds


def test_its_reading_options_are_its_own(data):
    with pytest.raises(covey.CoveyError, match="is for answers; this is to be read as baskets"):
        covey.anonymize(covey.Source.of(data, kind="baskets", upper="yes"), "k-anonymity(k=2)", "pattern-ka")
    release = covey.anonymize(covey.Source.of(data, kind="answers", upper="yes"), "k-anonymity(k=2)")
    assert release.tally == {"BLUE": 3, "RED": 2}


def test_its_answers_are_listed_and_its_kernels_left_alone(data, covey_cli):
    code, text, err = covey_cli("items", data, "--kind", "answers")
    assert code == 0, err
    assert text.splitlines()[1].split() == ["3", "blue"]
    from covey.cli.compile import series_of_methods

    assert not any("answers" in command for series in series_of_methods() for command in series)


def test_a_guarantee_of_its_own_walks_the_path(data, tmp_path, covey_cli):
    asked = ("--kind", "answers", "-g", "even(k=2)")
    code, text, err = covey_cli("check", data, *asked)
    assert code == 1, err
    assert "2 odd ones" in text
    code, text, err = covey_cli("anonymize", data, *asked, "-o", tmp_path / "out")
    assert code == 0, err
    assert "even(k=2) holds." in text
    assert covey_cli("verify", tmp_path / "out", "--original", data)[0] == 0
    assert covey_cli("report", tmp_path / "out", "--original", data, "-o", tmp_path / "r.html")[0] == 0
    assert "The release keeps even(k=2)." in (tmp_path / "out" / "README.md").read_text()
    release = covey.anonymize(data, toy_guarantee.Even(2), kind="answers")
    assert release.tally == {"red": 2}
    assert covey.check(release, "even(k=2)").holds
    assert not covey.check(release, "even(k=3)").holds
