"""Published sets must fit original rows one to one; the exact check against a plain matching."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.verify import suppressed_fidelity
from oracles import pattern_ka as oracle

pytestmark = pytest.mark.kernel

SETS = st.lists(st.sets(st.sampled_from("abcd"), max_size=4), min_size=1, max_size=9)


def holds(published, original):
    checks = suppressed_fidelity.compare(covey.Baskets.of(published), covey.Baskets.of(original))
    return all(check.passed for check in checks)


@given(SETS, st.data())
def test_suppressing_passes(original, data):
    published = [data.draw(st.sets(st.sampled_from(sorted(row)))) if row else set() for row in original]
    published = data.draw(st.permutations(published))
    assert holds(published, original)


@given(SETS, st.data())
def test_the_check_is_a_perfect_matching(original, data):
    published = [data.draw(st.sets(st.sampled_from("abcd"), max_size=3)) for _ in original]
    assert holds(published, original) == oracle.assignable(published, original)


def test_sets_that_fit_singly_but_not_together_are_found():
    # Both {a} and {b} are held by the one row {a, b} only.
    original, published = [["a", "b"], ["c"]], [["a"], ["b"]]
    checks = suppressed_fidelity.compare(covey.Baskets.of(published), covey.Baskets.of(original))
    assert [check.passed for check in checks] == [True, True, False]
    assert "is published 1 time, but for 1 of them no transaction that holds it is left" in checks[-1].detail


def test_invented_items_and_lost_rows_are_named():
    original = covey.Baskets.of([["a"], ["b"]])
    assert "'z' is not" in suppressed_fidelity.compare(covey.Baskets.of([["a"], ["z"]]), original)[-1].detail
    assert not suppressed_fidelity.compare(covey.Baskets.of([["a"]]), original)[0].passed


@given(SETS, st.data())
def test_beyond_the_limit_each_set_is_checked_alone(original, data):
    published = [data.draw(st.sets(st.sampled_from("abcd"), max_size=3)) for _ in original]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppressed_fidelity, "PAIRS", -1)
        checks = suppressed_fidelity.compare(covey.Baskets.of(published), covey.Baskets.of(original))
    known = set().union(*original)
    alone = (
        all(published.count(s) <= sum(s <= row for row in original) for s in published if s)
        and set().union(*published) <= known
    )
    assert all(check.passed for check in checks) == alone
