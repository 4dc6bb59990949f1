import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.guarantees.coherence import Coherence
from covey.guarantees.km_anonymity import KmAnonymity
from covey.release.base import Statement
from covey.verify import check_data, check_release, violators
from covey.verify.rare_labels import count_offences
from oracles import recoding as slow

ITEMS = [f"i{n}" for n in range(7)]
ROWS = st.lists(st.sets(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=14)


def released(public, private=None, guarantee="km-anonymity(k=2, m=2)"):
    from covey.release.sets import SetsRelease

    return SetsRelease(
        transactions=public,
        private=private,
        recoded="suppressed",
        made=Statement(guarantee=guarantee, method="test"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("km-anonymity(k=1, m=2)", "'k' parameter of km-anonymity must be an integer >= 2. Got 1"),
        ("km-anonymity(k=2, m=0)", "'m' parameter of km-anonymity must be an integer >= 1 or inf. Got 0"),
        ("km-anonymity(k=2, m=1.5)", "'m' parameter"),
        ("km-anonymity(k=2)", "needs the parameter 'm'"),
        ("coherence(h=0, k=2, p=1)", "'h' parameter of coherence must be a number > 0 and <= 1. Got 0"),
        ("coherence(h=1.5, k=2, p=1)", "'h' parameter"),
        ("coherence(h=0.5, k=1, p=1)", "'k' parameter"),
        ("coherence(h=0.5, k=2, p=0)", "'p' parameter"),
    ],
)
def test_bad_parameters_are_refused(text, message):
    with pytest.raises(covey.CoveyError, match=message):
        covey.guarantee(text)


@pytest.mark.parametrize("text", ["km-anonymity(k=5, m=2)", "km-anonymity(k=2, m=inf)", "coherence(h=1, k=2, p=inf)"])
def test_text_and_back(text):
    assert covey.guarantee(text).text == text


@given(ROWS, st.integers(2, 4), st.sampled_from([1, 2, 3, math.inf]))
def test_the_verdict_is_that_of_brute_force_with_a_true_witness(rows, k, m):
    data = covey.Baskets.of([sorted(row) for row in rows])
    verdict = check_data(KmAnonymity(k, m), data)
    rare = slow.rare_sets(rows, k, int(min(m, 9)))
    assert verdict.holds == (not rare)
    assert check_release(KmAnonymity(k, m), released(data)).holds == verdict.holds
    offence = verdict.figures["offence"]
    if rare:
        group = tuple(sorted(offence["set"]))
        assert rare[group] == offence["support"]
        assert all(set(group) <= set(data.basket(r)) for r in offence["rows"])
        assert not any(set(small) < set(group) for small in rare)


@given(ROWS, st.data(), st.integers(2, 3), st.integers(1, 3), st.sampled_from([0.3, 0.5, 1.0]))
def test_coherence_agrees_with_brute_force(rows, data, k, p, h):
    private = data.draw(st.lists(st.sets(st.sampled_from("xy"), max_size=2), min_size=len(rows), max_size=len(rows)))
    public = covey.Baskets.of([sorted(row) for row in rows])
    secret = covey.Baskets.of([sorted(row) for row in private])
    verdict = check_release(Coherence(h, k, p), released(public, secret))
    assert verdict.holds == (not slow.moles(rows, private, k, p, h))
    if not verdict.holds:
        assert tuple(sorted(verdict.figures["offence"]["set"])) in slow.moles(rows, private, k, p, h)


@given(ROWS, st.integers(2, 4), st.sampled_from([1, 2, 3, math.inf]))
def test_all_sets_that_are_too_rare_are_counted_and_those_who_hold_one(rows, k, m):
    rare = slow.rare_sets(rows, k, m)
    holders = [row for row, held in enumerate(rows) if any(held.issuperset(one) for one in rare)]
    found = count_offences(covey.Baskets.of([sorted(row) for row in rows]), k, m)
    assert (found.sets, found.exposed.nonzero()[0].tolist(), found.complete) == (len(rare), holders, True)


def test_a_count_that_would_take_too_long_is_a_lower_bound(monkeypatch):
    from covey.verify import rare_labels

    monkeypatch.setattr(rare_labels, "COUNT_WORK", 100)
    data = covey.Baskets.of([[f"i{j}" for j in range(30)]])
    found = count_offences(data, 2, 8)
    assert not found.complete
    assert found.describe().startswith("at least 101 sets too rare")
    with pytest.raises(covey.CoveyError, match="Lower m"):
        list(violators(KmAnonymity(2, 8), data))


def test_a_planted_violation_in_a_hundred_thousand_transactions_is_found():
    rng = np.random.default_rng(4)
    n, d = 100_000, 60
    rows = rng.integers(0, d, (n, 4)).astype(np.int32)
    rows[77_777] = [0, 1, 2, 3]
    whole = covey.Baskets.build(np.arange(0, 4 * n + 1, 4), rows.ravel().copy(), [f"label {i:02d}" for i in range(d)])
    assert check_release(KmAnonymity(5, 2), released(whole)).holds
    # One label that only two transactions hold together with another.
    rows[rows[:, 0] == 59] = [10, 11, 12, 13]
    rows[:, 1:][rows[:, 1:] == 59] = 20
    rows[5], rows[6] = [59, 1, 2, 3], [59, 2, 4, 5]
    rows[100:200] = [59, 7, 8, 9]
    planted = covey.Baskets.build(np.arange(0, 4 * n + 1, 4), rows.ravel().copy(), whole.items)
    verdict = check_release(KmAnonymity(5, 2), released(planted))
    assert not verdict.holds
    assert "label 59" in verdict.figures["offence"]["set"]
    assert set(verdict.figures["offence"]["rows"]) <= {5, 6}


def test_a_private_item_in_the_public_part_is_an_offence():
    public = covey.Baskets.of([["a", "s"], ["a", "s"]])
    private = covey.Baskets.of([["s"], []])
    verdict = check_release(Coherence(1.0, 2, 1), released(public, private))
    assert [check.name for check in verdict.failures()] == ["no private item is among the public ones"]
    assert not check_release(Coherence(0.5, 2, 1), released(public, covey.Baskets.of([["t"]]))).holds


def test_coherence_needs_private_items_unless_h_is_one():
    data = covey.Baskets.of([["a"], ["a"]])
    with pytest.raises(covey.CoveyError, match="none is named"):
        Coherence(0.5, 2, 1).require_feasible(data.summary())
    Coherence(1.0, 2, 1).require_feasible(data.summary())
    assert check_data(Coherence(1.0, 2, 1), data).holds


def test_long_transactions_are_refused_rather_than_searched_for_ever(monkeypatch):
    from covey.verify import rare_labels

    monkeypatch.setattr(rare_labels, "WORK", 10_000)
    rows = [[f"i{j}" for j in range(30) if j != i] for i in range(30)] * 2
    with pytest.raises(covey.CoveyError, match="Lower m of km-anonymity"):
        check_data(KmAnonymity(2, 8), covey.Baskets.of(rows))


def test_identical_rows_of_ten_thousand_labels_are_no_trouble():
    data = covey.Baskets.of([[f"i{j}" for j in range(10_000)]] * 5)
    assert check_data(KmAnonymity(5, 7), data).holds


def test_degree_of_data_as_it_stands():
    from covey.guarantees.degree import Degree

    rows = [["a", "s"], ["a"], ["a"], ["b"], ["b", "c"]]
    data = covey.Baskets.of(rows, sensitive=["s"])
    assert check_data(Degree(3), data).holds
    verdict = check_data(Degree(4), covey.Baskets.of([*rows, *[["z"]] * 3], sensitive=["s"]))
    assert not verdict.holds
    assert "'s' is in 1 of the 3" in verdict.failures()[0].detail
