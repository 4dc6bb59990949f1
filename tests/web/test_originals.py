"""What files are recognised as, how they begin, and what is found out about them; in this process."""

import pytest

from covey import Baskets, Ratings, Table
from covey.measure.limits import limits
from covey.web.server.parameters import suggested_guarantees
from covey.web.work.items import check_labels, search_items
from covey.web.work.originals import preview, read
from covey.web.work.profiling import profile

#: Name to text, kind, columns and first row (these as words).
FILES = {
    "baskets.dat": ("milk bread\nbeer\n", "baskets", "", "milk bread"),
    "orders.csv": ("OrderID;Product;Qty\n1;beer;2\n1;wine;1\n", "baskets", "OrderID Product Qty", "1 beer 2"),
    "wide.csv": ("id,beer,wine\n1,0,1\n2,1,1\n", "baskets", "id beer wine", "1 0 1"),
    "films.csv": ("userId,movieId,rating\n1,2,3\n", "ratings", "userId movieId rating", "1 2 3"),
    "survey.csv": ("user,q1,q2,q3\na,1,5,2\nb,2,3,\n", "ratings", "user q1 q2 q3", "a 1 5 2"),
    "ratings.dat": ("1::1193::5\n1::661::3\n", "ratings", "user item rating", "1 1193 5"),
    "people.csv": ("name,age,sex,zip\nx,20,f,1\ny,30,m,2\n", "table", "name age sex zip", "x 20 f 1"),
}


def source(path, **more):
    return {"path": str(path), "name": path.name, "kind": None, "options": {}, "sensitive": [], **more}


@pytest.mark.parametrize("name", FILES)
def test_the_kind_and_the_first_row_of_a_file(tmp_path, name):
    text, kind, columns, first = FILES[name]
    (tmp_path / name).write_text(text)
    found = preview(source(tmp_path / name))
    assert found["problem"] is None
    assert (found["kind"], found["columns"], found["rows"][0]) == (kind, columns.split(), first.split())
    assert found["recognised"].endswith(".")
    # What was recognised can be read as such.
    read({**source(tmp_path / name), "kind": kind})


def test_sales_with_many_columns_are_baskets_also_where_no_order_comes_back_at_once(tmp_path):
    path = tmp_path / "export.csv"
    rows = [f"{i};Müsli;1;2024-01-01;1,5;{i % 7}" for i in range(30)]
    path.write_bytes("\n".join(["InvoiceNo;Description;Quantity;Date;Price;Customer ID", *rows]).encode("cp1252"))
    found = preview(source(path))
    assert (found["kind"], "guess" in found["recognised"]) == ("baskets", False)


def test_what_the_command_line_would_read_otherwise_is_said(tmp_path):
    path = tmp_path / "films.csv"
    path.write_text(FILES["films.csv"][0].replace("movieId", "item"))
    said = preview(source(path))["recognised"]
    assert "it can also be read as baskets, with a row per transaction ('userId') and item ('item')" in said
    assert "without --kind ratings" in said
    assert "guess" not in preview(source(path, kind="ratings"))["recognised"]


def test_parquet_files(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, columns, kind in (
        ("lists", {"items": [["a", "b"], ["c"]]}, "baskets"),
        ("ratings", {"user": ["a"], "item": ["x"], "rating": [1]}, "ratings"),
        ("people", {"age": [1, None], "sex": ["x", "y"], "town": ["k", "l"]}, "table"),
    ):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
        found = preview(source(tmp_path / f"{name}.parquet"))
        assert (found["kind"], found["problem"], found["columns"]) == (kind, None, list(columns))
    assert found["rows"] == [["1", "x", "k"], ["", "y", "l"]]


def test_another_encoding_and_separator(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes("order|item\n1|Käse\n".encode("latin-1"))
    found = preview(source(path, options={"encoding": "latin-1"}))
    assert (found["problem"], found["rows"]) == (None, [["1", "Käse"]])
    found = preview(source(path, options={"encoding": "nonsense"}))
    assert "nonsense" in found["problem"]


def test_items_are_searched_and_marked(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("order,item\n1,Red Wine\n2,red wine\n1,Beer\n2,Beer\n3,100%\n")
    shape = profile(source(path, kind="baskets"), str(tmp_path))
    assert (shape["transactions"], shape["items"], shape["longest"]) == (3, 4, 2)
    page = search_items(str(tmp_path), "wine", ["Red Wine"], 10, False)
    assert page["total"] == 2
    assert {row["item"]: row["sensitive"] for row in page["items"]} == {"Red Wine": True, "red wine": False}
    assert search_items(str(tmp_path), "", ["Beer"], 1, False)["items"][0] == {
        "item": "Beer",
        "support": 2,
        "sensitive": True,
        "codes": [],
    }
    assert search_items(str(tmp_path), "", ["Beer"], 9, True)["total"] == 1
    assert search_items(str(tmp_path), "0%", [], 9, False)["total"] == 1
    assert check_labels(str(tmp_path), "baskets", ["Beer"]) == ["Beer"]
    assert check_labels(str(tmp_path), "baskets", []) == []
    for label, words in (("Bear", "Did you mean 'Beer'"), ("Red Wine", "only in case")):
        with pytest.raises(Exception, match=words):
            check_labels(str(tmp_path), "baskets", [label])


def test_limits_are_those_of_the_guarantees():
    baskets = Baskets.of([["a", "s"], ["a"], ["b"], ["a", "b", "c"]] * 3, sensitive=["s"])
    found = limits(baskets, suggested_guarantees("baskets"))
    assert found["degree"] == {"blocked": None, "largest": {"p": 4.0}, "hard": ["p"], "admissible_up_to": []}
    assert found["km-anonymity"]["largest"] == {"k": 12.0, "m": 3.0}
    assert "none is named" in limits(baskets.with_sensitive([]), suggested_guarantees("baskets"))["degree"]["blocked"]
    assert "half" in limits(baskets.with_sensitive(["a"]), suggested_guarantees("baskets"))["degree"]["blocked"]
    table = Table.of({"age": [20, 20, 30], "ill": ["x", "y", "x"]}, sensitive=["ill"])
    found = limits(table, suggested_guarantees("table"))
    assert found["k-anonymity"]["largest"] == {"k": 3.0}
    assert found["l-diversity"]["largest"] == {"l": 2.0, "k": 3.0}
    ratings = Ratings.of([[1, 2], [1, 3]], issues=["a", "b"], scale="1:5")
    assert limits(ratings, suggested_guarantees("ratings"))["k-eps-l"]["largest"] == {
        "k": 2.0,
        "epsilon": 4.0,
    }
    for scale, epsilon in (("1:5", 1), ("-10:10:continuous", 2), ("0:1:0.01", 0.1)):
        ratings = Ratings.of([[1, 1], [1, 0.5 if scale[0] != "1" else 1]], issues=["a", "b"], scale=scale)
        assert limits(ratings, suggested_guarantees("ratings"))["k-eps-l"]["suggested"] == {"epsilon": epsilon}
