"""Groups of records that were tampered with: what every grouped release must refuse, and what attributes add to it."""

import pyarrow as pa
import pytest

import covey
from forge.tools import column, found_by_the_original, refused, verdicts


def test_no_attribute_is_left_out(forge):
    release = forge("patients")
    refused(release.replace("table", release.rows("table").drop_columns(["visits"])))


def test_no_table_is_shorter_than_the_other(forge):
    release = forge("patients")
    refused(release.replace("table", release.rows("table").slice(1)), "persons")


@pytest.mark.parametrize(
    "columns", [None, [], ["illness", "illness"], ["city"], "illness", [7]], ids=["none", "0", "2", "city", "text", "7"]
)
def test_the_sensitive_columns_are_those_that_are_counted(forge, columns):
    alone, compared = verdicts(forge("patients").state("facts", sensitive_columns=columns))
    assert not compared.holds
    assert columns == [] or not alone.holds


def test_persons_are_always_counted(forge):
    refused(forge("patients").state("facts", unit=None))


@pytest.mark.parametrize("label", ["illness=gout", "age=30", "illness =gout", "Illness =gout", "ill\u200bness = gout"])
def test_no_item_reads_like_a_value(forge, label):
    release = forge("patients").change("transactions", "items", lambda rows: [sorted({*rows[0], label}), *rows[1:]])
    refused(release, "reads like")


def test_a_column_that_is_sensitive_stands_beside_nobody(forge):
    release = forge("patients")
    rows = release.rows("table")
    release.replace("table", rows.append_column("illness", pa.array(["gout", *[None] * (len(rows) - 1)], pa.string())))
    release.text("columns.csv", lambda text: text + b'"illness","other","categorical"\n').state("counts", columns=4)
    refused(release, "sensitive column")


def test_another_attribute_is_noticed_with_the_original(forge):
    release = forge("patients").change("table", "age", lambda ages: [*ages[1:], ages[0]])
    found_by_the_original(release, "every published basket is in the original, exactly as often")


def test_too_many_with_a_sensitive_value_are_noticed(forge):
    release = forge("patients")
    rows = release.rows("sensitive")
    sizes = release.rows("groups")["persons"].to_pylist()
    group = rows["group"].to_pylist()[0]
    rows = column(rows, "persons", pa.array([sizes[group], *rows["persons"].to_pylist()[1:]], pa.int64()))
    release.replace("sensitive", rows).state("counts", sensitive_entries=sum(rows["persons"].to_pylist()))
    for verdict in verdicts(release):
        assert verdict.failures()[0].name == "every group keeps degree(p=4)"


@pytest.mark.parametrize("name", ["illness ", "Illness", "ill\u200bness", "illness\u00a0"])
def test_no_column_reads_like_a_sensitive_one(forge, name):
    release = forge("patients")
    rows = release.rows("table")
    release.replace("table", rows.append_column(name, pa.array(["gout", *[None] * (len(rows) - 1)], pa.string())))
    release.text("columns.csv", lambda text: text + f'"{name}","other","categorical"\n'.encode())
    refused(release.state("counts", columns=4), "sensitive column")


@pytest.mark.parametrize("told", [{"Illness": ["x"] * 90}, {}], ids=["column", "item"])
def test_records_that_read_so_are_not_published(tmp_path, told):
    rows = [["tea", "Illness = gout"] if i == 0 and not told else ["tea"] for i in range(90)]
    columns = {"illness": ["gout" if i % 9 == 0 else None for i in range(90)], **told}
    records = covey.Records.of(columns, rows, sensitive=["illness"])
    with pytest.raises(covey.InputError, match="reads like"):
        covey.publish(records, tmp_path / "release", "degree(p=4)")
