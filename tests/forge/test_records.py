"""Records that were tampered with: another column or row, persons who stand out, items that are somebody else's."""

import pyarrow as pa
import pytest

from forge.tools import found_by_the_original, refused, verdicts


@pytest.mark.parametrize("table", ["table", "items"])
def test_no_table_is_shorter_than_the_other(forge, table):
    release = forge("records")
    refused(release.replace(table, release.rows(table).slice(1)), "persons")


def test_nothing_is_stated_besides(forge):
    refused(forge("records").state("facts", unit="person"))


def test_somebody_alone_in_a_class_is_noticed(forge):
    refused(forge("records").change("table", "age", lambda ages: ["[20-59]", *ages[1:]]))


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
    found_by_the_original(with_items(release, sets), "every published set covers items of its own original alone")
