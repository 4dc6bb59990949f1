from collections import Counter

import numpy as np
import pytest

from covey.synth import shop
from covey.synth.shop import ROOT, amounts, assemble, catalogue, taxonomy

DATA = catalogue()
SENSITIVE = DATA["sensitive"]
PAIRS = [
    ("pregnancy test", "folic acid"),
    ("lice treatment", "exercise books"),
    ("condoms", "red wine"),
    ("nicotine patches", "chewing gum"),
    ("incontinence pads", "denture cleaner"),
    ("flour", "baking powder"),
    ("cat food", "cat litter"),
]


@pytest.fixture(scope="module")
def made():
    return shop(seed=11)


@pytest.fixture(scope="module")
def large():
    return shop(transactions=60_000, seed=3)


def counts(baskets):
    return dict(zip(baskets.items, baskets.supports().tolist(), strict=True))


def lift(baskets, a, b):
    matrix = baskets.to_scipy().astype(np.int64).tocsc()
    one, other = (matrix[:, [baskets.items.index(name)]] for name in (a, b))
    return (one.T @ other).sum() * baskets.n / (one.sum() * other.sum())


def test_every_path_of_the_taxonomy_ends_at_the_shop(made):
    parent = dict(made.taxonomy)
    assert len(parent) == len(made.taxonomy)
    goods = parent.keys() - parent.values()
    assert set(made.baskets.items) <= goods
    assert {parent[parent[parent[good]]] for good in goods} == {ROOT}
    assert not any(set(name) & set(",;|\t\"'&<>\\/=") for name in parent)


def test_every_name_in_the_tables_exists():
    parent = dict(taxonomy())
    categories = {c for shelves in DATA["departments"].values() for c in shelves}
    goods = {name for name, above in parent.items() if above in categories}
    assert set(SENSITIVE) <= goods
    assert len(set(SENSITIVE)) == len(SENSITIVE)
    for profile in DATA["profiles"].values():
        assert set(amounts(profile["likes"])) <= goods | categories
    bundled = set()
    for occasion in DATA["occasions"].values():
        assert set(amounts(occasion["who"])) <= set(DATA["profiles"])
        assert set(amounts(occasion["goods"])) <= goods
        assert all(0 < chance < 1 for chance in amounts(occasion["goods"]).values())
        bundled |= set(amounts(occasion["goods"]))
    assert set(SENSITIVE) <= bundled
    assert sum(profile["share"] for profile in DATA["profiles"].values()) == pytest.approx(1)


def test_the_model_keeps_the_rates_of_the_occasions_and_sells_sensitive_goods_only_there():
    model = assemble()
    rates = [occasion["rate"] for occasion in DATA["occasions"].values()]
    np.testing.assert_allclose(model.shares @ model.rates, rates)
    assert (model.rates < 1).all()
    sensitive = [model.goods.index(name) for name in SENSITIVE]
    assert (model.popularity[:, sensitive] == 0).all()
    assert (model.popularity >= 0).all()


def test_sensitive_goods_are_marked_and_rare_enough_for_a_degree_of_20(made, large):
    for one in (made, large):
        assert one.sensitive == sorted(SENSITIVE) == one.baskets.sensitive_items()
        supports = counts(one.baskets)
        assert max(supports[name] for name in one.sensitive) <= one.baskets.n / 25
    supports = counts(made.baskets)
    assert sum(supports[name] >= 20 for name in made.sensitive) >= 20


def test_lengths_are_skewed(made):
    lengths = made.baskets.lengths()
    assert 8 <= lengths.mean() <= 10
    assert np.median(lengths) < lengths.mean()
    assert lengths.min() >= 1
    assert 30 <= lengths.max() <= 70


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_goods_that_belong_together_are_bought_together(large, a, b):
    assert lift(large.baskets, a, b) > 2


def test_profiles_bring_goods_together_and_others_are_independent(large):
    assert lift(large.baskets, "lice treatment", "red wine") < 1.5
    assert lift(large.baskets, "whole milk", "toilet paper") < 1.5
    # No occasion brings these together; only the kind of shopper does.
    assert lift(large.baskets, "nappies", "lice treatment") > 1.5
    assert lift(large.baskets, "herring", "incontinence pads") > 1.5
    assert lift(large.baskets, "tofu", "soy yogurt") > 3 * lift(large.baskets, "tofu", "cooked ham")


def test_small_shops_list_only_what_was_bought():
    for seed in range(20):
        one = shop(transactions=1, seed=seed)
        assert one.baskets.n == 1
        assert one.baskets.supports().tolist() == [1] * one.baskets.d
        assert one.sensitive == one.baskets.sensitive_items()
        assert len(one.sensitive) < one.baskets.d
    assert Counter(one.taxonomy) == Counter(taxonomy())


def test_customers_come_back_with_their_habits():
    made = shop(transactions=6_000, customers=500, seed=4).baskets
    assert 450 < made.persons <= 500
    visits = np.bincount(made.person)
    assert visits.max() > 5 * visits.mean()
    # two baskets of one customer share more than two of anybody
    matrix = made.to_scipy().astype(np.int64)
    order = np.lexsort((np.arange(made.n), made.person))
    same = made.person[order][1:] == made.person[order][:-1]
    shared = np.asarray(matrix[order][1:].multiply(matrix[order][:-1]).sum(axis=1)).ravel()
    anybody = np.random.default_rng(0).permutation(made.n)
    assert shared[same].mean() > 1.1 * matrix.multiply(matrix[anybody]).sum(axis=1).mean()
