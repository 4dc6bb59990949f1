import numpy as np
import pytest

from covey import Hierarchy, Table
from covey.data import Column
from covey.data.spans import covered_codes, published_loss
from covey.data.table import number_text
from covey.errors import InputError
from strategies import table_of


def test_missing_values_are_values():
    table = table_of([(20, "cat", None), (None, None, "Bonn"), (30, "cat", "Bonn")])
    age, animal, city = table.columns
    assert age.values == ("20", "30", "")
    assert age.codes.tolist() == [0, 2, 1]
    assert animal.values[-1] == ""
    assert city.values == ("Bonn", "")


def test_columns_are_typed_by_their_values():
    table = Table.of({"n": [1, 2.5], "s": ["1", "x"], "b": [True, False]})
    assert [c.numeric for c in table.columns] == [True, False, False]
    assert Table.of({"n": [1, 2]}, hierarchies={"n": Hierarchy.flat(["1", "2"])}).columns[0].hierarchy


def test_roles():
    table = Table.of({"a": [1, 2], "b": ["x", "y"], "c": [3, 4]}, sensitive=["b"], other=["c"])
    assert repr(table) == "Table(2 rows, quasi: a; sensitive: b; other: c)"
    assert table.rows("quasi").tolist() == [[0], [1]]
    swapped = table.with_sensitive(["a"])
    assert [c.role for c in swapped.columns] == ["sensitive", "quasi", "other"]
    assert swapped.column("a").values == ("1", "2")
    with pytest.raises(InputError, match="no column 'z'"):
        table.with_sensitive(["z"])


def test_codes_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        table_of([(20, "cat", "Bonn")]).columns[0].codes[0] = 1


def test_positions_put_missing_values_apart():
    assert Column.of_numbers("x", [0, 5, 10, None]).positions().tolist() == [0, 0.5, 1, 2]
    assert Column.of_numbers("x", [7]).positions().tolist() == [0]
    assert Column.of_numbers("x", [7, None]).positions().tolist() == [0, 2]
    assert Column.of_numbers("x", np.array([np.nan])).positions().tolist() == [0]


def test_span_texts_are_understood_again():
    age, animal, _ = table_of([(-5, "cat", "x"), (2.5, "dog", "x"), (None, "hen", "x"), (1e-7, "cow", "x")]).columns
    for column in (age, animal):
        for low in range(len(column.values)):
            for high in range(low, len(column.values)):
                first, last = covered_codes(column, column.span_text(low, high))
                assert first <= low
                assert high <= last
                if column.numeric and column.span_text(low, high) != "*":
                    assert (first, last) == (low, high)


@pytest.mark.parametrize("text", ["mouse", "[1-2", "[30-20]", "1,5", "[x-y]", "99"])
def test_texts_that_mean_nothing(text):
    age, animal, _ = table_of([(20, "cat", "x"), (30, "dog", "x")]).columns
    assert covered_codes(age, text) is None
    assert covered_codes(animal, text) is None
    assert published_loss(age, text) is None


def test_published_losses():
    age, animal, _ = table_of([(20, "cat", "x"), (30, "dog", "x"), (60, None, "x")]).columns
    assert [published_loss(age, t) for t in ("20", "[20-30]", "*")] == [0.0, 0.25, 1.0]
    assert [published_loss(animal, t) for t in ("cat", "pet", "*", "")] == [0.0, 0.4, 1.0, 0.0]


def test_number_texts():
    assert [number_text(v) for v in (3.0, -2.5, 1e300)] == ["3", "-2.5", "1e+300"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [({}, "no columns left"), ({"a": [1, 2], "b": ["x"]}, "equally long"), ({"a": [float("inf")]}, "infinite")],
)
def test_bad_tables(columns, message):
    with pytest.raises(InputError, match=message):
        Table.of(columns)


def test_values_outside_a_hierarchy():
    with pytest.raises(InputError, match=r"'cta' is not in the hierarchy.*Did you mean 'cat'"):
        table_of([(1, "cta", "x")])
    with pytest.raises(InputError, match="a group, not a leaf"):
        table_of([(1, "pet", "x")])
