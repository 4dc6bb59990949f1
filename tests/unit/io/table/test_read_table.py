import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import InputError, ParameterError

TEXT = "name,age,zip,sex,illness\nAnn,34,01067,f,flu\nBob,,01069,m,\nCyd,40,01067,f,flu\n"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(TEXT)
    return file


def test_roles_and_types(path):
    table = covey.read_table(path, sensitive="illness", identifier="name")
    assert repr(table) == "Table(3 rows, quasi: age, zip, sex; sensitive: illness)"
    assert [c.numeric for c in table.columns] == [True, False, False, False]  # leading zeros are no numbers
    assert table.column("age").values == ("34", "40", "")
    assert table.column("illness").codes.tolist() == [0, 1, 0]


def test_naming_quasi_identifiers_drops_what_is_not_named(path):
    assert repr(covey.read_table(path, quasi=["age"], other="sex")) == "Table(3 rows, quasi: age; other: sex)"


def test_every_source_gives_the_same_table(path, tmp_path):
    import pandas
    import polars

    expected = covey.read_table(path)
    with gzip.open(tmp_path / "people.csv.gz", "wt") as stream:
        stream.write(TEXT)
    (tmp_path / "people.tsv").write_text(TEXT.replace(",", "\t"))
    rows = [line.split(",") for line in TEXT.splitlines()]
    columns = {name: [row[i] or None for row in rows[1:]] for i, name in enumerate(rows[0])}
    columns["age"] = [34, None, 40]
    pq.write_table(pa.table(columns), tmp_path / "people.parquet")
    sources = [
        tmp_path / "people.csv.gz",
        tmp_path / "people.tsv",
        tmp_path / "people.parquet",
        columns,
        pandas.DataFrame(columns),
        polars.DataFrame(columns),
        pa.table(columns),
    ]
    for source in sources:
        found = covey.read_table(source)
        for ours, theirs in zip(found.columns, expected.columns, strict=True):
            assert (ours.name, ours.values, ours.codes.tolist()) == (theirs.name, theirs.values, theirs.codes.tolist())


def test_cells_are_trimmed_and_files_may_lack_a_header(tmp_path):
    file = tmp_path / "x.data"
    file.write_text("39, Private\n50, Private \n")
    table = covey.read_table(file, columns=["age", "work"])
    assert table.column("work").values == ("Private",)
    assert table.column("age").values == ("39", "50")


def test_hierarchies_by_column_file_and_directory(path, tmp_path):
    folder = tmp_path / "trees"
    folder.mkdir()
    (folder / "people_sex.csv").write_text("f;*\nm;*\n")
    (folder / "hierarchy-age.csv").write_text("34;30s;*\n40;40s;*\n")
    by_folder = covey.read_table(path, quasi="age,sex", hierarchies=folder)
    assert by_folder.column("age").numeric  # a directory only serves columns of text
    named = covey.read_table(path, quasi="age,sex", hierarchies=[f"age={folder / 'hierarchy-age.csv'}"])
    assert named.column("age").hierarchy.labels[:2] == ("34", "40")
    given = covey.read_table(path, quasi="zip", hierarchies={"zip": {"01067": "D", "01069": "D"}})
    assert given.column("zip").span_text(0, 1) == "D"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi": "agee"}, "no column 'agee' to be quasi. Did you mean 'age'"),
        ({"identifier": "name,age,zip,sex,illness"}, "no column is left"),
        ({"hierarchies": {"six": {}}}, "'six', which is not there"),
        ({"hierarchies": "nowhere.csv"}, "names no column"),
        ({"categorical": "zap"}, "no column 'zap'"),
    ],
)
def test_bad_options(path, options, message):
    with pytest.raises(InputError, match=message):
        covey.read_table(path, **options)


def test_a_column_has_one_role(path):
    with pytest.raises(ParameterError, match="both quasi and sensitive"):
        covey.read_table(path, quasi="age", sensitive="age")
