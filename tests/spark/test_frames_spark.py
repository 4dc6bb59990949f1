"""Reading on Spark gives the same sets as reading locally, whatever the layout and the partitions."""

import pytest

import covey
from covey.errors import InputError, ParameterError
from covey.io import write
from covey.spark import read

ROWS = [["wine", "meat"], [], ["meat", "test", "wine"], ["wine", "meat"], ["ä", "b%|"], ["soap"]]


def table(sets) -> list[tuple[tuple[str, ...], int]]:
    found = [tuple(sets.items[c] for c in row["items"]) for row in sets.rows.toArrow().to_pylist()]
    return sorted((row, found.count(row)) for row in set(found))


def expected(baskets) -> list[tuple[tuple[str, ...], int]]:
    rows = [tuple(baskets.basket(r)) for r in range(baskets.n)]
    return sorted((row, rows.count(row)) for row in set(rows))


def same(sets, baskets) -> None:
    assert sets.items == baskets.items
    assert (sets.n, sets.entries) == (baskets.n, baskets.entries)
    assert sets.supports.tolist() == baskets.supports().tolist()
    assert table(sets) == expected(baskets)


def test_lists_in_a_frame(spark):
    frame = spark.createDataFrame([(row + row[:1],) for row in ROWS], "items array<string>")
    same(read(frame), covey.Baskets.of(ROWS))


def test_a_long_frame_with_duplicates(spark):
    pairs = [(i, item) for i, row in enumerate(ROWS) for item in row]
    frame = spark.createDataFrame(pairs + pairs[:3], "basket long, item string").repartition(5)
    same(read(frame), covey.Baskets.of([row for row in ROWS if row]))


def test_a_file_whose_name_has_patterns(spark, tmp_path):
    baskets = covey.Baskets.of([row for row in ROWS if row])
    write(baskets, tmp_path / "sales [of 1*] 50% é.parquet")
    same(read(tmp_path / "sales [of 1*] 50% é.parquet"), baskets)


@pytest.mark.parametrize("persons", [None, [0, 1, 1, 0, 2, 2]])
def test_data_in_memory_and_saved_datasets(spark, tmp_path, persons):
    baskets = covey.Baskets.of(ROWS, sensitive=["test"], persons=persons)
    sets = read(baskets)
    same(sets, baskets)
    assert (sets.sensitive_items(), sets.persons) == (["test"], baskets.persons)
    baskets.save(tmp_path / "shop.covey")
    ours, local = (covey.inspect(tmp_path / "shop.covey", engine=e, known=1).to_dict() for e in ("spark", "local"))
    assert ours.items() <= local.items()


def test_a_directory_of_parquet(spark, tmp_path):
    spark.createDataFrame([(row,) for row in ROWS], "items array<string>").write.parquet(
        str(tmp_path / "many"), mode="overwrite"
    )
    same(read(tmp_path / "many"), covey.Baskets.of(ROWS))


def test_rows_have_the_same_numbers_in_any_partitions(spark):
    frame = spark.createDataFrame([(row,) for row in ROWS], "items array<string>")
    one, other = (read(frame.repartition(parts)).rows.toArrow().to_pylist() for parts in (1, 6))
    assert sorted(map(str, one)) == sorted(map(str, other))
    assert len({row["row"] for row in one}) == len(ROWS)


def test_sensitive_items_are_marked_and_unknown_ones_refused(spark):
    frame = spark.createDataFrame([(row,) for row in ROWS], "items array<string>")
    assert read(frame, sensitive=["test"]).sensitive_items() == ["test"]
    with pytest.raises(InputError, match="'tes' does not occur"):
        read(frame, sensitive=["tes"])


@pytest.mark.parametrize(
    ("rows", "schema", "words"),
    [
        ([(None,)], "items array<string>", "missing"),
        ([(["a", None],)], "items array<string>", "missing"),
        ([(["a", ""],)], "items array<string>", "empty text"),
        ([(1, None)], "basket long, item string", "empty text or missing"),
        ([(1.5, ["a"])], "x double, y array<double>", "cannot be read as labels"),
    ],
)
def test_what_is_no_item_is_refused(spark, rows, schema, words):
    with pytest.raises(InputError, match=words):
        read(spark.createDataFrame(rows, schema) if "double" not in schema else spark.createDataFrame(
            [(1.5, [0.5])], schema))  # fmt: skip


def test_rejects_what_is_not_parquet(spark, tmp_path):
    with pytest.raises(ParameterError, match="not a list"):
        read([["a"]])
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.parquet")
    lines = tmp_path / "clicks.dat"
    lines.write_text("1 2\n2\n")
    with pytest.raises(InputError, match=r"Parquet only.*--engine local"):
        read(lines)
    with pytest.raises(InputError, match="colon"):
        read(lines.rename(tmp_path / "sales:1.parquet"))
    wide = spark.createDataFrame([(1, False, True), (2, True, True)], "id long, a boolean, b boolean")
    with pytest.raises(InputError, match="column per item"):
        read(wide)


@pytest.mark.parametrize(
    "option",
    [{"missing_marker": ["?"]}, {"fold_case": True}, {"format": "fimi"}, {"separator": ";"}, {"names_column": "label"}],
)
def test_rejects_other_reading_options(spark, option):
    frame = spark.createDataFrame([(row,) for row in ROWS], "items array<string>")
    flag = next(iter(option)).replace("_", "-")
    with pytest.raises(ParameterError, match=rf"without --{flag}\. .*DataFrame\.where.* or use --engine local"):
        read(frame, **option)
    with pytest.raises(ParameterError, match="'item' has no use"):
        read(read(frame), item="items")


def test_what_spark_cannot_make_sense_of_is_an_input_error(spark, tmp_path):
    table = tmp_path / "clicks.parquet"
    write(covey.Baskets.of(ROWS), table)
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "part-0.parquet").write_bytes(table.read_bytes()[:-20] + b"PAR1")
    with pytest.raises(InputError, match="Spark cannot read it"):
        read(tmp_path / "many")


def test_a_summary_counts_what_guarantees_ask_for(spark, frame):
    baskets = covey.Baskets.of([["test"], [], ["test", "wine"], ["wine"]], sensitive=["test"])
    assert read(frame(baskets), sensitive=["test"]).summary() == baskets.summary()


def test_integers_are_labels(spark):
    frame = spark.createDataFrame([([3, 20],), ([20],)], "items array<int>")
    assert read(frame).items == ("20", "3")
