"""Searches that are too large: announced, ended, and said to be cut short."""

import numpy as np
import pytest

import covey
from covey.errors import LargeSearch
from covey.methods.effort import STEPS, Effort, announce
from covey.methods.mhghs import MHgHs
from covey.methods.tree_view import TreeView

PROMISE = "km-anonymity(k=5, m=4)"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return covey.Baskets.of([[str(item) for item in rng.choice(40, 12, replace=False)] for _ in range(300)])


def test_large_searches_are_announced_with_what_would_help():
    with pytest.warns(
        LargeSearch, match=r"of up to 30 items hold 1.1e\+11 sets of up to 10.*A smaller m helps"
    ) as told:
        announce(np.full(2000, 30), 10)
    assert told[0].message.longest == 30
    with pytest.warns(LargeSearch, match="of up to 200,000 items"):
        announce(np.array([200_000, 3]), 2)
    announce(np.full(2000, 30), 3)  # nothing to say


def test_what_a_search_takes_grows_and_ends_it(data):
    view, told = TreeView.of(data, None), []
    effort = Effort(20_000, lambda _, done: told.append(done))
    found, cut_short = MHgHs().search(view, 5, 4, effort=effort)
    assert effort.used_up
    assert cut_short
    assert told == sorted(told)
    assert len(told) > 3
    whole = Effort(60 * STEPS)
    better, _ = MHgHs().search(view, 5, 4, effort=whole)
    assert not whole.used_up
    assert better.cost <= found.cost


def test_a_release_that_was_cut_short_holds(data):
    release = covey.anonymize(data, PROMISE, "mhghs", seed=0, effort=1)
    assert covey.check(release, PROMISE).holds
