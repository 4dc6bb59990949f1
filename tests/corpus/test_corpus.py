"""Every file of the corpus is read, or refused, at least as well as `expected.json` says.

An entry holds what has to come of a file: ``reads``, all that stands in it; or ``refused``, the place that the message
has to name (empty where there is none; a bar separates places that will do), with ``words`` that it has to hold. An
entry with both may be read so or refused. ``today`` is there as long as covey does worse, and says what it does: one of
`GRADES`, or ``{"reads": …}`` for what is read wrongly. Doing better than that is no failure; doing worse is.
"""

import json
import re
from pathlib import Path

import pytest

from corpus.cases import CASES
from corpus.reading import Crashed, Read, outcome

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))

#: What may come of a file, worst first. A crash is called a bug in covey; an unclear refusal lacks the name of the file
#: or a remedy; a clear one lacks the place or a word; "right" lacks nothing.
GRADES = ("reads wrong", "crash", "unclear", "clear", "right")


def graded(found, file, expected):
    """How good an outcome is, as a position in `GRADES`."""
    if isinstance(found, Read):
        return GRADES.index("right" if found.figure == expected.get("reads") else "reads wrong")
    if isinstance(found, Crashed):
        return GRADES.index("crash")
    if found.code != 2 or file not in found.message or not found.remedy:
        return GRADES.index("unclear")
    parts = [expected["refused"], *expected.get("words", ())] if "refused" in expected else ["(?!)"]
    full = all(re.search(rf"(?<!\w)({part})(?!\w)", found.message, re.IGNORECASE) for part in parts if part)
    return GRADES.index("right" if full else "clear")


def least(expected):
    """The grade that has to be reached."""
    today = expected.get("today", "right")
    return GRADES.index(today if isinstance(today, str) else "reads wrong")


def test_cases_and_expectations_belong_together():
    names = [case.name for case in CASES]
    assert names == list(EXPECTED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reads_or_refuses_as_well_as_expected(case, tmp_path, monkeypatch):
    expected = EXPECTED[case.name]
    monkeypatch.chdir(tmp_path)
    found = outcome(case.write(tmp_path).relative_to(tmp_path), **case.how)
    grade = graded(found, case.file, expected)
    assert grade >= least(expected), f"{GRADES[grade]}: {found}"
    if GRADES[grade] == "reads wrong":
        assert found.figure == expected["today"]["reads"], "it is read wrongly in another way"
