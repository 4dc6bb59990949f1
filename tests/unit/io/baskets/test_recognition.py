"""What a file is taken for."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from covey.errors import InputError, ParameterError
from covey.io import Recognised, recognise


@pytest.fixture
def given(tmp_path):
    def make(name, content, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return recognise(path, **options)

    return make


def test_fimi_by_name_and_by_content(given):
    fimi = Recognised(format="fimi", layout="lines")
    assert given("a.dat", "1 2\n3\n") == fimi
    assert given("a.txt", "1 2\n3\n") == fimi
    assert given("a", "wine meat\n\n") == fimi
    assert given("a.txt", "1\t2\n3\t4\n") == fimi
    assert given("a.txt", "a,b\nc\n", separator=",").delimiter == ","
    assert given("a.dat", "1,2\n3\n", format="fimi") == fimi


def test_compression_is_told_by_content(given):
    packed = gzip.compress(b"order,item\n1,a\n")
    assert given("a.csv.gz", packed).compression == "gzip"
    assert given("a.csv", packed).compression == "gzip"
    assert given("a.csv.gz", "order,item\n1,a\n").compression is None


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(given, delimiter):
    text = delimiter.join(["order", "note, or so; |", "product"]).replace("note, or so; |", '"note, or so; |"')
    row = delimiter.join(["1", "x", "milk"])
    known = given("a.csv", f"{text}\n{row}\n")
    assert known.delimiter == delimiter
    assert (known.transaction, known.item) == ("order", "product")


@pytest.mark.parametrize(
    ("header", "transaction", "item"),
    [
        ("user_id,order_id,product_id,aisle", "order_id", "product_id"),
        ("InvoiceNo,StockCode,Description,Quantity", "InvoiceNo", "StockCode"),
        ("household_id,basket_id,product_id,week", "basket_id", "product_id"),
        ("Session-ID,when,Page", "Session-ID", "Page"),
        ("user,item,rating", "user", "item"),
        ("foo,bar", "foo", "bar"),
        ("product,foo", "foo", "product"),
        ("foo,id", "id", "foo"),
    ],
)
def test_usual_names(given, header, transaction, item):
    cells = ",".join(str(7 + i) for i in range(header.count(",") + 1))
    known = given("a.csv", f"{header}\n{cells}\n")
    assert (known.format, known.transaction, known.item) == ("csv-long", transaction, item)
    assert known.columns == tuple(header.split(","))


def test_columns_by_name(given):
    text = "a,b,c\n5,6,7\n"
    known = given("a.csv", text, transaction="c", item="a")
    assert (known.transaction, known.item) == ("c", "a")
    with pytest.raises(InputError, match=r"cannot tell which column.*The columns are 'a', 'b', 'c'"):
        given("a.csv", text)
    with pytest.raises(InputError, match="cannot be both transaction and item"):
        given("a.csv", text, transaction="a", item="a")
    with pytest.raises(InputError, match="2 columns are called 'a'"):
        given("a.csv", "a,b,a\n5,6,7\n", transaction="b", item="a")


def test_wide(given):
    known = given("a.csv", "tid,milk,beer\n1,0,1\n")
    assert (known.format, known.layout, known.transaction) == ("csv-wide", "wide", "tid")
    assert given("a.csv", "milk,beer\n0,1\n1,1\n").transaction is None
    assert given("a.csv", "no,milk,beer\n1,0,1\n2,0,1\n").transaction == "no"
    assert given("a.csv", "milk,beer,who\n0,1,x\n", transaction="who").transaction == "who"
    assert given("a.csv", "10,11,12\n0,1,1\n").columns == ("10", "11", "12")
    assert given("a.txt", "milk,beer\n0,1\n1,1\n").format == "csv-wide"
    assert given("a.csv", "a,b\ntrue,\n,FALSE\n", format="csv-wide").format == "csv-wide"
    with pytest.raises(ParameterError, match="every column is an item"):
        given("a.csv", "milk,beer\n0,1\n", format="csv-wide", item="milk")


def test_no_header(given):
    known = given("a.csv", "1,7\n1,8\n")
    assert (known.header, known.columns) == (False, ("column 1", "column 2"))
    assert given("a.csv", "1,7\n1,8\n", transaction="column 2").item == "column 1"
    with pytest.raises(InputError, match="line 1: the first line holds numbers"):
        given("a.csv", "5,7,9\n5,8,9\n")


def test_items_separated_by_commas_are_not_split_at_blanks(given):
    with pytest.raises(InputError, match=r"most lines hold ','.*Give --separator ','"):
        given("a.dat", "whole milk,rolls\nbeer,wine\n")


def test_a_single_column(given):
    with pytest.raises(InputError, match="a single column"):
        given("a.csv", "item\nmilk\n")


def test_parquet(tmp_path):
    lists = pa.table({"n": [1, 2], "items": [["a"], []]})
    pq.write_table(lists, tmp_path / "a.parquet")
    pq.write_table(lists, tmp_path / "b")
    for name in ("a.parquet", "b"):
        known = recognise(tmp_path / name)
        assert (known.format, known.layout, known.item, known.transaction) == ("parquet", "lists", "items", None)
    (tmp_path / "c.parquet").write_bytes(gzip.compress((tmp_path / "b").read_bytes()))
    with pytest.raises(InputError, match="compressed with gzip as a whole"):
        recognise(tmp_path / "c.parquet")


def test_in_words(given):
    assert given("a.dat", "1 2\n").describe() == "FIMI: one transaction per line, items separated by spaces."
    assert given("a.csv", "order,item\n1,a\n").describe() == (
        "CSV, cells separated by commas: one row per transaction ('order') and item ('item')."
    )
    assert given("a.csv", "tid\tmilk\n7\t1\n").describe() == (
        "CSV, cells separated by tabs: one row per transaction by 'tid', one 0/1 column per item."
    )
    assert given("a.csv", "a,b\n0,1\n", separator=",").describe().endswith("one 0/1 column per item.")


def test_a_header_longer_than_the_sample(given):
    columns = [f"item number {i}" for i in range(40_000)]
    cells = ["1"] * 39_999 + ["0"]
    known = given("a.csv", ",".join(columns) + "\n" + ",".join(cells) + "\n")
    assert known.format == "csv-wide"
    assert known.columns == tuple(columns)


def test_a_table_without_a_telling_name(given):
    assert given("sales", "order;product\n1;a\n").format == "csv-long"
    assert given("sales.txt", "a;b\n1;a\n", item="b").format == "csv-long"
