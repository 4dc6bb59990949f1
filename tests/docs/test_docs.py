"""The documentation's examples run, and its reference is that of the code."""

import json
import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p.relative_to(ROOT).as_posix() for p in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^```(console|python|sql|r)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ATTACKS = ("linkage", "pivot", "longest", "hub", "learned", "strong", "grey", "volume")
#: Terms of the trade by their place in the glossary: how they are written, and the page that explains them itself.
TERMS = {
    "band-order": (r"[Bb]and order(?:ing)?", "docs/methods.md"),
    "gcp": (r"GCP", ""),
    "kl-in-nats": (r"KL", ""),
    "mole": (r"moles?", "docs/methods.md"),
    "ncp": (r"NCP", ""),
    "proximate": (r"proximate", ""),
}


def blocks(page):
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def shop_data(tmp_path_factory):
    from covey import io
    from covey.synth import shop

    folder = tmp_path_factory.mktemp("docs")
    made = shop(transactions=1_500, seed=1)
    io.write(made.baskets, folder / "sales.csv")
    (folder / "sales.sensitive.txt").write_text("\n".join(made.sensitive) + "\n")
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_the_examples_of_a_page_run(page, shop_data, tmp_path, monkeypatch, covey_cli):
    import covey

    monkeypatch.chdir(tmp_path)
    if page not in ("README.md", "docs/guide.md"):  # these make their own
        for path in shop_data.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        covey.publish("sales.csv", "release", "degree(p=10)", sensitive="sales.sensitive.txt")
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, page, "exec"), {"__name__": "__docs__"})
        elif language == "r":
            check_r(text)
        elif language == "console":
            for line in text.splitlines():
                assert line.startswith("$ covey "), line
                code, _, errors = covey_cli(*shlex.split(line)[2:])
                assert code == 0, f"{line}\n{errors}"
        else:
            check_sql(text)


def test_the_readme_shows_what_its_commands_print(tmp_path, monkeypatch, covey_cli):
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## From a file")[2].partition("## ")[0]
    lines = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    printed = set()
    for line in lines:
        if line.startswith("covey "):
            code, out, errors = covey_cli(*shlex.split(line, comments=True)[1:])
            assert code == 0, errors
            printed |= {tuple(row.split()) for row in out.splitlines()}
    for line in lines:
        if line.split()[0] in ("attack", *ATTACKS):  # the columns of intervals, chance and guesses are left out
            assert any(row[0] == line.split()[0] and set(line.split()) <= set(row) for row in printed if row), line
        elif not line.startswith("covey "):
            assert tuple(line.split()) in printed, line


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")))
def test_the_notebooks_run(name, shop_data, tmp_path, monkeypatch):
    import covey

    monkeypatch.chdir(tmp_path)
    if name == "recipient":
        covey.publish(
            shop_data / "sales.csv", "release", "degree(p=10)", sensitive=str(shop_data / "sales.sensitive.txt"), seed=4
        )
    body = json.loads((ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in body["cells"] if cell["cell_type"] == "code"]
    scope = {"__name__": "__notebook__"}
    for number, cell in enumerate(cells):
        exec(compile(cell, f"{name}.ipynb cell {number}", "exec"), scope)
    if name == "recipient":
        assert not re.search(r"^(import|from) covey", "\n".join(cells), re.MULTILINE)
        expected = covey.read_release("release").estimate("pregnancy test", present=["folic acid"])
        assert scope["estimate"] == pytest.approx(expected.estimate, rel=1e-12)


def check_sql(text):
    import duckdb

    import covey

    expected = covey.read_release("release").estimate("pregnancy test", present=["folic acid"], absent=["red wine"])
    [(estimate, error, lower, upper)] = duckdb.sql(text).fetchall()
    assert estimate == pytest.approx(expected.estimate)
    assert error == pytest.approx(expected.standard_error)
    assert (lower, upper) == (expected.lower, expected.upper)


def check_r(text):
    """Base R reads the release by what its README says, and gives the figures of `covey query`."""
    import covey

    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed, so its example was not run (apt-get install r-base-core)")
    done = subprocess.run([program, "--vanilla", "-e", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = covey.read_release("release-csv").estimate("pregnancy test", present=["folic acid"], absent=["red wine"])
    estimate, error, *bounds = map(float, done.stdout.split())
    assert estimate == pytest.approx(expected.estimate, rel=1e-14)
    assert error == pytest.approx(expected.standard_error, rel=1e-14)
    assert bounds == [expected.lower, expected.upper]


def prose(page):
    """Return a page without code, headings and generated tables."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"<!-- generated: .*?<!-- end -->", "", text, flags=re.DOTALL)
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith(("#", "    ")))


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_terms_are_linked_where_a_page_first_uses_them(page):
    if page in ("docs/glossary.md", "docs/cli.md", "docs/papers.md"):
        return
    text = prose(page)
    for anchor, (written, home) in TERMS.items():
        first = re.search(rf"\b{written}\b", text)
        if first is None or page == home:
            continue
        link = rf"\b{written}\b[^]\n]*\]\((?:\.\./)?glossary\.md#{anchor}\)"
        assert re.match(link, text[first.start() :]), f"{page}: {first[0]!r} is not linked to glossary.md#{anchor}"


def test_every_paper_that_the_code_cites_is_listed():
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"^\| ([^|]+ \d{4}) \|", page, re.MULTILINE))
    several, alone = r"[A-Z]\w+(?: et al\.| (?:and|&) [A-Z]\w+)", r"(?<=\()[A-Z]\w*[a-z]\w*"
    cited = {}
    for file in (ROOT / "src").rglob("*.py"):
        text = " ".join(file.read_text(encoding="utf-8").split())
        for found in re.findall(rf"({several}|{alone}) ((?:19|20)\d\d)\b", text):
            cited[" ".join(found)] = file
    assert len(cited) > 15
    assert {key: file for key, file in cited.items() if key not in keys} == {}


def test_generated_parts_of_pages_are_up_to_date():
    tool = runpy.run_path(str(ROOT / "tools" / "pages.py"))
    outdated = [page for page in PAGES if tool["written"](text := (ROOT / page).read_text(encoding="utf-8")) != text]
    assert not outdated, "run: .venv/bin/python tools/pages.py"


def test_figures_that_miss_their_bounds_are_bold(tmp_path, monkeypatch):
    tool = runpy.run_path(str(ROOT / "tools" / "pages.py"))
    size = {"rows": 100_000, "wall": 1.0, "cpu": 2.0, "peak": 1 << 30, "arrays": 3.0}
    more = {**size, "rows": 1_000_000, "wall": 10.0, "arrays": 7.0}
    memory = {
        "name": "verify: peak memory above its base / arrays",
        "value": 7.0,
        "unit": "x",
        "least": None,
        "most": 6,
    }
    part = {"figures": [memory], "tasks": [], "steps": [{"name": "verify", "sizes": [size, more]}]}
    (tmp_path / "commands.json").write_text(json.dumps({**part, "missed": [memory["name"]]}))
    monkeypatch.setitem(tool["kept"].__globals__, "FIGURES", tmp_path)
    assert tool["waits"]("").splitlines()[2] == "| verify | 1 s (2 s) | 10 s (2 s) | 1.00 | **7** (at most 6) |"
    assert "**7** (at most 6)" in tool["bounds"]("")


def test_every_method_and_guarantee_is_documented():
    from covey.guarantees import GUARANTEES
    from covey.registry import METHODS

    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    for method in METHODS:
        assert f"\n### {method.name}\n" in page
    for guarantee in GUARANTEES:
        assert (ROOT / "docs" / "guarantees" / f"{guarantee}.md").is_file()
        assert f"guarantees/{guarantee}.md" in navigation


def test_a_ratio_that_fell_by_more_than_a_third_is_named():
    run = runpy.run_path(str(ROOT / "benchmarks" / "run.py"))
    faster = {"name": "a", "value": 30.0, "unit": "x", "least": 20, "most": None}
    smaller = {"name": "b", "value": 0.5, "unit": "x", "least": None, "most": 1}
    seconds = {"name": "c", "value": 1.0, "unit": " s", "least": None, "most": 9}
    task = {"name": "read", "sizes": [[10, 1.0], [100, 9.0]], "rivals": {"it": [10, 3.0]}, "limit": ["", 1.0]}
    kept = {"p": {"figures": [faster, smaller, seconds], "tasks": [task]}}

    def measured(least=30.0, most=0.5, took=1.0):
        figures = [{**faster, "value": least}, {**smaller, "value": most}, {**seconds, "value": 8.0}]
        return {"p": {"figures": figures, "tasks": [{**task, "sizes": [[10, took], [100, 90.0]]}]}, "new": kept["p"]}

    assert not run["fallen"](kept, measured(21, 0.7, 1.4))
    assert [line.split(":")[1] for line in run["fallen"](kept, measured(19, 0.8, 1.6))] == [" a", " b", " read"]


def test_a_stopped_benchmark_continues_where_it_was(tmp_path, monkeypatch):
    run = runpy.run_path(str(ROOT / "benchmarks" / "run.py"))
    figures = {"commit": "abc", "figures": [], "tasks": [], "missed": []}
    (tmp_path / "cahd.json").write_text(json.dumps(figures))
    (tmp_path / "web.json").write_text(json.dumps({**figures, "missed": ["a"]}))
    assert {part for part in ("cahd", "web", "growth") if run["is_measured"](tmp_path / f"{part}.json", "abc")} == {
        "cahd"
    }
    assert not run["is_measured"](tmp_path / "cahd.json", "abd")
    assert not run["is_measured"](tmp_path / "cahd.json", "abc-dirty")
