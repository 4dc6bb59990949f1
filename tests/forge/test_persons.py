"""Releases that count persons, and state of them what is not so, or in which one person fills a group."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.guarantees.degree import Degree
from covey.release.base import Statement
from covey.release.grouping import grouped
from covey.release.store import save
from covey.release.trace import trace_of
from covey.verify import check_release
from forge.tools import Forged, accepted, column, copied, found_by_the_original, refused, verdicts
from oracles import persons as oracle

SECRETS = ["pregnancy test", "viagra"]
ONCE = 10


def visits():
    """Rows with an item of their own, so that everybody can be recognised, of 60 persons with one to four each.

    `ONCE` has four rows, one of them with something sensitive; every other holder has it in every row.
    """
    drawn = random.Random(3)
    rows, names = [], []
    for person in range(60):
        for visit in range(4 if person == ONCE else drawn.randrange(1, 5)):
            row = [item for item in ("ale", "beer", "bread", "tea") if drawn.random() < 0.4]
            row.append(f"own {len(rows):03}")
            if person % 10 == 0 and (person != ONCE or visit == 0):
                row.append(SECRETS[person % 20 // 10])
            rows.append(row)
            names.append(person)
    return rows, names


@pytest.fixture(scope="module")
def data():
    rows, names = visits()
    return covey.Baskets.of(rows, sensitive=SECRETS, persons=names)


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("persons") / "release"
    covey.publish(data, folder, "degree(p=4)", seed=5)
    return Forged(folder, data, kind="grouped")


@pytest.fixture
def release(made, tmp_path):
    return copied(made, tmp_path / "forged")


def write(folder, data, group, promise="degree(p=4)", **changes):
    """A release with these groups, written as covey writes, sealed and all, whatever it is worth."""
    _, group = np.unique(group, return_inverse=True)
    statement = Statement(guarantee=promise, method="cahd", options=covey.method("cahd(merge=false)").options())
    found = grouped(data, group, int(group.max()) + 1, made=statement, seed=1)
    folder.mkdir()
    save(replace(found, **{name: change(found) for name, change in changes.items()}), folder)
    return Forged(folder, data, kind="grouped", trace=trace_of(found))


def group_of_persons(data, size=12):
    """Groups of whole persons with at most one holder of each secret."""
    return (data.person.astype(np.int64) % (data.persons // size)).astype(np.int64)


def test_an_honest_one_is_accepted(release):
    accepted(release)


def test_a_naive_release_of_rows_is_refused_once_persons_are_named(data, tmp_path):
    rowwise = replace(data, person=None)
    covey.publish(rowwise, tmp_path / "rows", "degree(p=4)", seed=5)
    assert covey.verify(tmp_path / "rows", rowwise).holds
    verdict = covey.verify(tmp_path / "rows", data)
    assert [check.name for check in verdict.failures()] == ["the release counts persons"]


def test_persons_must_be_named_to_be_compared(release, data):
    with pytest.raises(covey.CoveyError, match="--person COLUMN"):
        covey.verify(release.path, replace(data, person=None))


def test_a_person_who_fills_a_group_shows_in_the_numbers(data, tmp_path):
    """Honest numbers: the group has one person."""
    group = np.where(data.person == 0, 0, 1)
    refused(write(tmp_path / "out", data, group), "of the 1 person of group")


def as_if_rows_were_persons(found):
    return found.group_sizes()


def test_a_person_who_fills_a_group_is_found_by_the_original(data, tmp_path):
    """Forged numbers: each of the four rows is said to be another person's, as a naive release of rows has it."""
    group = np.where(data.person == ONCE, 0, 1)
    forged = write(
        tmp_path / "out",
        data,
        group,
        group_persons=as_if_rows_were_persons,
    )
    assert not covey.verify(forged.path, data).holds
    honest_elsewhere = write(
        tmp_path / "other",
        data,
        group,
        group_persons=lambda found: np.where(found.group_sizes() == 4, 4, found.group_persons),
    )
    assert covey.verify(honest_elsewhere.path).holds, "from the files alone nobody can tell"
    verdict = covey.verify(honest_elsewhere.path, data)
    assert "the totals of persons agree" in [check.name for check in verdict.failures()]


@pytest.mark.parametrize("item", SECRETS)
@pytest.mark.parametrize("total", [1, 10**6, 2**62])
def test_rejects_impossible_totals(release, item, total):
    def changed(rows):
        return [total if name == item else number for name, number in rows]

    rows = release.rows("totals")
    pairs = list(zip(rows["item"].to_pylist(), rows["transactions"].to_pylist(), strict=True))
    refused(release.change("totals", "transactions", lambda _: changed(pairs)), "cannot be in")


def test_rejects_a_total_that_is_left_out(release):
    refused(release.replace("totals", release.rows("totals").slice(1)), "are not stated, though")


def test_rejects_the_total_of_an_item_in_one_group(data, tmp_path):
    """Someone who knows how often everybody came could tell the holder by it."""
    forged = write(tmp_path / "out", data, np.zeros(data.n, np.int64), totals=lambda found: found.count + 1)
    refused(forged, "one group alone has them")


def test_rejects_transactions_counted_by_group(release):
    """How many transactions of each group hold an item tells the holders by how often they came."""
    rows = release.rows("sensitive")
    refused(release.replace("sensitive", rows.append_column("count", rows["persons"])))


def test_a_person_torn_apart_is_found_by_the_original(data, tmp_path):
    """Rows of one person in two groups, each of which counts that person."""
    group = group_of_persons(data)
    torn = int(np.flatnonzero(np.bincount(data.person) > 1)[1])
    rows = np.flatnonzero(data.person == torn)
    group[rows[0]] = (group[rows[0]] + 1) % (group.max() + 1)
    sizes = lambda found: np.minimum(found.group_sizes(), 12)  # noqa: E731
    forged = write(tmp_path / "out", data, group, "degree(p=2)", group_persons=sizes)
    verdict = verdicts(forged)[1]
    assert "all transactions of a person are in one group" in [check.name for check in verdict.failures()]


def test_a_person_torn_apart_by_a_transaction_that_others_have_too(tmp_path):
    """The transaction has twins in two groups, neither of which is the person's: none of the three can be hers."""
    rows = [["own a"], ["tea"], ["own b"], ["tea"], ["own c", "test"], ["own d"]]
    data = covey.Baskets.of(rows, sensitive=["test"], persons=["ann", "ann", "bob", "bob", "cai", "dee"])
    group = np.array([0, 1, 1, 2, 2, 2])

    def as_wished(found):
        return np.where(found.group_sizes() == 1, 1, found.group_sizes() - 1)

    forged = write(tmp_path / "out", data, group, "degree(p=2)", group_persons=as_wished)
    found_by_the_original(forged, "all transactions of a person are in one group")


def test_groups_of_persons_that_are_not_of_these_persons(data, tmp_path):
    """The same number of persons in all, one of them moved from one group to another."""
    group = group_of_persons(data)

    def moved(found):
        persons = found.group_persons.copy()
        persons[0] += 1
        persons[1] -= 1
        return persons

    forged = write(tmp_path / "out", data, group, "degree(p=2)", group_persons=moved)
    found_by_the_original(forged, "every group counts what its members hold")


@pytest.mark.parametrize("name", ["count", "totals"])
def test_holders_and_totals_of_others_are_found_by_the_original(data, tmp_path, name):
    group = group_of_persons(data, 9)

    def more(found):
        numbers = getattr(found, name).copy()
        numbers[0] += 1
        return numbers

    forged = write(tmp_path / "out", data, group, "degree(p=2)", **{name: more})
    totals = "the totals of persons agree" if name == "count" else "the totals of the sensitive items agree"
    found_by_the_original(forged, totals)


@pytest.mark.parametrize("value", [0, -1, 10**6, 2**62, 2**63 - 1])
@pytest.mark.parametrize("table", ["groups", "sensitive"])
def test_numbers_that_no_persons_can_have(release, table, value):
    refused(release.change(table, "persons", lambda persons: [value, *persons[1:]]))


@pytest.mark.parametrize("table", ["groups", "sensitive"])
def test_numbers_of_persons_are_whole_and_there(release, table):
    rows = release.rows(table)
    persons = rows.column("persons").to_pylist()
    for values in (pa.array([None, *persons[1:]], pa.int64()), pa.array(list(map(float, persons)))):
        refused(
            copied(release, release.path.with_name(f"f{values.type}")).replace(table, column(rows, "persons", values))
        )


@pytest.mark.parametrize("unit", ["row", "household", 1, None, ["person"]])
def test_the_unit_is_a_person_or_not_stated(release, unit):
    refused(release.seal(facts={"unit": unit}))


def test_nothing_else_is_stated(release):
    refused(release.seal(facts={"unit": "person", "column": "CustomerID"}), "states 'column'")


def test_columns_of_persons_need_the_statement(release):
    refused(release.seal(facts={}))


def test_the_statement_needs_columns_of_persons(forge):
    refused(forge("grouped").seal(facts={"unit": "person"}))


@given(st.data())
def test_possible_numbers_are_those_that_some_persons_could_have(data):
    """Every combination of transactions, persons, holders and totals of two groups, against a twin that tries all."""
    sizes = [data.draw(st.integers(1, 4)) for _ in range(2)]
    persons = [data.draw(st.integers(0, size + 1)) for size in sizes]
    held = [data.draw(st.integers(1, size + 1)) for size in sizes]
    total = data.draw(st.integers(0, sum(sizes) + 1))
    release = covey.release.GroupedRelease(
        transactions=covey.Baskets.of([["a"]] * sum(sizes)),
        group_ptr=np.array([0, sizes[0], sum(sizes)]),
        sensitive_items=("s",),
        count_group=np.arange(2),
        count_item=np.zeros(2, np.int32),
        count=np.array(held),
        group_persons=np.array(persons),
        totals=np.array([total]),
        made=Statement(guarantee="degree(p=2)", method="cahd"),
    )
    groups = list(zip(sizes, persons, held, strict=True))
    ways = product(*([n for n in range(1, size + 1) if oracle.possible(size, p, [(n, h)])] for size, p, h in groups))
    checks = {check.name: check.passed for check in check_release(Degree(2), release).checks}
    assert checks["the numbers of persons are possible"] == (total in map(sum, ways))
