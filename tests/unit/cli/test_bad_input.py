"""Bad input gets one paragraph with file, line and remedy, the right exit code, and leaves nothing behind.

What can be wrong with a file is in `tests/corpus`.
"""

import json
import os

import pytest

from covey.io.source import READERS
from runs import run_covey

LONG = "transaction,item\n" + "".join(f"{i},bread\n{i},item {i % 5}\n" for i in range(40)) + "0,secret\n1,secret\n"

#: name of the case: (file name, content, arguments, exit code, what the message must contain)
CASES = {
    "missing file": ("sales.csv", LONG, ["DIR/sale.csv"], 2, ["sale.csv", "sales.csv"]),
    "all items sensitive": ("a.dat", "a b\na\nb\n", ["FILE", "-s", "a,b"], 2, ["all items are sensitive"]),
    "nothing sensitive": ("n.csv", LONG, ["FILE", "-s", ""], 2, ["sensitive"]),
    "p below 2": ("p.csv", LONG, ["FILE", "-g", "degree(p=1)"], 2, ["integer >= 2", "Got 1"]),
    "p is not a number": ("p.csv", LONG, ["FILE", "-g", "degree(p=many)"], 2, ["integer >= 2", "'many'"]),
    "fewer rows than p": (
        "f.dat",
        "a secret\nb\nc\n",
        ["FILE", "-g", "degree(p=4)"],
        1,
        ["largest feasible p is 3"],
    ),
    "unknown option": ("g.csv", LONG, ["FILE", "-m", "cahd", "--set", "alhpa=3"], 2, ["Did you mean 'alpha'"]),
    "bad option value": ("g.csv", LONG, ["FILE", "-m", "cahd", "--set", "order=rcmm"], 2, ["must be one of 'rcm'"]),
    "option without value": ("g.csv", LONG, ["FILE", "--set", "alpha"], 2, ["key=value"]),
    "seed as an option": ("g.csv", LONG, ["FILE", "--set", "seed=3"], 2, ["--seed"]),
    "unknown format": ("g.csv", LONG, ["FILE", "--format", "xlsx"], 2, ["xlsx"]),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case, tmp_path, covey_cli):
    name, content, arguments, expected, says = CASES[case]
    path = tmp_path / name
    path.write_text(content)
    given = [a.replace("FILE", str(path)).replace("DIR", str(tmp_path)) for a in arguments]
    defaults = {"-s": "secret", "-g": "degree(p=2)"}
    for flag, value in defaults.items():
        if flag not in given:
            given += [flag, value]
    before = sorted(tmp_path.iterdir())
    code, _, errors = covey_cli("anonymize", *given, "-o", tmp_path / "out")
    assert code == expected, errors
    message = " ".join(errors.split())
    for part in says:
        assert part in message
    assert "inside covey" not in message
    assert sorted(tmp_path.iterdir()) == before
    code, text, _ = covey_cli("anonymize", *given, "-o", tmp_path / "out", "--json")
    assert (code, " ".join(json.loads(text)["error"]["message"].split()) in message) == (expected, True)


def test_a_fault_of_covey_is_no_traceback(tmp_path, covey_cli, monkeypatch):
    monkeypatch.setitem(READERS, "baskets", lambda *_, **__: 1 / 0)
    (tmp_path / "s.csv").write_text(LONG)
    code, _, errors = covey_cli("inspect", tmp_path / "s.csv")
    assert code == 2
    assert "a bug in covey" in " ".join(errors.split())
    assert "Traceback" not in errors


def test_a_terminal_without_tick_marks(tmp_path):
    (tmp_path / "s.csv").write_text(LONG)
    given = ("anonymize", "s.csv", "-s", "secret", "-g", "degree(p=2)", "-o", "out")
    done = run_covey(*given, cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "degree(p=2) holds." in done.stdout
