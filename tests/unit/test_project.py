"""All choices about a file in one TOML: saved, read, overridden, and refused with reasons."""

import json

import pytest

import covey
from covey.cli.app import app
from covey.errors import InputError
from covey.project import FORMAT, Tree, parse_project

ROWS = [(n, "ab"[n % 2]) for n in range(24)] + [(n, 'c, "d"') for n in range(24)]


def month(path, *secrets):
    lines = [f'{n},"{item.replace(chr(34), chr(34) * 2)}"' for n, item in [*ROWS, *secrets]]
    path.write_text("receipt,product\n" + "\n".join(lines) + "\n")
    return path


def run(capsys, *words):
    app([str(word) for word in words], standalone_mode=False)
    return capsys.readouterr().out


def test_next_month_takes_one_command(tmp_path, capsys):
    first = month(tmp_path / "oct.csv", (3, "preg test"), (9, "preg test"), (5, "pill"))
    (tmp_path / "secret.txt").write_text("glob:*test\npill\n")
    saved = tmp_path / "sales.toml"
    reading = ["--item", "product", "--transaction", "receipt", "-s", tmp_path / "secret.txt", "-m", "cahd"]
    reading += ["--set", "alpha=4"]
    run(
        capsys, "anonymize", first, "-o", tmp_path / "oct", "-g", "degree(p=4)", *reading, "--seed", 5,
        "--title", "Sales", "--save-project", saved, "--json",
    )  # fmt: skip
    shown = run(capsys, "verify", tmp_path / "oct", "--original", first, "--project", saved)
    assert "the sensitive items are those named" in shown
    assert "degree(p=4) holds" in shown
    with pytest.raises(Exception, match="there is no --original"):
        run(capsys, "verify", tmp_path / "oct", "--project", saved)
    measured = [tmp_path / "oct", "--original", first, "--json"]
    for command in ("attack", "evaluate"):
        by_project = json.loads(run(capsys, command, *measured, "--project", saved))
        assert by_project == json.loads(run(capsys, command, *measured, *reading[:6]))
    for command in (["inspect", first], ["explore", first, "-g", "degree(p=4)", "--strengths", "4", "-m", "cahd"]):
        by_project = json.loads(run(capsys, *command, "--json", "--project", saved))
        assert by_project == json.loads(run(capsys, *command, "--json", *reading[:6]))
    page = tmp_path / "oct.html"
    run(capsys, "report", tmp_path / "oct", "--original", first, "--project", saved, "-o", page)
    assert "What an attacker achieves" in page.read_text()
    with pytest.raises(Exception, match="there is no --original"):
        run(capsys, "report", tmp_path / "oct", "--project", saved)
    text = saved.read_text()
    assert "glob:*test" in text
    assert "seed" not in text
    (tmp_path / "secret.txt").unlink()
    second = month(tmp_path / "nov.csv", (4, "hiv test"), (8, "hiv test"))  # nobody bought the pill
    with pytest.warns(covey.errors.AbsentSensitive):
        shown = run(capsys, "anonymize", second, "--project", saved, "-o", tmp_path / "nov", "--json")
    body = json.loads(shown)
    assert body["guarantee"] == "degree(p=4)"
    assert body["options"]["alpha"] == 4
    release = covey.read_release(tmp_path / "nov")
    assert release.sensitive_items == ("hiv test",)
    with pytest.warns(covey.errors.AbsentSensitive):
        shown = run(
            capsys, "anonymize", second, "--project", saved, "-o", tmp_path / "weaker", "-g", "degree(p=2)",
            "-m", "anatomy", "--json",
        )  # fmt: skip
    assert (json.loads(shown)["guarantee"], json.loads(shown)["method"]) == ("degree(p=2)", "anatomy")


def test_python_reads_it_too(tmp_path):
    data = month(tmp_path / "oct.csv", (3, "x test"), (9, "x test"))
    project = covey.Project(
        kind="baskets",
        guarantee="degree(p=4)",
        method="cahd",
        sensitive=("glob:* test",),
        reading={"item": "product", "transaction": "receipt"},
        options={"alpha": 2},
    )
    again = covey.read_project(project.save(tmp_path / "p.toml"))
    assert again == project
    assert again.anonymize(data, seed=1).sensitive_items == ("x test",)
    published = again.publish(data, tmp_path / "out", seed=1, csv=True)
    assert published.verdict.holds
    assert (tmp_path / "out" / "transactions.csv").exists()


def test_trees_travel_inside(tmp_path):
    tree = "child,parent\nale,drinks\nrum,drinks\nrice,food\nbread,food\ndrinks,all\nfood,all\n"
    project = covey.Project(
        kind="baskets", guarantee="km-anonymity(k=2, m=2)", method="mhghs", taxonomy=Tree(name="t.csv", text=tree)
    )
    again = covey.read_project(project.save(tmp_path / "p.toml"))
    release = again.anonymize([["ale", "rice"], ["rum", "rice"], ["bread"], ["bread", "ale"]] * 2)
    assert covey.check(release, "km-anonymity(k=2, m=2)").holds
    table = covey.Project(
        kind="table",
        guarantee="k-anonymity(k=2)",
        hierarchies={'the "job"': Tree(name="j.csv", text="baker;food;*\ncook;food;*\nnurse;care;*\ncarer;care;*\n")},
    )
    again = covey.read_project(table.save(tmp_path / "q.toml"))
    assert again == table
    (tmp_path / "people.csv").write_text('age,"the ""job"""\n30,baker\n31,cook\n50,nurse\n51,carer\n')
    published = again.plan(tmp_path / "people.csv")
    assert published.read().column('the "job"').hierarchy is not None


BAD = {
    "not a project": ("kind = 'baskets'", "is not a project"),
    "newer": ("format = 'covey-project/9'", "reads 'covey-project/1'"),
    "no promise": (f"format = '{FORMAT}'\nkind = 'baskets'", "'guarantee' is missing"),
    "unknown key": (f"format = '{FORMAT}'\nguarante = 'degree(p=2)'", "Did you mean"),
    "bad promise": (f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'degree(p=1)'", "p"),
    "bad kind": (f"format = '{FORMAT}'\nkind = 'basket'\nguarantee = 'degree(p=2)'", "kind of data 'basket'"),
    "gone method": (
        f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'degree(p=2)'\nmethod = 'cahdd'",
        "no method 'cahdd'",
    ),
    "gone option": (
        f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'degree(p=2)'\nmethod = 'cahd'\n[options]\nbeta = 3",
        "beta",
    ),
    "other kind's reading": (
        f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'degree(p=2)'\n[reading]\nquasi = ['age']",
        "reading option of this kind 'quasi'",
    ),
    "unfit": (f"format = '{FORMAT}'\nkind = 'table'\nguarantee = 'degree(p=2)'", "degree"),
    "a seed": (f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'degree(p=2)'\n[options]\nseed = 3", "secret"),
    "two trees": (
        f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'k-anonymity(k=2)'\n[taxonomy]\npath = 'a'\ntext = 'b'",
        "exactly one of path and text",
    ),
    "bad audit": (f"format = '{FORMAT}'\nkind = 'baskets'\nguarantee = 'degree(p=2)'\naudit = 0.5", "lift"),
    "not TOML": ("format = ", "not valid TOML"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_and_outdated_files_say_what_is_wrong(tmp_path, case):
    text, told = BAD[case]
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        covey.read_project(file)
    assert told in str(error.value)
    assert "bad.toml" in str(error.value)


def test_the_page_takes_no_paths(tmp_path):
    body = {"format": FORMAT, "kind": "baskets", "guarantee": "k-anonymity(k=2)", "taxonomy": {"path": "/etc/passwd"}}
    with pytest.raises(InputError, match="names another file"):
        parse_project(body, file=tmp_path / "p.toml", paths=False)


def test_without_a_promise_the_command_asks_for_one(tmp_path, capsys):
    data = month(tmp_path / "oct.csv")
    with pytest.raises(Exception, match="--project"):
        app(["anonymize", str(data), "-o", str(tmp_path / "out")], standalone_mode=False)


def test_what_is_sensitive_by_node_is_found_in_the_original_too(tmp_path, capsys):
    first = month(tmp_path / "oct.csv", (3, "preg test"), (9, "preg test"))
    items = sorted({item for _, item in ROWS})
    lines = [f'"{item.replace(chr(34), chr(34) * 2)}",*' for item in items]
    (tmp_path / "tree.csv").write_text("\n".join(["child,parent", *lines, "preg test,tests", "tests,*"]) + "\n")
    saved = tmp_path / "sales.toml"
    marked = ["-s", "under:tests", "-t", tmp_path / "tree.csv"]
    reading = ["--item", "product", "--transaction", "receipt"]
    run(
        capsys, "anonymize", first, "-o", tmp_path / "oct", "-g", "degree(p=2)", *reading, *marked,
        "--save-project", saved, "--json",
    )  # fmt: skip
    for command, more in (("attack", []), ("evaluate", marked)):
        told = [command, tmp_path / "oct", "--original", first, "--json"]
        by_project = json.loads(run(capsys, *told, "--project", saved))
        assert by_project == json.loads(run(capsys, *told, *reading, *more))
