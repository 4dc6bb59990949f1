"""Comparing a release with its original: what is lost, invented or moved is found."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.release import grouping as publish
from covey.release.base import Statement
from covey.release.trace import Trace, remember, trace_of
from covey.verify.grouped_fidelity import compare
from covey.verify.original_parts import difference
from strategies import baskets_of, examples, transactions
from traces import with_trace_of

pytestmark = pytest.mark.kernel


def altered(release, **changes):
    return with_trace_of(dataclasses.replace(release, **changes), release)


def failing(release, original):
    return [check.name for check in compare(release, original) if not check.passed]


@pytest.fixture
def release(fig1):
    return covey.anonymize(fig1, "degree(p=2)", seed=4)


def test_a_faithful_release_passes(release, fig1):
    assert failing(release, fig1) == []


@examples(60)
@given(st.lists(st.sets(st.sampled_from("abcd")), max_size=8), st.randoms(use_true_random=False), st.data())
def test_baskets_are_the_same_if_each_occurs_as_often(rows, random, data):
    others = random.sample(rows, len(rows))
    if others and data.draw(st.booleans()):
        others[0] = data.draw(st.sets(st.sampled_from("abcd")))
    some, same = (covey.Baskets.build(*_rows(each), "abcd") for each in (rows, others))
    expected = sorted(map(sorted, rows)) == sorted(map(sorted, others))
    assert (not difference(some, same)) == expected


def _rows(sets):
    ids = [np.array(["abcd".index(item) for item in each], np.int32) for each in sets]
    return np.cumsum([0, *map(len, ids)], dtype=np.int64), np.concatenate([*ids, np.zeros(0, np.int32)])


def test_a_lost_row_is_found(release, fig1):
    fewer = covey.Baskets.of([fig1.basket(i) for i in range(4)], sensitive=["viagra", "pregnancy test"])
    assert failing(release, fewer) == ["every published basket is in the original, exactly as often"]


def test_an_invented_item_is_found(release, fig1):
    rows = [fig1.basket(i) for i in range(5)]
    rows[1] = ["wine", "meat", "cream"]
    other = covey.Baskets.of(rows, sensitive=["viagra", "pregnancy test"])
    details = [c.detail for c in compare(release, other) if not c.passed]
    assert details == ["the basket {meat, wine} is published 2 times, the original has it 1 time"]
    rows[1] = ["wine", "bread"]
    other = covey.Baskets.of(rows, sensitive=["viagra", "pregnancy test"])
    details = [c.detail for c in compare(release, other) if not c.passed]
    assert details == ["the item 'bread' is missing from the release"]


def test_changed_totals_are_found(release, fig1):
    more = altered(release, count=np.array([1, 2]))
    assert failing(more, fig1) == ["the totals of the sensitive items agree"]


def test_counts_moved_to_the_other_group_are_found(release, fig1):
    moved = altered(release, count_item=release.count_item[::-1].copy())
    assert failing(moved, fig1) == ["every group counts what its members hold"]


def test_an_item_that_should_have_been_sensitive_is_found(release, fig1):
    stricter = fig1.with_sensitive(["viagra", "pregnancy test", "wine"])
    assert failing(release, stricter) == ["the sensitive items are those named"]


@examples(150)
@given(transactions(max_rows=6), st.data())
def test_other_counts_than_those_of_the_members_are_found(data, draws):
    rows, hidden = data
    if not set().union(*hidden) or not set().union(*rows):
        return
    _, group = np.unique([draws.draw(st.integers(0, 1)) for _ in rows], return_inverse=True)
    original = baskets_of(rows, hidden)
    made = Statement(guarantee="degree(p=2)", method="cahd")
    release = publish.grouped(original, group, int(group.max()) + 1, made=made, seed=0)
    assert failing(release, original) == []
    shuffled = release.count[list(draws.draw(st.permutations(range(len(release.count)))))]
    changed = altered(release, count=shuffled)
    assert (failing(changed, original) == []) == np.array_equal(shuffled, release.count)


def test_baskets_of_other_groups_are_found(release, fig1):
    """Two different baskets have changed their groups."""
    rows = trace_of(release).rows.copy()
    rows[[0, -1]] = rows[[-1, 0]]
    changed = dataclasses.replace(release)
    remember(changed, Trace(rows=rows))
    assert failing(changed, fig1) == ["every published basket is that of its own original"]


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [0, 0, 1, 2, 3], [0, 1, 2, 3, 5], [-1, 1, 2, 3, 4]])
def test_rejects_a_trace_that_is_not_one_to_one(release, fig1, rows):
    changed = dataclasses.replace(release)
    remember(changed, Trace(rows=np.array(rows)))
    assert failing(changed, fig1) == ["the trace gives every published row an original of its own"]
