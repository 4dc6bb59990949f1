"""End-to-end runs give the figures, tables, files and exit codes that were recorded; see `golden_runs.record`."""

import json
import math
from pathlib import Path

import pytest

from golden_runs.adapter import Workspace
from golden_runs.runs import RELEASES, RUNS

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text(encoding="utf-8"))

#: How far figures of learned attacks may move: this much, or as much as two guesses that turn out otherwise.
TOLERANCE, GUESSES = 0.03, 2


@pytest.fixture(scope="session")
def work(tmp_path_factory):
    return Workspace(tmp_path_factory.mktemp("golden"), RELEASES)


def alike(found: object, expected: object) -> bool:
    """Whether two figures are the same but for rounding."""
    return found is None if expected is None else found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def differences(found: dict, expected: dict) -> list[str]:
    """Where a run differs from what was recorded; figures that are new are no difference."""
    figures, learned = expected.get("figures", {}), expected.get("learned", {})
    wrong = [
        f"{key}: {found['figures'].get(key)} instead of {value}"
        for key, value in figures.items()
        if not alike(found["figures"].get(key), value)
    ]
    for key, value in learned.items():
        targets = figures[f"{key.split('.')[0]}.targets"]
        moved = abs(found.get("learned", {}).get(key, math.inf) - value)
        if moved > max(TOLERANCE, GUESSES / targets):
            wrong.append(f"{key}: {found.get('learned', {}).get(key)} instead of about {value}")
    rest = [key for key in expected if key not in ("figures", "learned") and found.get(key) != expected[key]]
    return wrong + [f"{key}: {found.get(key)} instead of {expected[key]}" for key in rest]


@pytest.mark.parametrize("name", RUNS)
def test_gives_what_was_recorded(name, work):
    assert differences(RUNS[name](work), EXPECTED[name]) == []


def test_every_record_has_a_run():
    assert list(EXPECTED) == list(RUNS)
