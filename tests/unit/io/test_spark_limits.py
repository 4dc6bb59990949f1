"""What the engine spark does not do with rows and files is refused before it is started, with what would work."""

import pytest

from covey.errors import InputError, ParameterError

pytest.importorskip("pyspark")


@pytest.mark.parametrize(
    "option",
    [
        {"query": "SELECT * FROM data"},
        {"missing": "drop"},
        {"missing_marker": ["?"]},
        {"no_header": True},
    ],
)
def test_cleaning_is_refused_with_a_remedy(option):
    from covey.spark.reading import read

    flag = next(iter(option)).replace("_", "-")
    with pytest.raises(ParameterError, match=rf"without --{flag}\. .*DataFrame\.where.* or use --engine local"):
        read("sales.csv", **option)


def test_names_for_codes_are_refused_with_a_remedy():
    from covey.spark.reading import read

    with pytest.raises(ParameterError, match=r"gives no names to codes\. Join them .* or use --engine local"):
        read("sales.csv", name="label")


@pytest.mark.parametrize(
    ("name", "called"),
    [("sales.jsonl", "JSON Lines"), ("sqlite:sales.db?table=t", "SQLite"), ("duckdb:sales.db", "DuckDB")],
)
def test_other_formats_are_refused_with_a_remedy(name, called):
    from covey.spark.reading import read

    with pytest.raises(InputError, match=f"Spark cannot read {called}.*--engine local, or write it as Parquet"):
        read(name)
    with pytest.raises(InputError, match="Spark cannot read Excel"):
        read("sales", format="excel")
