"""The kernels of PermMondrian, Anatomy and exact degrees against their slow twins."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covey import Baskets
from covey.data.csr import transpose
from covey.methods.anatomy import random_groups, random_groups_within
from covey.methods.cahd import FOREIGN, choose_by_coverage, rank_by_overlap
from covey.methods.ordering import exact_degrees
from covey.methods.perm_mondrian import split_groups
from oracles import rivals as oracle
from strategies import baskets_of, examples, transactions

pytestmark = pytest.mark.kernel


def parts_of(rows, hidden, p):
    held = {s: sum(s in h for h in hidden) for s in set().union(*hidden)}
    assume(held and set().union(*rows) and all(p * count <= len(rows) for count in held.values()))
    return baskets_of(rows, hidden).split()


def partition(group, count):
    return sorted(np.flatnonzero(group == g).tolist() for g in range(count))


@given(transactions(max_rows=40), st.integers(2, 4), st.booleans())
def test_splits_are_those_of_the_plain_algorithm(data, p, both):
    rows, hidden = data
    public, secret = parts_of(rows, hidden, p)
    group, count = split_groups(
        public.indptr,
        public.indices,
        *transpose(public.indptr, public.indices, public.d),
        secret.indptr,
        secret.indices,
        secret.d,
        p,
        both,
    )
    assert partition(group, count) == sorted(sorted(g) for g in oracle.perm_mondrian(rows, hidden, p, both))


@examples(30)
@given(transactions(max_rows=40), st.integers(2, 5))
def test_random_groups_are_those_of_the_plain_algorithm(data, p):
    rows, hidden = data
    _, secret = parts_of(rows, hidden, p)
    group, count = random_groups(secret.indptr, secret.indices, secret.d, p)
    assert partition(group, count) == sorted(sorted(g) for g in oracle.anatomy(hidden, p))


@examples(30)
@given(transactions(max_rows=20), transactions(max_rows=20), st.integers(2, 3))
def test_groups_within_ranges_are_those_of_each_range_alone(first, second, p):
    for part in (first, second):
        assume(oracle.keeps(range(len(part[1])), part[1], p))
    rows, hidden = first[0] + second[0], first[1] + second[1]
    _, secret = parts_of(rows, hidden, p)
    ptr = np.array([0, len(first[0]), len(rows)])
    group, count = random_groups_within(ptr, secret.indptr, secret.indices, secret.d, p)
    shifted = [[i + len(first[0]) for i in g] for g in oracle.anatomy(second[1], p)]
    assert partition(group, count) == sorted(sorted(g) for g in oracle.anatomy(first[1], p) + shifted)


@given(transactions(secrets=False))
def test_exact_degrees_count_the_neighbours(data):
    rows, _ = data
    made = Baskets.of(rows)
    degrees = exact_degrees(made.indptr, made.indices, *transpose(made.indptr, made.indices, made.d))
    assert degrees.tolist() == [sum(bool(a & b) for j, b in enumerate(rows) if j != i) for i, a in enumerate(rows)]


@given(transactions(secrets=False, max_rows=12), st.data())
def test_candidates_by_jaccard_come_in_order(data, draw):
    rows, _ = data
    made = Baskets.of(rows)
    t = draw.draw(st.integers(0, len(rows) - 1))
    others = np.array([i for i in range(len(rows)) if i != t], np.int64)
    found = others.copy()
    marked, keys = np.full(max(made.d, 1), -1), np.empty(len(rows), np.int64)
    rank_by_overlap(t, made.indptr, made.indices, marked, t, True, found, keys)

    def order(u):
        union = len(rows[t] | rows[u])
        share = len(rows[t] & rows[u]) / union if union else 0.0
        return (-share, abs(u - t), u > t)

    assert found.tolist() == sorted(others.tolist(), key=order)


@given(transactions(secrets=False, max_rows=12), st.integers(1, 5), st.data())
def test_coverage_always_takes_a_row_that_adds_most(data, wanted, draw):
    rows, _ = data
    made = Baskets.of(rows)
    t = draw.draw(st.integers(0, len(rows) - 1))
    found = np.array([i for i in range(len(rows)) if i != t], np.int64)
    cover = np.zeros(max(made.d, 1), np.int64)
    choose_by_coverage(t, made.indptr, made.indices, cover, wanted, found)
    assert not cover.any()
    assert sorted([*found.tolist(), t]) == list(range(len(rows)))
    held = dict.fromkeys(rows[t], 1)

    def gain(u):
        return sum(math.log((held[j] + 1) / held[j]) if j in held else -FOREIGN for j in rows[u])

    for pick in range(min(wanted, len(found))):
        assert gain(found[pick]) >= max(gain(u) for u in found[pick:]) - 1e-9
        for j in rows[found[pick]] & rows[t]:
            held[j] += 1
