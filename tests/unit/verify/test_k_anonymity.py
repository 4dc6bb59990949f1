"""The checker counts equal sets as a plain Counter does, on releases and on data as it stands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data.equal_rows import classes_of, set_hashes
from covey.errors import ParameterError
from covey.guarantees.k_anonymity import KAnonymity
from covey.release.base import Statement
from covey.release.sets import SetsRelease
from covey.verify import check_data, check_release
from oracles import pattern_ka as oracle

pytestmark = pytest.mark.kernel

SETS = st.lists(st.sets(st.sampled_from("abcd"), max_size=3), max_size=14)


@given(SETS, st.integers(2, 4))
def test_the_check_is_the_definition(sets, k):
    data = covey.Baskets.of(sets)
    release = SetsRelease(
        transactions=data,
        recoded="suppressed",
        made=Statement(guarantee=f"k-anonymity(k={k})", method="hand"),
    )
    for verdict in (check_release(KAnonymity(k), release), check_data(KAnonymity(k), data)):
        smallest = oracle.anonymity(sets)
        assert verdict.holds == (smallest is None or smallest >= k)
        assert verdict.figures["k"] == smallest
        assert verdict.figures["classes"] == len({frozenset(s) for s in sets})


def test_a_violation_has_a_witness():
    verdict = check_data(KAnonymity(2), covey.Baskets.of([["wine"], ["wine"], ["beer", "chips"]]))
    assert not verdict.holds
    assert "{beer, chips}, occurs 1 time" in verdict.checks[0].detail
    assert verdict.figures["violating"] == 1


def test_empty_rows_count_as_rows():
    assert not check_data(KAnonymity(2), covey.Baskets.of([["a"], ["a"], []])).holds
    assert check_data(KAnonymity(2), covey.Baskets.of([["a"], ["a"], [], []])).holds


def test_text_and_parameters():
    assert covey.guarantee("k-anonymity(5)") == KAnonymity(5)
    assert covey.guarantee(KAnonymity(5).text) == KAnonymity(5)
    with pytest.raises(ParameterError, match="'k' parameter of k-anonymity must be an integer >= 2"):
        KAnonymity(1)


@given(SETS)
def test_sets_with_one_hash_are_still_told_apart(sets):
    data = covey.Baskets.of(sets)
    hashes = np.zeros(data.n, np.uint64)
    number, example = classes_of(data.indptr, data.indices, hashes, np.arange(data.n))
    assert len(example) == len({frozenset(s) for s in sets})
    assert all(data.basket(int(example[number[row]])) == data.basket(row) for row in range(data.n))


@given(SETS)
def test_hashes_ignore_nothing(sets):
    data = covey.Baskets.of(sets)
    words = np.uint64(1) << np.arange(data.d, dtype=np.uint64)
    hashes = set_hashes(data.indptr, data.indices, words)
    assert len(set(hashes.tolist())) == len({frozenset(s) for s in sets})
