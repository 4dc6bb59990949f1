"""Exchanges between groups: audited, repeatable, and without a change to any promise."""

import importlib

import numpy as np
import pytest

import covey
from covey.synth import shop

SWAPPING = importlib.import_module("covey.methods.swapping")


@pytest.fixture(scope="module", params=["transactions", "persons"])
def baskets(request):
    return shop(transactions=450, seed=3, customers=130 if request.param == "persons" else None).baskets


def made(data, method="matched", **options):
    return covey.anonymize(data, "degree(p=5)", method, seed=1, **options)


def profile(release):
    """Sizes and counts of all groups, whatever their numbers are."""
    told = [[int(size)] for size in release.group_sizes()]
    for g, item, count in zip(release.count_group, release.count_item, release.count, strict=True):
        told[g] += [int(item), int(count)]
    if release.group_persons is not None:
        for g, persons in enumerate(release.group_persons):
            told[g].append(int(persons))
    return sorted(told)


def test_groups_keep_their_sizes_and_counts(baskets, monkeypatch):
    monkeypatch.setattr(SWAPPING, "ALLOWED", 1.0)
    plain, swapped = made(baskets), made(baskets, swaps=True)
    assert profile(swapped) == profile(plain)
    assert swapped.transactions != plain.transactions
    assert made(baskets, swaps=True).transactions == swapped.transactions


def test_exchanges_are_made_as_boldly_as_the_attack_allows(monkeypatch):
    data = shop(transactions=450, seed=3).baskets
    asked, finds = [], iter([0.2, 0.3, 0.25, 0.22])  # before, and after the first three steps

    def exchanged(group, *_, few, way):
        asked.append((few, way))
        return group

    monkeypatch.setattr(SWAPPING, "exchanged", exchanged)
    monkeypatch.setattr(SWAPPING, "grey_finds", lambda *_: next(finds))
    assert made(data, "nearest", swaps=True).made.notes == ()
    assert asked == list(SWAPPING.STEPS[:3])


def test_exchanges_that_help_the_attacker_are_undone_and_said(baskets, monkeypatch):
    monkeypatch.setattr(SWAPPING, "ALLOWED", -1.0)
    monkeypatch.setattr(SWAPPING, "STEPS", SWAPPING.STEPS[-1:])
    plain, undone = made(baskets), made(baskets, swaps=True)
    assert undone.made.notes == ("swaps",)
    assert undone.transactions == plain.transactions


@pytest.mark.parametrize("few", [2, 5])
@pytest.mark.parametrize("holders", [1, 4, 5])
def test_what_few_holders_have_is_not_fitted(holders, few):
    # Two groups of ten, the first with the holders; "odd" goes with them, and nobody else in their group has it.
    rows = [["odd", "s"]] * holders + [["x"]] * (10 - holders) + [["odd"]] * 10
    public, secret = covey.Baskets.of(rows, sensitive=["s"]).split()
    group = np.repeat([0, 1], 10)
    after = SWAPPING.exchanged(group, 2, public, secret, np.zeros((20, 1)), np.zeros(20, np.int64), 0, few=few, way=1.0)
    assert (after != group).any() == (holders >= few)


@pytest.mark.parametrize("few", [2, 5])
def test_what_no_holder_has_leaves_their_groups_unless_they_are_few(few):
    rows = [["bread", "s"]] * 4 + [["bread", "odd"]] * 6 + [["bread"]] * 10
    public, secret = covey.Baskets.of(rows, sensitive=["s"]).split()
    group = np.repeat([0, 1], 10)
    after = SWAPPING.exchanged(group, 2, public, secret, np.zeros((20, 1)), np.zeros(20, np.int64), 0, few=few, way=1.0)
    odd = np.arange(20)[4:10]
    assert (after[odd] == 0).all() == (few > 4)
    assert np.array_equal(np.bincount(after), [10, 10])
