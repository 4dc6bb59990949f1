"""The kernels of band order and CAHD against their slow twins."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.guarantees.degree import Degree
from covey.methods.anatomy import shuffled_rows
from covey.methods.cahd import form_groups, place_rest
from covey.methods.nearest import Nearest
from covey.methods.ordering import band_order, by_gray_code
from covey.progress import silent
from oracles import cahd as oracle
from strategies import baskets_of, examples, transactions

pytestmark = pytest.mark.kernel


@given(transactions(secrets=False))
def test_band_order_is_that_of_the_explicit_graph(data):
    rows, _ = data
    assert band_order(Baskets.of(rows)).tolist() == oracle.band_order(rows)


@given(transactions(secrets=False))
def test_gray_order_is_that_of_the_codes(data):
    rows, _ = data
    baskets = Baskets.of(rows)
    frequent_first = sorted(baskets.items, key=lambda item: -sum(item in row for row in rows))
    assert by_gray_code(baskets).tolist() == oracle.gray_order(rows, frequent_first)


@given(transactions(), st.integers(2, 5))
def test_nearest_groups_are_those_of_the_plain_algorithm(data, p):
    rows, hidden = data
    held = {s: sum(s in h for h in hidden) for s in set().union(*hidden)}
    if not held or not set().union(*rows) or any(p * count > len(rows) for count in held.values()):
        return
    baskets = baskets_of(rows, hidden)
    made = Nearest(seed=3).groups(baskets, Degree(p=p), silent)
    ours = sorted(sorted(np.flatnonzero(made.group == g).tolist()) for g in range(made.number))
    expected = oracle.nearest(rows, hidden, p, shuffled_rows(len(rows), 3).tolist())
    assert ours == sorted(sorted(g) for g in expected)


def test_band_order_of_nothing():
    assert band_order(Baskets.of([])).tolist() == []
    assert sorted(band_order(Baskets.of([[], [], ["a"]])).tolist()) == [0, 1, 2]


@examples(30)
@given(transactions(), st.integers(2, 5), st.integers(1, 3))
def test_groups_are_those_of_the_plain_algorithm(data, p, alpha):
    rows, hidden = data
    held = {s: sum(s in h for h in hidden) for s in set().union(*hidden)}
    if not held or not set().union(*rows) or any(p * count > len(rows) for count in held.values()):
        return
    public, secret = baskets_of(rows, hidden).split()
    group, count, _ = form_groups(public.csr, public.d, secret.csr, secret.d, p, alpha)
    count = place_rest(group, count, public.csr, public.d, p, alpha)
    ours = sorted(sorted(np.flatnonzero(group == g).tolist()) for g in range(count))
    assert ours == sorted(sorted(g) for g in oracle.groups(rows, hidden, p, alpha))


def test_a_long_run_of_one_sensitive_item_stays_linear():
    # Without a limit on the scan every holder would walk over all the others: 4·10⁸ steps.
    n, p = (400 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 40_000), 2
    public = np.arange(n + 1), np.zeros(n, np.int32)
    secret = np.minimum(np.arange(n + 1), n // 2), np.zeros(n // 2, np.int32)
    group, count, _ = form_groups(public, 1, secret, 1, p, 3)
    count = place_rest(group, count, public, 1, p, 3)
    sizes = np.bincount(group, minlength=count)
    holders = np.bincount(group[: n // 2], minlength=count)
    assert (p * holders <= sizes).all()
    assert sizes.sum() == n


def test_a_row_of_70_000_items():
    wide = Baskets.of([[f"i{n}" for n in range(70_000)], ["i1"]])
    assert wide.lengths().tolist() == [70_000, 1]
    assert sorted(band_order(wide).tolist()) == [0, 1]
