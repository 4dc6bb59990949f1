"""Persons are placed by all their baskets together, never against what is published."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.release.base import Statement
from covey.release.grouping import grouped
from covey.verify.placing import placing
from oracles import placing as oracle
from strategies import examples

pytestmark = pytest.mark.kernel

MADE = Statement(guarantee="degree(p=2)", method="cahd")


@st.composite
def shops(draw):
    """Few items, so that most baskets are common; a group for each person."""
    persons = draw(st.integers(1, 7))
    groups = draw(st.lists(st.integers(0, 2), min_size=persons, max_size=persons))
    baskets = st.lists(st.sampled_from(["a", "b", "ab", "as", "bs", "a", ""]), min_size=1, max_size=3)
    rows, whose = [], []
    for person in range(persons):
        for basket in draw(baskets):
            rows.append(set(basket))
            whose.append(person)
    return rows, whose, groups


def publish(rows, whose, groups, named=True):
    data = covey.Baskets.of([*rows, {"a", "b", "s"}], sensitive=["s"], persons=[*whose, len(groups)] if named else None)
    number = np.unique([*groups, 9], return_inverse=True)[1]
    home = number[data.person] if named else number[[*whose, -1]]
    release = grouped(data, home, int(number.max()) + 1, made=MADE, seed=5)
    return release, data, np.random.default_rng(5).permutation(int(number.max()) + 1)[number if named else home]


def oracle_of(rows, whose, groups):
    """The needs of all persons, and what the groups publish, by the true numbers of groups."""
    every = oracle.needs([set(r) - {"s"} for r in rows], [set(r) & {"s"} for r in rows], whose)
    people = [every[person] for person in range(len(every))]
    return people, oracle.published(
        [[p for p, g in zip(people, groups, strict=True) if g == group] for group in range(max(groups) + 1)]
    )


@given(shops(), st.booleans())
@examples(200)
def test_everybody_is_where_everything_published_fits(shop, named):
    rows, whose, groups = shop
    release, data, truth = publish(rows, whose, groups, named)
    found = placing(release, data)
    rows, whose = [*rows, {"a", "b", "s"}], [*whose, len(groups)]
    people, stated = oracle_of(rows, whose if named else range(len(rows)), truth.tolist())
    assert found.unsure == np.count_nonzero(~found.sure)
    if not found.misfits:
        members = [[p for p, g in zip(people, found.home, strict=True) if g == n] for n in range(release.groups)]
        assert oracle.published(members) == stated
    every, alike = list(oracle.assignments(people, stated)), [repr(sorted(p.items(), key=repr)) for p in people]
    for kind in set(alike):
        own = [i for i, other in enumerate(alike) if other == kind]
        for g in range(release.groups):
            certain = sum(found.sure[i] and found.home[i] == g for i in own)
            assert certain <= min(sum(way[i] == g for i in own) for way in every)
    if len(set(alike)) == len(alike) and len(every) == 1 and not found.misfits:
        np.testing.assert_array_equal(found.home, truth)


@given(shops(), st.data())
@examples(200)
def test_what_is_called_impossible_is_so_and_what_fits_is_possible(shop, drawn):
    """Persons are moved between the groups' numbers, whose transactions stay."""
    rows, whose, groups = shop
    release, data, truth = publish(rows, whose, groups)
    persons = release.group_persons.tolist()
    for _ in range(drawn.draw(st.integers(0, 2))):
        source, target = (drawn.draw(st.integers(0, release.groups - 1)) for _ in range(2))
        if source != target and persons[source] > 1:
            persons[source], persons[target] = persons[source] - 1, persons[target] + 1
    people, stated = oracle_of([*rows, {"a", "b", "s"}], [*whose, len(groups)], truth.tolist())
    for group, number in zip(stated, persons, strict=True):
        group["person"] = number
    found = placing(replace(release, group_persons=np.array(persons)), data)
    ways = next(oracle.assignments(people, stated), None)
    if not found.possible:
        assert ways is None
    if found.misfits == 0:
        assert ways is not None
