"""What two releases tell together: against the plain intersection, on every kind, and less of it with --like."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import covey
import covey.io
from covey.errors import InputError, ParameterError
from covey.measure.attacks.composition import company_of, compose, earlier_homes, same_people
from covey.registry import methods
from covey.release.base import Statement
from covey.release.grouping import grouped
from covey.synth import survey
from oracles import composition as oracle
from releases import few

MADE = Statement(guarantee="degree(p=2)", method="cahd")


def in_groups(data, group):
    used, group = np.unique(group, return_inverse=True)
    return grouped(data, group.reshape(-1), len(used), made=MADE, seed=0)


def as_lists(release):
    """A release as the oracle takes it."""
    groups = []
    for g in range(release.groups):
        rows = range(*release.group_ptr[g : g + 2])
        of_group = np.flatnonzero(release.count_group == g)
        counts = {release.sensitive_items[release.count_item[c]]: int(release.count[c]) for c in of_group}
        groups.append(([frozenset(release.transactions.basket(row)) for row in rows], counts))
    return groups


@few
@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from("abc")), st.booleans(), st.integers(0, 2), st.integers(0, 2)),
        min_size=3,
        max_size=14,
    )
)
def test_holders_are_named_by_what_both_releases_say(people):
    assume(any(holds for _, holds, _, _ in people))
    data = covey.Baskets.of([["z", *items, *("s" * holds)] for items, holds, _, _ in people], sensitive=["s"])
    mine, theirs = (in_groups(data, np.array([row[at] for row in people])) for at in (2, 3))
    found = {result.attack: result for result in compose(mine, data, theirs)}
    baskets = [frozenset({"z", *items}) for items, _, _, _ in people]
    first, second = ([oracle.share(as_lists(one), basket, "s") for basket in baskets] for one in (mine, theirs))
    holds = [held for _, held, _, _ in people]
    right = oracle.named(first, second, holds) / sum(holds)
    assert found["composition"].success_rate == pytest.approx(right)
    assert company_of(mine, data).share["s"] == pytest.approx(first)


@few
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=14))
def test_company_is_who_is_in_the_same_two_groups(places):
    data = covey.Baskets.of([[f"own{i}"] for i in range(len(places))] + [["s"]], sensitive=["s"])
    mine, theirs = (in_groups(data, np.array([place[at] for place in places] + [3])) for at in (0, 1))
    left = oracle.left([a for a, _ in places] + [3], [b for _, b in places] + [3])
    found = compose(mine, data, theirs)[0]
    assert found.success_rate == pytest.approx(np.mean([1 / x for x in left]))
    assert found.details["left_alone"] == pytest.approx(left.count(1) / len(left))


def visits(names, seed, every=40):
    """A visit of each customer with items of their own choice; always the same ones hold the item."""
    rng = np.random.default_rng(seed)
    rows = [{f"own{name}"} | {f"i{j}" for j in rng.integers(0, 40, 3)} for name in names]
    rows = [row | {"s"} if name % every == 0 else row for name, row in zip(names, rows, strict=True)]
    return covey.Baskets.of(rows, sensitive=["s"], persons=names)


def test_people_are_found_again_by_name_and_what_they_hide_by_both():
    june, july = visits(list(range(1000)), 1), visits(list(range(200, 1200)), 2)
    again = same_people(july, june)
    assert again.tolist() == [*range(200, 1000), *[-1] * 200]
    first = covey.anonymize(june, "degree(p=5)", "anatomy", seed=1)
    plain = covey.anonymize(july, "degree(p=5)", "anatomy", seed=2)
    kept = covey.anonymize(july, "degree(p=5)", "anatomy", seed=2, like=first)
    freely, together = (compose(first, june, second, july)[1] for second in (plain, kept))
    assert freely.details["people_in_both"] == 800
    assert freely.success_rate > 0.6
    assert together.success_rate < 0.3
    assert together.chance == pytest.approx(freely.chance)


def test_an_item_that_the_other_release_publishes_is_no_secret():
    data = visits(list(range(200)), 1)
    first = covey.anonymize(data, "degree(p=5)", "anatomy", seed=1)
    other = data.with_sensitive(["i1"])
    second = covey.anonymize(other, "degree(p=5)", "anatomy", seed=1)
    assert compose(first, data, second, other)[1].success_rate == 1.0


def people(n=120):
    rng = np.random.default_rng(0)
    return covey.Table.of(
        {"age": rng.integers(20, 60, n).tolist(), "ill": rng.choice(["flu", "gout", "cold"], n).tolist()},
        sensitive=["ill"],
    )


def test_tables_sets_and_records_are_intersected_by_their_classes():
    table = people()
    one, two = (covey.anonymize(table, f"k-anonymity(k={k})", "mondrian", seed=0) for k in (4, 7))
    company, values = compose(one, table, two)
    assert company.success_rate >= company.chance
    shares = company_of(one, table).share
    assert np.sum(list(shares.values()), axis=0) == pytest.approx(1.0)
    # The same release twice tells nothing more.
    assert compose(one, table, one)[1].success_rate == pytest.approx(values.chance)
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 8, 3)} for _ in range(120)]
    baskets = covey.Baskets.of(rows)
    dropped = covey.anonymize(baskets, "k-anonymity(k=4)", "pattern-ka", seed=0)
    recoded = covey.anonymize(baskets, "km-anonymity(k=4, m=2)", "mm", seed=0)
    published = sorted(zip(*np.unique(company_of(recoded, baskets).home, return_counts=True), strict=True))
    assert [count for _, count in published] == company_of(recoded, baskets).size.tolist()
    assert compose(dropped, baskets, recoded)[0].success_rate >= compose(dropped, baskets, dropped)[0].success_rate
    records = covey.Records(table.with_sensitive([]), baskets)
    release = covey.anonymize(records, "k-km-anonymity(k=4, m=1)", seed=0)
    found = compose(release, records, release)[0]
    assert found.details["left_alone"] == 0


def test_what_has_no_company_or_no_names_is_refused():
    ratings = survey(respondents=60, issues=5, profiles=3, seed=1)
    release = covey.anonymize(ratings, "k-eps-l(k=2, epsilon=1)", seed=0)
    with pytest.raises(ParameterError, match="no groups or classes"):
        compose(release, ratings, release)
    june = visits(list(range(100)), 1)
    nameless = covey.Baskets.of([["a"], ["b"]])
    with pytest.raises(ParameterError, match="--person"):
        same_people(june, nameless)
    with pytest.raises(InputError, match="nobody is in both"):
        same_people(june, visits(list(range(200, 300)), 1))
    with pytest.raises(ParameterError, match="cannot keep people in their earlier groups"):
        covey.anonymize(june.with_sensitive([]), "k-anonymity(k=4)", "pattern-ka", like=release)
    whole = covey.anonymize(june, "degree(p=5)", seed=0)
    assert (earlier_homes(june, whole) >= 0).all()


@pytest.mark.parametrize("name", [entry.name for entry in methods(guarantee="l-diversity")])
def test_people_of_two_tables_stay_together(name):
    rng = np.random.default_rng(0)
    rows = {"age": rng.integers(20, 60, 500), "zip": rng.integers(0, 40, 500), "ill": rng.choice(list("abcdef"), 500)}
    june, july = (
        covey.Table.of({c: v[part].tolist() for c, v in rows.items()}, sensitive=["ill"],
                       persons=[f"p{i}" for i in range(500)[part]])
        for part in (slice(0, 440), slice(60, 500))
    )  # fmt: skip
    first = covey.anonymize(june, "l-diversity(l=2, k=5)", name, seed=1)
    plain = covey.anonymize(july, "l-diversity(l=2, k=5)", name, seed=2)
    kept = covey.anonymize(july, "l-diversity(l=2, k=5)", name, seed=2, like=first)
    freely, together = (compose(first, june, second, july) for second in (plain, kept))
    assert together[0].success_rate < 0.8 * freely[0].success_rate
    for without, having in zip(freely, together, strict=True):  # beyond what one release gives away
        assert having.success_rate - having.chance < 0.5 * (without.success_rate - without.chance)
