"""Honest releases that count persons are accepted, whatever the data is like; others are found out."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import covey
from covey.release.base import Statement
from covey.release.grouping import grouped
from covey.verify import check_release, compare
from oracles import persons as oracle
from strategies import baskets_of, examples, table_of, table_rows, transactions
from traces import with_trace_of

METHODS = ["cahd", "perm-mondrian", "anatomy"]


@st.composite
def visits(draw):
    """Baskets with persons; few items, so that many transactions have twins, in other groups and of other persons."""
    rows, hidden = draw(transactions(max_rows=24))
    data = baskets_of(rows, hidden)
    assume(data.sensitive.any())
    whole = [row | secret for row, secret in zip(rows, hidden, strict=True)]
    persons = draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    assume(len(set(persons)) > 1)
    return covey.Baskets.of(whole, sensitive=data.sensitive_items(), persons=persons), hidden, persons


@given(visits(), st.sampled_from(METHODS), st.integers(2, 4), st.integers(0, 9))
@examples(60)
def test_honest_groups_are_accepted(case, method, p, seed):
    data, _, _ = case
    assume(all(p * secret.holders <= data.persons for secret in data.summary().secrets))
    release = covey.anonymize(data, f"degree(p={p})", method, seed=seed)
    failed = [check for check in compare(release, data) if not check.passed]
    # so few rows may well stand in the original's order by chance
    assert [check for check in failed if "order" not in check.name] == []


@given(visits(), st.data(), st.integers(2, 4))
def test_the_checker_agrees_with_the_definition(case, draws, p):
    """Any groups of whole persons, whether they keep a degree or not."""
    data, hidden, persons = case
    home = {person: draws.draw(st.integers(0, 2)) for person in sorted(set(persons))}
    group = np.array([home[person] for person in persons])
    _, group = np.unique(group, return_inverse=True)
    made = Statement(guarantee="degree(p=2)", method="cahd")
    release = grouped(data, group, int(group.max()) + 1, made=made, seed=0)
    members = [[(persons[i], hidden[i]) for i in np.flatnonzero(group == g)] for g in range(int(group.max()) + 1)]
    lowest = oracle.degree(members)
    verdict = check_release(covey.guarantee(f"degree(p={p})"), release)
    assert verdict.holds == (lowest is None or lowest >= p)
    failed = [check for check in compare(release, data) if not check.passed and "order" not in check.name]
    assert failed == []


def faithful(release, data):
    return all(check.passed for check in compare(release, data))


@given(visits(), st.data())
def test_a_number_that_is_changed_is_found_where_everybody_is(case, draws):
    """Where each transaction has an item of its own, no number of persons can be another."""
    data, _, persons = case
    rows = [[*data.basket(i), f"own{i:02}"] for i in range(data.n)]
    data = covey.Baskets.of(rows, sensitive=data.sensitive_items(), persons=persons)
    home = {person: draws.draw(st.integers(0, 2)) for person in sorted(set(persons))}
    _, group = np.unique([home[person] for person in persons], return_inverse=True)
    made = Statement(guarantee="degree(p=2)", method="cahd")
    release = grouped(data, group, int(group.max()) + 1, made=made, seed=0)
    numbers = release.group_persons.copy()
    numbers[draws.draw(st.integers(0, len(numbers) - 1))] += draws.draw(st.sampled_from([-2, -1, 1, 2]))
    assert not faithful(with_trace_of(replace(release, group_persons=numbers), release), data)
    for name in ("count", "totals"):
        held = getattr(release, name).copy()
        if len(held):
            held[draws.draw(st.integers(0, len(held) - 1))] += draws.draw(st.sampled_from([-1, 1]))
            assert not faithful(with_trace_of(replace(release, **{name: held}), release), data)


@given(
    table_rows(min_rows=4),
    st.data(),
    st.sampled_from(["mondrian", "hilbert", "pattern-ka"]),
    st.integers(2, 3),
)
@examples(40)
def test_honest_tables_are_accepted(rows, draws, method, k):
    persons = draws.draw(st.lists(st.integers(0, 7), min_size=len(rows), max_size=len(rows)))
    assume(len(set(persons)) >= k)
    secrets = draws.draw(st.lists(st.sampled_from("abcd"), min_size=len(rows), max_size=len(rows)))
    data = replace(table_of(rows, secrets), person=covey.Baskets.of([["x"]] * len(rows), persons=persons).person)
    for text in (
        f"k-anonymity(k={k})",
        f"l-diversity(l=2, k={k})",
        f"l-diversity(l=2, k={k}, kind=frequency)",
    ):
        try:
            release = covey.anonymize(data, text, method, seed=1)
        except covey.Infeasible:
            continue
        failed = [check for check in compare(release, data) if not check.passed]
        assert [check for check in failed if "order" not in check.name] == []
