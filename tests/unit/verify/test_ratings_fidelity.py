from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import Ratings
from covey.kernels.verify.rating_fidelity import first_short
from covey.release.base import Statement
from covey.release.ratings.model import RatingsRelease
from covey.verify import ratings_fidelity
from covey.verify.ratings_fidelity import compare
from oracles.rating_assignment import assignable, fits, short

ISSUES = ["a", "b", "c", "s"]
RATING = st.sampled_from([None, 1, 2])
ROWS = st.lists(st.lists(RATING, min_size=4, max_size=4), min_size=1, max_size=5)


def ratings(rows):
    return Ratings.of(rows, issues=ISSUES, sensitive=["s"], scale="1:2")


def released(rows, original):
    """A release of `rows` whose counts of what is left out are possible for this original."""
    gone = len(original) - len(rows)
    lengths = sorted(sum(v is not None for v in row) for row in original)
    left = sum(lengths) - sum(v is not None for row in rows for v in row)
    return RatingsRelease(
        ratings=ratings(rows),
        made=Statement(guarantee="k-eps-l(k=1, epsilon=0)", method="x"),
        suppressed_records=gone,
        suppressed_ratings=max(left - sum(lengths[:gone]), 0),
    )


def plain(rows):
    return [{name: v for name, v in zip(ISSUES, row, strict=True) if v is not None} for row in rows]


@st.composite
def cases(draw):
    """A survey and records that often, but not always, come from it by leaving ratings out."""
    original = draw(ROWS)
    rows = draw(st.lists(st.sampled_from(original), min_size=1, max_size=len(original)))
    published = []
    for row in rows:
        kept = draw(st.lists(st.booleans(), min_size=3, max_size=3))
        published.append([v if keep else None for v, keep in zip(row, kept, strict=False)] + [row[3]])
    return original, published


@pytest.mark.parametrize("exact", [True, False])
@given(case=cases())
def test_the_checks_agree_with_trying_all_assignments(exact, case):
    original, published = case
    limit = ratings_fidelity.PAIRS if exact else -1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings_fidelity, "PAIRS", limit)
        checks = compare(released(published, original), ratings(original))
    passed = all(check.passed for check in checks)
    ours, theirs = plain(published), plain(original)
    if exact:
        assert passed == assignable(ours, theirs, {"s"})
    else:
        secrets = Counter(row.get("s") for row in ours) - Counter(row.get("s") for row in theirs)
        assert passed == (not secrets and not short(ours, theirs, {"s"}))
    assert any("one record at a time" in check.name for check in checks) == (not exact and len(checks) == 5)


def test_two_records_that_fit_only_the_same_respondent():
    original = [[1, 2, None, 1], [2, 1, None, 1]]
    # Each alone is part of the first respondent; both together are not.
    published = [[1, None, None, 1], [None, 2, None, 1]]
    last = compare(released(published, original), ratings(original))[-1]
    assert not last.passed
    assert "different respondent" in last.name
    assert "is published 1 time" in last.detail


def test_the_same_record_too_often():
    original = [[1, 2, None, 1], [2, 1, None, 1]]
    for limit in (ratings_fidelity.PAIRS, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ratings_fidelity, "PAIRS", limit)
            last = compare(released([[1, None, None, 1]] * 2, original), ratings(original))[-1]
        assert not last.passed
        assert "published 2 times, and for 1 of them" in last.detail


def test_nothing_is_published():
    original = ratings([[1, 2, None, 1], [2, 1, None, None]])
    nothing = RatingsRelease(
        ratings=original.take(np.arange(0)), made=Statement(guarantee="x", method="x"), suppressed_records=2
    )
    assert all(check.passed for check in compare(nothing, original))


def test_fine_scales_are_numbered_by_what_occurs(monkeypatch):
    monkeypatch.setattr(ratings_fidelity, "DIRECT", 0)
    original = [[1, 2, None, 1], [2, 1, None, None]]
    assert all(c.passed for c in compare(released([[None, 2, None, 1], original[1]], original), ratings(original)))
    assert not all(c.passed for c in compare(released([[None, 1, None, 1], original[1]], original), ratings(original)))


@pytest.mark.kernel
@given(
    sets=st.lists(st.frozensets(st.integers(0, 4), min_size=1), max_size=4),
    rows=st.lists(st.frozensets(st.integers(0, 4), min_size=1), min_size=1, max_size=5),
    wanted=st.lists(st.integers(1, 3), min_size=4, max_size=4),
    offered=st.lists(st.integers(1, 2), min_size=5, max_size=5),
)
def test_the_first_set_that_is_held_too_seldom(sets, rows, wanted, offered):
    def compressed(listed):
        ptr = np.cumsum([0, *(len(one) for one in listed)])
        return ptr, np.array([cell for one in listed for cell in sorted(one)], np.int32)

    owners = [[r for r, row in enumerate(rows) if cell in row] for cell in range(5)]
    cell_ptr = np.cumsum([0, *map(len, owners)])
    owner = np.array([r for one in owners for r in one], np.int32)
    held = [sum(offered[r] for r, row in enumerate(rows) if one <= row) for one in sets]
    expected = next(((s, h) for s, h in enumerate(held) if h < wanted[s]), (-1, 0))
    got = first_short(*compressed(sets), *compressed(rows), cell_ptr, owner, np.array(wanted), np.array(offered))
    assert tuple(got) == expected


def test_the_oracle_itself():
    assert fits({"a": 1, "s": 2}, {"a": 1, "b": 1, "s": 2}, {"s"})
    assert not fits({"a": 1}, {"a": 1, "s": 2}, {"s"})
