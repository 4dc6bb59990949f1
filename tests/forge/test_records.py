"""Records that were tampered with: another column or row, persons who stand out, items that are somebody else's."""

import pyarrow as pa
import pytest

from forge.tools import accepted, column, refused, verdicts


@pytest.mark.parametrize("csv", [False, True], ids=["parquet", "csv"])
def test_what_nobody_touched_is_accepted(forge, csv):
    release = forge("records", csv)
    accepted(release)
    accepted(release.seal())


@pytest.mark.parametrize("table", ["table", "items"])
def test_no_table_has_a_column_more(forge, table):
    release = forge("records")
    rows = release.rows(table)
    refused(release.replace(table, rows.append_column("who", pa.array(["ann smith"] * len(rows)))))


@pytest.mark.parametrize("table", ["table", "items"])
def test_no_table_is_shorter_than_the_other(forge, table):
    release = forge("records")
    refused(release.replace(table, release.rows(table).slice(1)), "persons")


def test_nothing_is_stated_besides(forge):
    refused(forge("records").state("facts", unit="person"))


def test_somebody_alone_in_a_class_is_noticed(forge):
    release = forge("records")
    rows = release.rows("table")
    ages = rows["age"].to_pylist()
    refused(release.replace("table", column(rows, "age", pa.array(["[20-59]", *ages[1:]]))))


def with_items(release, sets):
    """The release with other items, and a manifest that counts them."""
    release.replace("items", pa.table({"items": pa.array(sets, pa.list_(pa.string()))}))
    return release.state(
        "counts",
        entries=sum(map(len, sets)),
        empty=sum(not held for held in sets),
        items=len({label for held in sets for label in held}),
    )


def test_an_item_that_only_one_of_a_class_has_is_noticed(forge):
    release = forge("records")
    sets = release.rows("items")["items"].to_pylist()
    sets[0] = sorted({*sets[0], "absinthe"})
    for verdict in verdicts(with_items(release, sets)):
        assert verdict.failures()[0].name == (
            "within a class, every set of at most 2 items that occurs is held by at least 4 persons"
        )


def test_items_of_others_are_noticed_with_the_original(forge):
    """Everybody of a class gets the longest set of it: the promise still holds, but of data that nobody gave."""
    release = forge("records")
    sets = release.rows("items")["items"].to_pylist()
    members = {}
    for number, row in enumerate(release.rows("table").to_pylist()):
        members.setdefault((row["age"], row["city"]), []).append(number)
    for alike in members.values():
        longest = max((sets[number] for number in alike), key=len)
        for number in alike:
            sets[number] = longest
    alone, compared = verdicts(with_items(release, sets))
    assert alone.holds, alone.failures()
    assert [check.name for check in compared.failures()] == [
        "every person has a published record of their own that covers them"
    ]
