"""Bad input gets one paragraph with file, line and remedy, the right exit code, and leaves nothing behind.

What can be wrong with a file is in `tests/unit/io`; here are some of each kind of error.
"""

import json
import os

import pytest

LONG = "transaction,item\n" + "".join(f"{i},bread\n{i},item {i % 5}\n" for i in range(40)) + "0,secret\n1,secret\n"

#: name of the case: (file name, content or None, arguments, exit code, what the message must contain)
CASES = {
    "missing file": ("sales.csv", LONG, ["DIR/sale.csv"], 2, ["sale.csv", "sales.csv"]),
    "ragged CSV": (
        "r.csv",
        "transaction,item\n1,bread\n2,milk,skimmed\n3,tea\n",
        ["FILE"],
        2,
        ["r.csv, line 3", "quot"],
    ),
    "missing column": ("c.csv", LONG, ["FILE", "--item", "itm"], 2, ["itm", "item"]),
    "unknown sensitive item": ("s.csv", LONG, ["FILE", "-s", "secrte"], 2, ["'secrte'", "'secret'"]),
    "all items sensitive": ("a.dat", "a b\na\nb\n", ["FILE", "-s", "a,b"], 2, ["all items are sensitive"]),
    "nothing sensitive": ("n.csv", LONG, ["FILE", "-s", ""], 2, ["sensitive"]),
    "p below 2": ("p.csv", LONG, ["FILE", "-g", "degree(p=1)"], 2, ["integer >= 2", "Got 1"]),
    "p is not a number": ("p.csv", LONG, ["FILE", "-g", "degree(p=many)"], 2, ["integer >= 2", "'many'"]),
    "p infeasible": (
        "p.csv",
        LONG,
        ["FILE", "-g", "degree(p=21)"],
        1,
        ["'secret'", "2 of 40", "largest feasible p is 20"],
    ),
    "fewer rows than p": (
        "f.dat",
        "a secret\nb\nc\n",
        ["FILE", "-g", "degree(p=4)"],
        1,
        ["largest feasible p is 3"],
    ),
    "unknown guarantee": ("g.csv", LONG, ["FILE", "-g", "degee(p=2)"], 2, ["Did you mean 'degree'"]),
    "unknown method": ("g.csv", LONG, ["FILE", "-m", "chad"], 2, ["Did you mean 'cahd'"]),
    "unfit method": ("g.csv", LONG, ["FILE", "-g", "k-anonymity(2)", "-m", "cahd"], 2, ["does not keep k-anonymity"]),
    "unknown option": ("g.csv", LONG, ["FILE", "-m", "cahd", "--set", "alhpa=3"], 2, ["Did you mean 'alpha'"]),
    "bad option value": ("g.csv", LONG, ["FILE", "-m", "cahd", "--set", "order=rcmm"], 2, ["must be one of 'rcm'"]),
    "option without value": ("g.csv", LONG, ["FILE", "--set", "alpha"], 2, ["key=value"]),
    "seed as an option": ("g.csv", LONG, ["FILE", "--set", "seed=3"], 2, ["--seed"]),
    "twin of a sensitive item": (
        "t.dat",
        "bread secret\nbread Secret\ntea\ntea milk\n",
        ["FILE"],
        2,
        ["'Secret' differs from the sensitive item 'secret' only in case"],
    ),
    "unknown format": ("g.csv", LONG, ["FILE", "--format", "xlsx"], 2, ["xlsx"]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_bad_input(case, as_json, tmp_path, covey_cli):
    name, content, arguments, expected, says = CASES[case]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    given = [a.replace("FILE", str(path)).replace("DIR", str(tmp_path)) for a in arguments]
    defaults = {"-s": "secret", "-g": "degree(p=2)"}
    for flag, value in defaults.items():
        if flag not in given:
            given += [flag, value]
    before = sorted(tmp_path.iterdir())
    code, text, errors = covey_cli("anonymize", *given, "-o", tmp_path / "out", *(["--json"] if as_json else []))
    message = json.loads(text)["error"]["message"] if as_json else errors
    assert code == expected, message
    message = " ".join(message.split())
    for part in says:
        assert part in message
    assert "Traceback" not in message
    assert "inside covey" not in message
    assert sorted(tmp_path.iterdir()) == before


def test_existing_output(tmp_path, covey_cli):
    path = tmp_path / "s.csv"
    path.write_text(LONG)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("keep")
    arguments = ("anonymize", path, "-s", "secret", "-g", "degree(p=2)", "-o", tmp_path / "out")
    code, _, errors = covey_cli(*arguments)
    assert (code, "exists already" in errors) == (2, True)
    code, _, errors = covey_cli(*arguments, "--force")
    assert (code, "not a covey release" in " ".join(errors.split())) == (2, True)
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["mine"]


def test_unreadable_file(tmp_path, covey_cli):
    path = tmp_path / "s.csv"
    path.write_text(LONG)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read anything")
    code, _, errors = covey_cli("inspect", path)
    assert (code, "s.csv" in errors) == (2, True)


def test_a_fault_of_covey_is_no_traceback(tmp_path, covey_cli, monkeypatch):
    monkeypatch.setattr("covey.io.baskets.reading.read", lambda *_, **__: 1 / 0, raising=False)
    (tmp_path / "s.csv").write_text(LONG)
    code, _, errors = covey_cli("inspect", tmp_path / "s.csv")
    assert code == 2
    assert "a bug in covey" in " ".join(errors.split())
    assert "Traceback" not in errors


def test_usage_errors_are_json_too(covey_cli):
    code, text, _ = covey_cli("evaluate", "somewhere", "--json")
    assert code == 2
    assert "--original" in json.loads(text)["error"]["message"]


def test_a_terminal_without_tick_marks(tmp_path):
    import subprocess
    import sys

    (tmp_path / "s.csv").write_text(LONG)
    command = [
        sys.executable,
        "-m",
        "covey",
        "anonymize",
        "s.csv",
        "-s",
        "secret",
        "-g",
        "degree(p=2)",
        "-o",
        "out",
    ]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "degree(p=2) holds." in done.stdout
