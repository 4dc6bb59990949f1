import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.methods.extents import extents_of, scale_of
from covey.methods.pattern_ka_table import (
    PatternKaTable,
    bucket_items,
    column_choices,
    grow_group,
    pattern_classes,
    place_leftovers,
)
from covey.progress import silent
from oracles import tables as oracle
from strategies import oracle_columns, table_of, table_rows

pytestmark = pytest.mark.kernel


@given(table_rows(min_rows=3), st.integers(2, 3))
def test_classes_are_the_frequent_patterns(rows, k):
    items = bucket_items(table_of(rows), 20)
    live = np.arange(len(rows))[: len(rows) - 1]
    words = np.random.default_rng(1).integers(0, 2**64, (3, items.max() + 1), np.uint64)
    for length in range(4):
        choices = column_choices(np.zeros(3), length, 99)
        ptr, classes = pattern_classes(items, live, choices, words, k)
        found = sorted(sorted(classes[ptr[c] : ptr[c + 1]].tolist()) for c in range(len(ptr) - 1))
        wanted = []
        for columns in itertools.combinations(range(3), length):
            by_key = {}
            for row in live:
                by_key.setdefault(tuple(items[row, list(columns)]), []).append(int(row))
            wanted += [members for members in by_key.values() if len(members) >= k]
        assert found == sorted(wanted)


@given(table_rows(min_rows=2), st.integers(2, 4), st.sampled_from([2, 20]))
def test_every_group_is_of_a_longest_frequent_pattern(rows, k, buckets):
    data = table_of(rows)
    items = bucket_items(data, buckets)
    group, groups, notes = PatternKaTable().pattern_groups(items, data.rows("quasi"), scale_of(data), k, silent)
    assert not notes
    remaining = list(range(len(rows)))
    as_tuples = [tuple(row) for row in items.tolist()]
    for g in range(groups):
        members = np.flatnonzero(group == g)
        assert len(members) >= k
        longest = oracle.longest_pattern([as_tuples[row] for row in remaining], k)
        assert oracle.shared_length([as_tuples[row] for row in members]) >= longest
        remaining = [row for row in remaining if group[row] != g]
    assert len(remaining) < k
    assert (group[remaining] == -1).all()


@given(table_rows(min_rows=3), st.integers(2, 3))
def test_growing_adds_the_row_that_costs_least(rows, k):
    if len(rows) < k:
        return
    data, columns = table_of(rows), oracle_columns(rows)
    items, order = bucket_items(data, 20), np.arange(len(rows), dtype=np.int32)
    counts = np.zeros(items.max() + 1, np.int64)
    loss, size = grow_group(order, data.rows("quasi"), items, scale_of(data), k, counts)
    assert sorted(order) == list(range(len(rows)))
    assert not counts.any()
    chosen = [rows[i] for i in order[:size]]
    assert loss == pytest.approx(oracle.group_loss(chosen, columns))
    assert k <= size < 2 * k
    if len(rows) > k:
        for i in range(1, k):
            head = chosen[:i]
            options = [oracle.group_loss([*head, rows[r]], columns) for r in order[i:]]
            assert oracle.group_loss(chosen[: i + 1], columns) == pytest.approx(min(options))
        frequency = [np.prod([(items[:, a] == items[r, a]).sum() for a in range(3)]) for r in order]
        assert frequency[0] == max(frequency)


def test_leftovers_go_where_they_cost_least():
    rows = [(20, "cat", "Bonn")] * 2 + [(60, "hen", "Bonn")] * 2 + [(21, "dog", "Bonn")]
    data = table_of(rows)
    low = high = data.rows("quasi")[[0, 2]]
    group = np.array([0, 0, 1, 1, -1])
    size = np.array([2, 2])
    place_leftovers(np.array([4]), data.rows("quasi"), scale_of(data), low.copy(), high.copy(), size, group)
    assert group.tolist() == [0, 0, 1, 1, 0]
    assert size.tolist() == [3, 2]


def test_choices_of_columns_are_distinct_and_best_first():
    weight = np.array([-3.0, -0.5, -2.0, -0.1, -1.0])
    for length in range(6):
        every = column_choices(weight, length, 999)
        wanted = sorted((sum(weight[list(c)]) for c in itertools.combinations(range(5), length)), reverse=True)
        assert np.allclose((every * weight).sum(axis=1), wanted)
        assert len({tuple(row) for row in every.tolist()}) == len(every)
        few = column_choices(weight, length, 3)
        assert np.allclose((few * weight).sum(axis=1), wanted[:3])


def test_wide_tables_are_bounded():
    rng = np.random.default_rng(1)
    from covey import Table, guarantee

    data = Table.of({f"c{i}": [f"v{v}" for v in rng.integers(0, 2, 24)] for i in range(12)})
    extents = extents_of(data, guarantee("k-anonymity(k=4)"))
    items = bucket_items(data, 20)
    group, groups, notes = PatternKaTable().pattern_groups(items, extents.codes, extents.scale, 4, silent)
    assert notes == ("choices",)
    assert groups >= 4
    assert np.bincount(group[group >= 0]).min() >= 4
