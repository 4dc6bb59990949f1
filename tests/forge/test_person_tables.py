"""Released tables that count persons, and state of them what is not so, or in which one person fills a class."""

from dataclasses import replace

import numpy as np
import pytest

import covey
from covey.release.base import Statement
from covey.release.store import save
from covey.release.table import table as publish_table
from covey.release.trace import trace_of
from forge.tools import Forged, accepted, copied, found_by_the_original, refused, verdicts

FREQUENCY = "l-diversity(l=2, k=3, kind=frequency)"


def lines():
    """Four rows each of 24 patients, whose age differs by person."""
    ages = [20 + person for person in range(24) for _ in range(4)]
    ill = [f"illness {(person + line * 5) % 12}" for person in range(24) for line in range(4)]
    return {"age": ages, "illness": ill}, [person for person in range(24) for _ in range(4)]


@pytest.fixture(scope="module")
def data():
    columns, names = lines()
    return covey.Table.of(columns, sensitive=["illness"], persons=names)


@pytest.fixture(scope="module", params=["k-anonymity(k=3)", FREQUENCY])
def made(request, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables") / "release"
    covey.publish(data, folder, request.param, "mondrian", seed=5)
    return Forged(folder, data, kind="table")


@pytest.fixture
def release(made, tmp_path):
    return copied(made, tmp_path / "forged")


def write(folder, data, group, promise="k-anonymity(k=3)", **changes):
    """A release with these groups of rows, sealed and all, whatever it is worth."""
    _, group = np.unique(group, return_inverse=True)
    made = Statement(guarantee=promise, method="mondrian", options=covey.method("mondrian").options())
    found = publish_table(data, group, int(group.max()) + 1, made=made, seed=1)
    folder.mkdir()
    save(replace(found, **{name: change(found) for name, change in changes.items()}), folder)
    return Forged(folder, data, kind="table", trace=trace_of(found))


def test_an_honest_one_is_accepted(release):
    accepted(release)


def test_a_person_who_fills_a_class_shows_in_the_numbers(data, tmp_path):
    group = np.where(data.person == 0, 0, 1)
    refused(write(tmp_path / "out", data, group), "1 class of fewer than 3 persons")


def test_a_person_who_fills_a_class_is_found_by_the_original(data, tmp_path):
    """Four lines of one patient, said to be four patients, as a naive release of rows has it."""
    group = np.where(data.person == 0, 0, 1)
    forged = write(
        tmp_path / "out", data, group,
        class_persons=lambda found: np.where(np.bincount(found.classes()) == 4, 4, found.class_persons),
    )  # fmt: skip
    found_by_the_original(forged, "the totals of persons agree")


def test_persons_moved_between_classes_are_found_by_the_original(data, tmp_path):
    group = np.where(data.person < 4, 0, 1)

    def moved(found):
        persons = found.class_persons.copy()
        first = int(np.argmin(persons))
        persons[first] += 2
        persons[1 - first] -= 2
        return persons

    forged = write(tmp_path / "out", data, group, class_persons=moved)
    found_by_the_original(forged, "every class has the persons that it states")


def test_a_person_torn_apart_is_found_by_the_original(tmp_path):
    columns, names = lines()
    columns["age"] = [age + 30 * (row % 4 == 3) for row, age in enumerate(columns["age"])]
    data = covey.Table.of(columns, sensitive=["illness"], persons=names)
    group = np.array([row % 4 == 3 for row in range(data.n)])

    def each_once(found):
        return np.array([12, 12])

    forged = write(tmp_path / "out", data, group, class_persons=each_once)
    names = [check.name for check in verdicts(forged)[1].failures()]
    assert "all rows of a person are in one group" in names


@pytest.mark.parametrize("value", [0, -1, 10**6, 2**63 - 1])
def test_numbers_that_no_persons_can_have(release, value):
    for table in ("classes", *(["holders"] if (release.path / "holders.parquet").exists() else [])):
        forged = copied(release, release.path.with_name(f"{table}{value}"))
        refused(forged.change(table, "persons", lambda persons: [value, *persons[1:]]))


def test_tables_that_belong_to_another_statement(release, forge):
    refused(copied(release, release.path.with_name("a")).seal(facts={}))
    refused(forge("table").seal(facts={"unit": "person"}))
    refused(copied(release, release.path.with_name("b")).seal(facts={"unit": "row"}))


def test_holders_that_are_not_the_holders(data, tmp_path):
    group = np.where(data.person < 12, 0, 1)

    def fewer(found):
        holders = found.holders.copy()
        holders[np.argmax(holders)] -= 1
        return holders

    forged = write(tmp_path / "out", data, group, FREQUENCY, holders=fewer)
    found_by_the_original(forged, "every class has as many persons with each sensitive value as it states")
