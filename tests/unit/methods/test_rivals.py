"""PermMondrian, Anatomy and CAHD's options as methods."""

import numpy as np
import pytest

import covey
from covey.methods.perm_mondrian import PermMondrian
from covey.verify import check_release


@pytest.fixture(scope="module")
def clustered():
    """Two kinds of customers; sensitive items go with one item each."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(2_000):
        taste = i % 4
        row = {f"{taste}-{j}" for j in rng.integers(0, 10, 4)}
        if rng.random() < 0.05:
            row |= {f"secret{taste % 2}"}
        rows.append(row)
    return covey.Baskets.of(rows, sensitive=["secret0", "secret1"])


def test_perm_mondrian_keeps_the_degree_and_beats_anatomy(clustered):
    from covey.measure.kl import kl

    release = covey.anonymize(clustered, "degree(p=8)", PermMondrian(seed=1))
    random = covey.anonymize(clustered, "degree(p=8)", "anatomy", seed=1)
    errors = [kl(r, clustered, queries=200, workload="support").mean for r in (release, random)]
    assert errors[0] < 0.8 * errors[1]


def test_a_divided_group_counts_each_item_once_where_that_is_possible(clustered):
    release = covey.anonymize(clustered, "degree(p=8)", "perm-mondrian(merge=false)", seed=1)
    assert (release.count == 1).mean() > 0.9


def test_gray_order_keeps_the_degree_and_is_stated(clustered):
    release = covey.anonymize(clustered, "degree(p=8)", "cahd(order=gray)", seed=1)
    assert release.options["order"] == "gray"
    assert check_release(covey.guarantee("degree(p=8)"), release).holds
