"""Released ratings against their original, respondent by respondent."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import Ratings
from covey.release.base import Statement
from covey.release.ratings import RatingsRelease
from covey.verify import ratings_fidelity
from covey.verify.ratings_fidelity import compare
from traces import traced

ISSUES = ["a", "b", "c", "s"]
ROWS = st.lists(st.lists(st.sampled_from([None, 1, 2]), min_size=4, max_size=4), min_size=1, max_size=6)


def ratings(rows):
    return Ratings.of(rows, issues=ISSUES, sensitive=["s"], scale="1:2")


def released(rows, original, of):
    """A release of `rows`, which are of the respondents `of`, with true counts of what is left out."""
    held = [sum(v is not None for v in original[row]) for row in of]
    release = RatingsRelease(
        ratings=ratings(rows),
        made=Statement(guarantee="k-eps-l(k=1, epsilon=0)", method="x"),
        suppressed_records=len(original) - len(rows),
        suppressed_ratings=max(sum(held) - sum(v is not None for row in rows for v in row), 0),
    )
    return traced(release, np.array(of, np.int64))


def passes(release, original):
    return all(check.passed for check in compare(release, ratings(original)))


@given(ROWS, st.data())
def test_a_record_has_ratings_of_its_respondent_alone(original, data):
    of = data.draw(st.permutations(range(len(original))).map(lambda all_: all_[: data.draw(st.integers(1, len(all_)))]))
    keep = [data.draw(st.lists(st.booleans(), min_size=3, max_size=3)) for _ in of]
    rows = [
        [*(v if kept else None for v, kept in zip(original[row], some, strict=False)), original[row][3]]
        for row, some in zip(of, keep, strict=True)
    ]
    assert passes(released(rows, original, of), original)
    record, issue = data.draw(st.integers(0, len(of) - 1)), data.draw(st.integers(0, 3))
    true = original[of[record]][issue]
    rows[record][issue] = data.draw(st.sampled_from([v for v in (1, 2) if v != true]))
    assert not passes(released(rows, original, of), original)


@pytest.mark.parametrize("name", ["suppressed_ratings", "suppressed_records"])
def test_what_is_missing_is_counted(name):
    original = [[1, 2, None, 1], [2, 1, None, 1], [1, None, 2, None]]
    release = released([[1, None, None, 1], [2, 1, None, 1]], original, [0, 1])
    assert passes(release, original)
    wrong = traced(replace(release, **{name: getattr(release, name) + 1}), np.array([0, 1]))
    assert not passes(wrong, original)


@pytest.mark.parametrize("of", [[0, 0], [0, 7], [-1, 1], [0]])
def test_rejects_a_trace_that_is_not_one_to_one(of):
    original = [[1, 2, None, 1], [1, 2, None, 1], [1, None, 2, None]]
    release = released(original[:2], original, [0, 1])
    failed = [check.name for check in compare(traced(release, np.array(of)), ratings(original)) if not check.passed]
    assert failed == ["the trace gives every published row an original of its own"]


def test_without_a_trace_the_verdict_names_what_was_not_checked():
    original = [[1, 2, None, 1], [2, 1, None, 1]]
    release = replace(released(original, original, [0, 1]))
    assert [c.name for c in compare(release, ratings(original)) if "not checked without the trace" in c.name]


def test_nothing_is_published():
    original = [[1, 2, None, 1], [2, 1, None, None]]
    nothing = RatingsRelease(
        ratings=ratings(original).take(np.arange(0)), made=Statement(guarantee="x", method="x"), suppressed_records=2
    )
    assert passes(traced(nothing, np.zeros(0, np.int64)), original)


def test_fine_scales_are_numbered_by_what_occurs(monkeypatch):
    monkeypatch.setattr(ratings_fidelity, "DIRECT", 0)
    original = [[1, 2, None, 1], [2, 1, None, None]]
    assert passes(released([[None, 2, None, 1], original[1]], original, [0, 1]), original)
    assert not passes(released([[None, 1, None, 1], original[1]], original, [0, 1]), original)
