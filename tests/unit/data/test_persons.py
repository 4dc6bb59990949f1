"""Whose row is whose: numbering, unions, and what guarantees are told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import InputError
from oracles import persons as oracle
from strategies import baskets_of, transactions


@st.composite
def visits(draw, max_rows=30):
    """(rows, hidden, person of each row)."""
    rows, hidden = draw(transactions(max_rows=max_rows))
    persons = draw(st.lists(st.integers(0, 8), min_size=len(rows), max_size=len(rows)))
    return rows, hidden, persons


@given(visits())
def test_a_persons_basket_is_the_union_of_their_transactions(case):
    rows, _, persons = case
    made = covey.Baskets.of(rows, persons=persons)
    expected = oracle.unions(rows, persons)
    people = made.by_person()
    assert [set(people.basket(i)) for i in range(people.n)] == list(expected.values())
    assert made.persons == people.n == people.persons == len(expected)
    assert people.by_person() is people
    assert people.items == made.items


@given(visits())
def test_everything_made_of_baskets_keeps_their_persons(case):
    rows, hidden, persons = case
    data = baskets_of(rows, hidden)
    named = covey.Baskets.of([data.basket(i) for i in range(data.n)], persons=persons)
    for part in (named.with_sensitive([]), *named.split(), named.only(named.supports() > 0)):
        np.testing.assert_array_equal(part.person, named.person)
    assert named != data
    some = named.take(np.arange(0, named.n, 2))
    assert some.persons == len(set(persons[::2]))


@given(visits())
def test_summaries_count_persons(case):
    rows, hidden, persons = case
    data = baskets_of(rows, hidden)
    if not data.sensitive.any():
        return
    whole = [row | secret for row, secret in zip(rows, hidden, strict=True)]
    named = covey.Baskets.of(whole, sensitive=data.sensitive_items(), persons=persons)
    held = oracle.unions(hidden, persons)
    told = named.summary()
    assert (told.rows, told.unit) == (len(held), "persons")
    assert {s.label: s.holders for s in told.secrets} == {
        item: sum(item in secrets for secrets in held.values()) for item in data.sensitive_items()
    }


def test_a_degree_is_infeasible_only_when_its_support_by_persons_is():
    """One person may hold something in any number of transactions: it is still one person."""
    rows = [["a", "s"]] * 20 + [["b"]] * 4
    whose = ["ann"] * 20 + ["bob", "cai", "dee", "eve"]
    data = covey.Baskets.of(rows, sensitive=["s"], persons=whose)
    release = covey.anonymize(data, "degree(p=5)")
    assert (release.persons, release.count.tolist(), release.totals.tolist()) == (5, [1], [0])
    with pytest.raises(covey.Infeasible, match="no p is feasible"):
        covey.anonymize(covey.Baskets.of(rows, sensitive=["s"]), "degree(p=2)")
    with pytest.raises(covey.Infeasible) as caught:
        covey.anonymize(data, "degree(p=6)")
    assert caught.value.best == 5
    assert "held by 1 of 5 persons" in str(caught.value)
    assert "narrower item" not in str(caught.value), "fewer than one person hold nothing"
    wider = covey.Baskets.of([*rows, ["s"]], sensitive=["s"], persons=[*whose, "fay"])
    with pytest.raises(covey.Infeasible, match="mark narrower items than 's' instead"):
        covey.anonymize(wider, "degree(p=4)")


@pytest.mark.parametrize(
    ("names", "says"), [(["a", None], "row 1 has no person"), (["a", ""], "row 1"), (["a"], "1 rows, but there are 2")]
)
def test_bad_names(names, says):
    with pytest.raises(InputError, match=says):
        covey.Baskets.of([["x"], ["y"]], persons=names)


@pytest.mark.parametrize("codes", [[0, 2], [-1, 0], [1, 1]])
def test_persons_are_numbered_without_a_gap(codes):
    plain = covey.Baskets.of([["x"], ["y"]])
    with pytest.raises(InputError, match="without a gap"):
        covey.Baskets.build(plain.indptr, plain.indices, ["x", "y"], person=np.array(codes, np.int32))
