"""The published order is a uniform permutation, drawn from the seed or, without one, from the system's entropy.

Four rows have 24 orders, or 8 where they stay in two groups of two. For 2,400 fixed seeds each order must come up
about equally often. The bound on chi-square is its quantile of 1 - 1e-6, so a correct shuffle with other seeds would
fail one of these six tests once in 170,000 times.
"""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

import covey
from covey.methods.anatomy import shuffled_rows
from covey.release.base import Statement
from covey.release.chunking import shuffled
from covey.release.grouping import grouped
from covey.release.ratings import ratings
from covey.release.records import records
from covey.release.sets import sets
from covey.release.table import table

SEEDS, FALSE_ALARM = 2400, 1e-6
MADE = Statement(guarantee="k-anonymity(k=1)", method="pattern-ka", options={}, notes=())


def _names(n):
    return [f"{number:03}" for number in range(n)]


def _baskets(n):
    return covey.Baskets.of([[name] for name in _names(n)])


def _alone(baskets):
    """The one item of each row."""
    return [baskets.items[item] for item in baskets.indices]


def order_of_sets(n, seed):
    return _alone(sets(_baskets(n), made=MADE, seed=seed, recoded="suppressed").transactions)


def order_of_table(n, seed):
    made = table(covey.Table.of({"name": _names(n)}, other=["name"]), np.arange(n), n, made=MADE, seed=seed)
    return [made.columns[0].labels[code] for code in made.columns[0].codes]


def order_of_records(n, seed):
    people = covey.Table.of({"name": _names(n)}, other=["name"])
    made = records(people, _baskets(n), np.arange(n), n, made=MADE, seed=seed)
    column = made.attributes.columns[0]
    assert [column.labels[code] for code in column.codes] == _alone(made.baskets)
    return _alone(made.baskets)


def order_of_ratings(n, seed):
    data = covey.Ratings.of([[number] for number in range(n)], issues=["films"], scale=f"0:{n}")
    made = ratings(data, np.arange(n), np.ones(n, np.bool_), made=MADE, seed=seed)
    assert list(made.ratings.users) == [str(number + 1) for number in range(n)]
    return [f"{code:03}" for code in made.ratings.scale.decode(made.ratings.codes).astype(int)]


def order_of_clusters(n, seed):
    new = shuffled(n, np.arange(n), np.arange(n), np.random.default_rng(seed))
    return [f"{number:03}" for number in new]


def order_of_groups(n, seed):
    """Rows 0 and 1 are one group, rows 2 and 3 another, and so on."""
    return _alone(grouped(_baskets(n), np.arange(n) // 2, n // 2, made=MADE, seed=seed).transactions)


ORDERS = [order_of_sets, order_of_table, order_of_records, order_of_ratings, order_of_clusters, order_of_groups]


@pytest.mark.parametrize("order_of", ORDERS)
def test_every_order_is_equally_likely(order_of):
    possible = {"".join(order) for order in permutations(_names(4))}
    if order_of is order_of_groups:
        possible = {order for order in possible if {order[:3], order[3:6]} in ({"000", "001"}, {"002", "003"})}
    found = Counter("".join(order_of(4, seed)) for seed in range(SEEDS))
    assert set(found) <= possible
    expected = SEEDS / len(possible)
    distance = sum((found[order] - expected) ** 2 / expected for order in possible)
    assert distance < chi2.ppf(1 - FALSE_ALARM, len(possible) - 1)


@pytest.mark.parametrize("order_of", ORDERS)
def test_the_seed_or_the_system_decides(order_of):
    assert order_of(100, 7) == order_of(100, 7) != order_of(100, 8)
    assert order_of(100, None) != order_of(100, None)  # equal once in 50! times, or less often


def test_a_method_does_not_shuffle_as_the_publication_does():
    """Else rows that a method takes in its random order would be published in that order."""
    assert list(shuffled_rows(100, 7)) != list(np.random.default_rng(7).permutation(100))
