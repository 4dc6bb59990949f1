"""mhghs loses no more than aa and mm, over a grid of k and m."""

import itertools

import numpy as np
import pytest

import covey
from covey.data import Taxonomy
from covey.errors import ParameterError
from covey.measure.loss import lm
from covey.methods import aa
from covey.synth import shop
from covey.verify import check_release


def made_shop():
    made = shop(transactions=150, seed=3)
    return made.baskets.with_sensitive([]), Taxonomy.from_pairs(made.taxonomy)


def made_queries():
    paths = [[f"n{i:03d}", f"g{i // 5}", f"h{i // 25}"] for i in range(150)]
    rng = np.random.default_rng(2)
    share = 1 / (1.0 + rng.permutation(150))
    rows = [rng.choice(150, 1 + rng.poisson(2), replace=False, p=share / share.sum()) for _ in range(300)]
    return covey.Baskets.of([[f"n{i:03d}" for i in row] for row in rows]), Taxonomy.from_paths(paths)


def assert_least_loss(data, tree, k, m):
    promise = f"km-anonymity(k={k}, m={m})"
    loss = {
        name: lm(covey.anonymize(data, promise, name, taxonomy=tree, seed=1), data, tree)
        for name in ("mhghs", "aa", "mm")
    }
    assert loss["mhghs"] <= min(loss["aa"], loss["mm"]) + 1e-9, (promise, loss)


@pytest.mark.parametrize("make", [made_shop, made_queries])
def test_on_generated_data(make):
    data, tree = make()
    for k, m in itertools.product((2, 3, 5, 10, 25), (1, 2, 3, 7)):
        assert_least_loss(data, tree, k, m)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 5, 10, 20, 50])
def test_on_groceries(data_dir, k):
    data = covey.read(data_dir / "groceries.dat.gz")
    tree = covey.read_taxonomy(data_dir / "groceries.taxonomy.csv")
    for m in range(1, 8):
        assert_least_loss(data, tree, k, m)


def test_aa_says_what_to_lower_when_rare_sets_are_too_many(monkeypatch):
    data, tree = made_queries()
    monkeypatch.setattr(aa, "MEMBERS", 0)
    with pytest.raises(ParameterError, match=r"Lower m of the guarantee to 1, use mhghs"):
        covey.anonymize(data, "km-anonymity(k=5, m=2)", "aa", taxonomy=tree)
    release = covey.anonymize(data, "km-anonymity(k=5, m=2)", "mhghs", taxonomy=tree)
    assert check_release(covey.guarantee("km-anonymity(k=5, m=2)"), release).holds
