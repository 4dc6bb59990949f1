"""Clusters, chunks and the order of rows, against the definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import Baskets
from covey.methods.disassociation import deal_items, split_rows
from covey.release.chunk_estimates import draw_places, free_space
from covey.release.chunking import sub_records
from oracles import chunks as oracle
from strategies import examples

pytestmark = pytest.mark.kernel

ROWS = st.lists(st.sets(st.integers(0, 5), min_size=1), max_size=14)


def compressed(rows):
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return ptr, np.array([x for row in rows for x in sorted(row)], np.int32)


@examples(40)
@given(ROWS, st.integers(2, 3), st.integers(0, 3))
def test_rows_are_split_by_frequent_items(rows, k, more):
    order = np.arange(len(rows))
    begins = split_rows(*compressed(rows), order, 6, k + 1, k + more + 1, k)
    edges = [*np.flatnonzero(begins).tolist(), len(rows)]
    found = [order[a:b].tolist() for a, b in itertools.pairwise(edges)]
    assert found == oracle.split(rows, k + 1, k + more + 1, k)
    assert sorted(x for part in found for x in part) == list(range(len(rows)))
    assert len(found) <= 1 or min(map(len, found)) >= k


@examples(40)
@given(st.lists(ROWS, max_size=3), st.integers(2, 3), st.integers(1, 4))
def test_items_are_dealt_into_chunks_without_rare_sets(blocks, k, m):
    rows = [row for block in blocks for row in block]
    block_ptr = np.cumsum([0, *map(len, blocks)]).astype(np.int64)
    ptr, items = compressed(rows)
    dealt, complete = deal_items(block_ptr, ptr, items, 6, k, m, 10_000)
    assert complete
    for b, block in enumerate(blocks):
        expected = oracle.deal(block, k, m)
        for e in range(ptr[block_ptr[b]], ptr[block_ptr[b + 1]]):
            assert dealt[e] == expected.get(int(items[e]), -1)


def test_little_work_makes_more_chunks_and_says_so():
    rows = [{0, 1, 2, 3}] * 3
    ptr, items = compressed(rows)
    dealt, complete = deal_items(np.array([0, 3]), ptr, items, 4, 2, 3, 1)
    assert not complete
    assert len(set(dealt.tolist())) > 1


@given(st.lists(st.dictionaries(st.integers(0, 5), st.integers(-1, 3)), max_size=8))
def test_sub_records_are_what_records_hold_of_each_chunk(records):
    ptr, items = compressed(records)
    chunk_of = np.array([record[item] for record in records for item in sorted(record)], np.int32)
    part_ptr, indptr, found = sub_records(ptr, items, chunk_of, 4)
    rows = [found[a:b].tolist() for a, b in itertools.pairwise(indptr)]
    held = [[sorted(i for i, c in record.items() if c == chunk) for record in records] for chunk in range(4)]
    assert [rows[a:b] for a, b in itertools.pairwise(part_ptr)] == [list(filter(None, parts)) for parts in held]


@pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")  # random bits wrap, without JIT too
def test_space_and_places_leave_out_what_is_inside():
    owner = np.array([0, 0, 0, 1], np.int32)
    ptr, low, high = free_space(owner, np.array([0, 2, 3, 0]), np.array([10, 5, 4, 3]))
    spaces = [list(zip(low[a:b], high[a:b], strict=True)) for a, b in itertools.pairwise(ptr)]
    assert spaces == [[(0, 2), (5, 10)], [(2, 3), (4, 5)], [(3, 4)], [(0, 3)]]
    for seed in range(20):
        part_ptr = np.array([0, 3, 5, 7, 10])
        chosen = draw_places(part_ptr, ptr, low, high, 10, seed)
        assert set(chosen[:3]) <= {0, 1, 5, 6, 7, 8, 9}
        assert len(set(chosen[:3])) == 3
        assert set(chosen[3:5]) == {2, 4}
        assert sorted(chosen[5:7]) == [-1, 3]
        assert set(chosen[7:]) == {0, 1, 2}


@given(ROWS)
def test_pairs_are_counted(rows):
    chosen = "acef"
    baskets = Baskets.of([["abcdef"[item] for item in row] for row in rows])
    matrix = baskets.pair_supports(np.array([item in chosen for item in baskets.items], np.bool_))
    known = [item for item in baskets.items if item in chosen]
    truth = [[sum({a, b} <= {"abcdef"[item] for item in row} for row in rows) for b in known] for a in known]
    assert matrix.tolist() == truth
