from collections import Counter

import numpy as np
import pytest

from covey.errors import ParameterError
from covey.synth import Shop, shop
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


def test_the_same_seed_gives_the_same_shop_and_another_seed_does_not(made):
    again = shop(seed=11)
    assert isinstance(again, Shop)
    assert again.baskets == made.baskets
    assert (again.taxonomy, again.sensitive) == (made.taxonomy, made.sensitive)
    assert shop(seed=12).baskets != made.baskets
    assert shop(transactions=100).baskets != shop(transactions=100).baskets


def test_a_longer_run_begins_with_a_shorter_one(monkeypatch):
    short = shop(transactions=300, seed=5).baskets
    monkeypatch.setitem(shop.__globals__, "CHUNK", 64)
    long = shop(transactions=1_000, seed=5).baskets
    assert [short.basket(i) for i in range(300)] == [long.basket(i) for i in range(300)]


def test_more_entries_than_guessed_are_taken_in(monkeypatch):
    usual = shop(transactions=300, seed=5).baskets
    monkeypatch.setitem(shop.__globals__, "CHUNK", 1)
    assert shop(transactions=300, seed=5).baskets == usual


def test_names_occur_once_in_the_taxonomy_and_every_path_ends_at_the_shop(made):
    children = [child for child, _ in made.taxonomy]
    assert len(set(children)) == len(children)
    assert ROOT not in children
    parent = dict(made.taxonomy)
    inner = set(parent.values())
    goods = [child for child in children if child not in inner]
    assert 240 <= len(goods) <= 300
    assert set(made.baskets.items) <= set(goods)
    for good in goods:
        category = parent[good]
        department = parent[category]
        assert parent[department] == ROOT
    assert 30 <= len({parent[good] for good in goods}) <= 45
    assert sum(above == ROOT for above in parent.values()) in range(9, 13)


def test_labels_survive_separators_and_shells(made):
    for name in dict(made.taxonomy):
        assert name == name.strip().lower()
        assert not set(name) & set(",;|\t\"'&<>\\/=")


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


def test_goods_that_do_not_belong_together_are_not(large):
    assert lift(large.baskets, "lice treatment", "red wine") < 1.5
    assert lift(large.baskets, "whole milk", "toilet paper") < 1.5


def test_profiles_show(large):
    # No occasion brings these together; only the kind of shopper does.
    assert lift(large.baskets, "nappies", "lice treatment") > 1.5
    assert lift(large.baskets, "cat food", "dog food") > 1.5
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transactions": 0}, "The 'transactions' parameter of shop must be an integer >= 1. Got 0 instead."),
        ({"customers": 0}, "The 'customers' parameter of shop must be an integer >= 1. Got 0 instead."),
        ({"seed": -3}, "The 'seed' parameter of shop must be an integer >= 0. Got -3 instead."),
    ],
)
def test_a_bad_parameter_is_named_with_what_would_work(options, message):
    with pytest.raises(ParameterError) as error:
        shop(**options)
    assert str(error.value) == message


def test_customers_come_back_with_their_habits():
    made = shop(transactions=6_000, customers=500, seed=4).baskets
    assert 450 < made.persons <= 500
    visits = np.bincount(made.person)
    assert visits.max() > 5 * visits.mean()
    again = shop(transactions=6_000, customers=500, seed=4).baskets
    assert made == again
    # two baskets of one customer share more than two of anybody
    matrix = made.to_scipy().astype(np.int64)
    order = np.lexsort((np.arange(made.n), made.person))
    same = made.person[order][1:] == made.person[order][:-1]
    shared = np.asarray(matrix[order][1:].multiply(matrix[order][:-1]).sum(axis=1)).ravel()
    anybody = np.random.default_rng(0).permutation(made.n)
    assert shared[same].mean() > 1.1 * matrix.multiply(matrix[anybody]).sum(axis=1).mean()
