"""pattern-ka as a whole: what it publishes, its options, its errors, and how much it loses on real data."""

import random
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.measure.loss import gcp
from covey.methods.pattern_ka import PatternKa, set_patterns
from oracles import pattern_ka as oracle
from strategies import examples

SETS = st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=6), min_size=4, max_size=25)


def sets_of(baskets):
    return [frozenset(baskets.basket(row)) for row in range(baskets.n)]


@given(SETS, st.integers(2, 4), st.booleans(), st.booleans())
def test_releases_are_anonymous_and_invent_nothing(sets, k, raising, leftovers):
    data = covey.Baskets.of(sets)
    method = PatternKa(raising=raising, leftovers=leftovers, seed=1)
    release = method.anonymize(data, covey.guarantee(f"k-anonymity({k})"))
    rows = sets_of(release.transactions)
    assert oracle.anonymity(rows) >= k
    assert oracle.assignable(rows, sets)
    assert gcp(release, data).gcp == pytest.approx(oracle.gcp(rows, sets) if any(sets) else 0.0)
    assert set(release.transactions.items) == set().union(*rows)


@given(SETS, st.integers(2, 4), st.sampled_from([(True, False), (False, True), (True, True)]))
def test_the_passes_after_the_greedy_never_lose(sets, k, passes):
    data, promise = covey.Baskets.of(sets), covey.guarantee(f"k-anonymity({k})")
    plain = PatternKa(raising=False, leftovers=False).anonymize(data, promise)
    better = PatternKa(raising=passes[0], leftovers=passes[1]).anonymize(data, promise)
    assert better.transactions.entries >= plain.transactions.entries


def literal_greedy(rows, k, rng):
    """How many items a greedy keeps that draws among the longest patterns; the rest of the rows is as covey has it."""
    free, groups = list(rows), []
    while choices := sorted(map(sorted, oracle.longest(free, [1] * len(free), k))):
        center = frozenset(rng.choice(choices))
        groups.append([len(center), sum(center <= row for row in free), center])
        free = [row for row in free if not center <= row]
    for row in list(free):
        if held := [group for group in groups if group[2] <= row]:
            max(held)[1] += 1
            free.remove(row)
    kept = [length for length, size, _ in groups for _ in range(size)]
    if not groups or not 0 < len(free) < k:
        return sum(kept)
    given = sorted(length for length, size, _ in groups for _ in range(size - k))[: k - len(free)]
    whole = min(length * size for length, size, _ in groups)
    return sum(kept) - (min(sum(given), whole) if len(given) == k - len(free) else whole)


@examples(50)
@given(st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), min_size=4, max_size=12), st.integers(2, 4))
def test_keeps_no_less_than_a_literal_greedy(sets, k):
    data = covey.Baskets.of(sets)
    best = max(literal_greedy(sets, k, random.Random(draw)) for draw in range(12))
    assert covey.anonymize(data, f"k-anonymity({k})", "pattern-ka").transactions.entries >= best


@pytest.mark.parametrize(
    ("rows", "greedy", "default"),
    [("abc abe bcd be", 6, 8), ("a c a ac", 2, 4), ("c ac ad b bcd", 3, 3)],
    ids=["ties", "rows-left-over", "company"],
)
def test_differences_from_a_literal_greedy(rows, greedy, default):
    data = covey.Baskets.of([set(row) for row in rows.split()])
    plain = covey.anonymize(data, "k-anonymity(2)", "pattern-ka", raising=False, leftovers=False)
    assert plain.transactions.entries == greedy
    assert covey.anonymize(data, "k-anonymity(2)", "pattern-ka").transactions.entries == default


@given(SETS, st.integers(2, 4))
@pytest.mark.kernel
def test_top_down_splits_where_most_is_kept(sets, k):
    data = covey.Baskets.of(sets)
    release = covey.anonymize(data, f"k-anonymity({k})", "top-down")
    assert Counter(sets_of(release.transactions)) == Counter(oracle.split_top_down(sets, k))


def test_where_a_pass_gains_less_than_the_rest_then_costs_the_greedy_stands():
    # A group {a} of two would leave {e} alone, and keeping it company costs {c} both of its rows.
    data = covey.Baskets.of(map(set, ["a", "c", "ac", "e", "c"]))
    release = PatternKa().anonymize(data, covey.guarantee("k-anonymity(2)"))
    assert sorted(map(sorted, sets_of(release.transactions))) == [[], [], ["c"], ["c"], ["c"]]


def test_warns_of_a_long_search(monkeypatch):
    monkeypatch.setattr(set_patterns, "READS", 100)
    monkeypatch.setattr(set_patterns, "READINGS", 0)
    monkeypatch.setattr(set_patterns, "READS_A_SECOND", 1)
    promise, draw = covey.guarantee("k-anonymity(5)"), random.Random(1)
    PatternKa().anonymize(covey.Baskets.of([["a", "b", "c"]] * 9), promise)
    dense = covey.Baskets.of([[item for item in "abcdefghijklmnopqrst" if draw.random() < 0.7] for _ in range(40)])
    with pytest.warns(set_patterns.LongSearch, match=r"up to \d+ minutes. The method top-down takes seconds"):
        PatternKa().anonymize(dense, promise)


def test_rows_that_are_already_alike_lose_nothing():
    data = covey.Baskets.of([["a", "b"]] * 3 + [["c"]] * 2 + [[]] * 2)
    release = covey.anonymize(data, "k-anonymity(2)")
    assert Counter(sets_of(release.transactions)) == Counter(sets_of(data))


def test_too_few_empty_rows_are_joined_by_others():
    data = covey.Baskets.of([["a"]] * 5 + [[]])
    rows = sets_of(covey.anonymize(data, "k-anonymity(3)").transactions)
    assert Counter(map(len, rows)) == {1: 3, 0: 3}


def test_nothing_in_common_is_published_empty():
    release = covey.anonymize(covey.Baskets.of([["a"], ["b"], ["c"]]), "k-anonymity(2)")
    assert release.counts() == {"transactions": 3, "items": 0, "entries": 0, "empty": 3}


def test_sensitive_items_are_items_like_others():
    data = covey.Baskets.of([["a", "s"], ["a", "s"], ["a"], ["a"]], sensitive=["s"])
    release = PatternKa().anonymize(data, covey.guarantee("k-anonymity(2)"))
    assert oracle.anonymity(sets_of(release.transactions)) == 2
    assert not release.transactions.sensitive.any()


def test_no_transactions_are_no_problem_and_too_few_are():
    assert covey.anonymize(covey.Baskets.of([]), "k-anonymity(2)").transactions.n == 0
    with pytest.raises(covey.Infeasible, match="The largest feasible k is 3") as caught:
        covey.anonymize(covey.Baskets.of([["a"]] * 3), "k-anonymity(4)")
    assert caught.value.best == 3
    with pytest.raises(covey.Infeasible, match="hiding someone takes at least 2"):
        covey.anonymize(covey.Baskets.of([["a"]]), "k-anonymity(2)")


REFERENCE = {
    "bms-webview-1": {5: 0.343, 10: 0.391, 20: 0.433, 50: 0.511, 100: 0.579},
    "bms-webview-2": {5: 0.570, 10: 0.626, 20: 0.677, 50: 0.749, 100: 0.801},
}


FAST = [("bms-webview-1", 10), ("bms-webview-2", 100)]


@pytest.mark.parametrize(
    ("name", "k"),
    [
        pytest.param(name, k, marks=() if (name, k) in FAST else pytest.mark.slow)
        for name, figures in REFERENCE.items()
        for k in figures
    ],
)
def test_real_data_loses_no_more_than_the_reference(name, k, data_dir):
    data = covey.read(data_dir / f"{name}.dat.gz")
    plain = covey.anonymize(data, f"k-anonymity({k})", seed=1, raising=False, leftovers=False)
    best = covey.anonymize(data, f"k-anonymity({k})", seed=1)
    assert gcp(plain, data).gcp == pytest.approx(REFERENCE[name][k], abs=0.001)
    assert gcp(best, data).gcp < REFERENCE[name][k] - 0.02
    flat = covey.anonymize(data, f"k-anonymity({k})", "lg", seed=1)
    assert gcp(best, data).gcp < 0.8 * gcp(flat, data).gcp


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chess", "mushroom"])
def test_dense_data_does_not_blow_up(name, data_dir):
    data = covey.read(data_dir / f"{name}.dat.gz")
    for k in (5, 50):
        start = time.process_time()
        release = covey.anonymize(data, f"k-anonymity({k})", seed=1)
        assert time.process_time() - start < 60
        assert 0 < gcp(release, data).gcp < 0.5
