"""A column that says how many of an item there were is not passed over in silence."""

import pandas as pd
import pytest

import covey
from covey.errors import IgnoredQuantities
from readers import saved

FRAME = pd.DataFrame(
    {"order": [1, 1, 2, 3, 3], "item": list("abacb"), "Quantity": [1, 3, -2, 1, 12], "price": [1.5] * 5}
)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
def test_quantities_are_said_to_be_ignored(how, tmp_path):
    with pytest.warns(IgnoredQuantities) as told:
        data = covey.read(saved(FRAME, tmp_path, how))
    assert (data.n, data.entries) == (3, 5)
    warning = told[0].message
    assert (warning.column, warning.rows, warning.others, warning.negative) == ("Quantity", 5, 3, 1)
    assert "In 3 of 5 rows the quantity is not 1. In 1 it is below 0, perhaps for returns" in str(warning)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
@pytest.mark.parametrize("values", [[1, 1, 1, 1, 1], [1.0, None, 1.0, None, 1.0], ["few", "1", "2", "3", "4"]])
def test_nothing_is_said_of_single_items_nor_of_what_is_no_number(how, values, tmp_path):
    covey.read(saved(FRAME.assign(Quantity=values), tmp_path, how))


def test_nothing_is_said_when_the_column_is_the_item(tmp_path):
    covey.read(FRAME.drop(columns="item"), transaction="order", item="Quantity")
