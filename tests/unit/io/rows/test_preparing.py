"""Cleaning rows, and formats that become rows first."""

import json
import sqlite3
import warnings

import pyarrow as pa
import pytest

import covey
from covey.errors import CleanedRows, InputError, ParameterError

FRAME = pa.table({"order": [1, 1, 2, None], "item": ["wine", "-", None, "tea"], "n": [1, 2, 0, 4]})


def cleaned(source, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = covey.read(source, row_is_person=True, **options)
    return made, [one.message for one in told if isinstance(one.message, CleanedRows)]


def test_missing_values_are_refused_dropped_or_kept():
    with pytest.raises(
        InputError, match=r"column 'item': the cell is empty in row 2.* Empty cells: 2 in 'item', 1 in 'order'"
    ):
        covey.read(FRAME, missing="error")
    made, [told] = cleaned(FRAME, missing="drop")
    assert [made.basket(0), made.n] == [["wine"], 1]
    assert (told.rows, told.kept, told.reasons) == (4, 1, {"without 'order'": 1, "without 'item'": 2})
    made, [told] = cleaned(FRAME, missing="drop", missing_marker=["zzz"])
    assert made.items == ("-", "wine")
    kept, none = cleaned(FRAME.slice(0, 3), missing="keep")
    assert (kept.basket(0), kept.basket(1), none) == (["(missing)", "wine"], ["(missing)"], [])
    with pytest.raises(InputError, match=r"column 'order': the cell is empty"):
        covey.read(FRAME, missing="keep")
    with pytest.raises(ParameterError, match="missing"):
        covey.read(FRAME, missing="ignore")
    with pytest.raises(InputError, match="none of 4 rows is left: 4 not in the result of SELECT"):
        covey.read(FRAME, query="SELECT * FROM data WHERE n > 10")
    with pytest.raises(ParameterError, match="Only tables have rows"):
        covey.read([["a"]], query="SELECT 1")
    with pytest.raises(ParameterError, match=r"no reading option 'querry'. Did you mean 'query'"):
        covey.read(FRAME, querry="SELECT 1")


@pytest.mark.parametrize(
    ("query", "wanted", "persons"),
    [
        ("SELECT * REPLACE (plain(who) AS who) FROM data", [["a", "c"], ["b", "c"], ["a", "b"], []], 3),
        ("SELECT * FROM data WHERE a = 1", [["a", "c"], ["a", "b"]], 2),
        ("SELECT * FROM data WHERE who != 'bob'", [["a", "c"], ["b", "c"], []], 3),
    ],
    ids=["spellings", "an item", "a person"],
)
def test_a_file_with_a_column_per_item_is_cleaned(query, wanted, persons, tmp_path):
    """As text, its flags do not tell that it is one."""
    path = tmp_path / "wide.csv"
    path.write_text("who,a,b,c\nann,1,0,true\nAnn,0,1,1\nbob,1,1,FALSE\neve,0,,0\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = covey.read(path, person="who", query=query)
    assert sorted(made.basket(row) for row in range(made.n)) == sorted(wanted)
    assert made.persons == persons


def test_tables_keep_missing_values_unless_told_otherwise():
    people = {"age": [30, None, 31], "job": ["nurse", "n/a", "Nurse"]}
    assert covey.read_table(people).n == 3
    with pytest.warns(CleanedRows, match="1 of 3 rows were left out: 1 without 'age', 1 without 'job'"):
        assert covey.read_table(people, missing="drop").n == 2
    with pytest.raises(InputError, match="the cell is empty"):
        covey.read_table(people, missing="error")


def test_files_without_a_header(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("1;wine;a\n1;beer;b\n2;wine;c\n")
    made, _ = cleaned(path, no_header=True, transaction="column 1", item="column 2")
    assert [made.basket(0), made.basket(1)] == [["beer", "wine"], ["wine"]]
    assert covey.io.recognise(path, no_header=True, transaction="column 1", item="column 2").item == "column 2"


def test_json_lines(tmp_path):
    lists, objects, bad = (tmp_path / name for name in ("a.jsonl", "b.ndjson", "c.jsonl"))
    lists.write_text('["wine", "tea"]\n\n["tea", 7]\n[]\n')
    made, _ = cleaned(lists)
    assert [made.basket(row) for row in range(3)] == [["tea", "wine"], ["7", "tea"], []]
    objects.write_text("".join(json.dumps(row) + "\n" for row in FRAME.slice(0, 1).to_pylist()))
    assert cleaned(objects)[0].items == ("wine",)
    for text, told in (
        ('["a"]\n{"b": 1}\n', "line 2: .* is not a list as on line 1"),
        ("3\n", "neither a list nor an object"),
        ('{"order": 1, "item": {"a": 1}}\n', "an object inside an object"),
    ):
        bad.write_text(text)
        with pytest.raises(InputError, match=told):
            covey.read(bad)


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_databases(kind, tmp_path):
    path = tmp_path / "shop.db"
    if kind == "sqlite":
        base = sqlite3.connect(path)
    else:
        base = pytest.importorskip("duckdb").connect(str(path))
    base.execute("CREATE TABLE sales (invoice INTEGER, item TEXT)")
    base.execute("INSERT INTO sales VALUES (1, 'wine'), (1, 'tea'), (2, 'tea')")
    base.commit()
    expected = covey.Baskets.of([["wine", "tea"], ["tea"]])
    base.close()
    assert cleaned(path)[0] == expected
    assert cleaned(f"{kind}:{path}?query=SELECT invoice, item FROM sales WHERE invoice = 2")[0].n == 1
    base = sqlite3.connect(path) if kind == "sqlite" else __import__("duckdb").connect(str(path))
    base.execute("CREATE TABLE other (a INTEGER)")
    base.commit()
    base.close()
    assert cleaned(f"{kind}:{path}?table=sales")[0] == cleaned(path, sheet="sales")[0] == expected
    for address, told in (
        (path, "2 tables hold rows, and none is named. Name one with --sheet: '(sales|other)'"),
        (f"{kind}:{path}?table=sale", "there is no table 'sale'. Did you mean 'sales'"),
        (f"{kind}:{path}?query=DROP TABLE sales", "cannot do that|gives no rows"),
        (f"{kind}:{path}?frm=x", "neither table=NAME nor query="),
        (f"{kind}:{path}.none", "there is no such file"),
    ):
        with pytest.raises(InputError, match=told):
            covey.read(address)


def test_workbooks(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "book.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["order", "item"])
    book.active.append([1, "wine "])
    book.active.append([2, "tea"])
    book.create_sheet("empty")
    book.save(path)
    assert cleaned(path)[0] == covey.Baskets.of([["wine"], ["tea"]])
    assert covey.io.recognise(path).describe() == "Excel: one row per transaction ('order') and item ('item')."
    book["empty"].append(["x", "y"])
    book.save(path)
    with pytest.raises(InputError, match=r"2 sheets hold rows, and none is named.* with --sheet: 'Sheet', 'empty'"):
        covey.read(path)
    with pytest.raises(InputError, match=r"there is no sheet 'sheet'. Did you mean 'Sheet'"):
        covey.read(path, sheet="sheet")
