"""The kernels of PermMondrian and Anatomy against their slow twins."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covey.data.csr import transpose
from covey.methods.anatomy import random_groups, random_groups_within
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


@given(transactions(max_rows=40), st.integers(2, 4))
def test_splits_are_those_of_the_plain_algorithm(data, p):
    rows, hidden = data
    public, secret = parts_of(rows, hidden, p)
    group, count = split_groups(public.csr, transpose(*public.csr, public.d), secret.csr, secret.d, p)
    assert partition(group, count) == sorted(sorted(g) for g in oracle.perm_mondrian(rows, hidden, p, both=True))


@examples(30)
@given(transactions(max_rows=40), st.integers(2, 5))
def test_random_groups_are_those_of_the_plain_algorithm(data, p):
    rows, hidden = data
    _, secret = parts_of(rows, hidden, p)
    group, count = random_groups(secret.csr, secret.d, p)
    assert partition(group, count) == sorted(sorted(g) for g in oracle.anatomy(hidden, p))


@examples(30)
@given(transactions(max_rows=20), transactions(max_rows=20), st.integers(2, 3))
def test_groups_within_ranges_are_those_of_each_range_alone(first, second, p):
    for part in (first, second):
        assume(oracle.keeps(range(len(part[1])), part[1], p))
    rows, hidden = first[0] + second[0], first[1] + second[1]
    _, secret = parts_of(rows, hidden, p)
    ptr = np.array([0, len(first[0]), len(rows)])
    group, count = random_groups_within(ptr, secret.csr, secret.d, p)
    shifted = [[i + len(first[0]) for i in g] for g in oracle.anatomy(second[1], p)]
    assert partition(group, count) == sorted(sorted(g) for g in oracle.anatomy(first[1], p) + shifted)
