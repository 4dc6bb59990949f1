"""Conditions on rows: what they mean, and what is said of those that mean nothing."""

import numpy as np
import pytest

from covey.errors import InputError, ParameterError
from covey.io.rows.conditions import condition

ROWS = {
    "Quantity": ["1", "-2", None, "30"],
    "Unit Price": ["1.5", "0", "2", "2"],
    "Country": ["Germany", "france", "Germany", "O'Land"],
    "when": ["2011-12-09", "2010-01-01", "2011-01-01", "2012-02-29"],
}


def kept(text):
    found = condition(text)(lambda name: (np.arange(4), ROWS[name]))
    return [int(row) for row in np.flatnonzero(found)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Quantity > 0", [0, 3]),
        ("not Quantity > 0", [1, 2]),
        ("Quantity is missing or `Unit Price` = 0", [1, 2]),
        ("Quantity is not missing", [0, 1, 3]),
        ("Quantity != 1", [1, 3]),
        ("Country = 'O''Land' or Country == \"france\"", [1, 3]),
        ("Country in ('Germany', 'france') and not (when < '2011-01-01')", [0, 2]),
        ("Quantity not in (1, 30)", [1]),
        ("Country like 'GER*'", [0, 2]),
        ("when >= '2011-01-01' AND when < '2012-01-01'", [0, 2]),
        ("`Unit Price` <= 1.5e0 and Quantity >= -2.0", [0, 1]),
    ],
)
def test_meaning(text, rows):
    assert kept(text) == rows


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a column is missing"),
        ("Quantity > 0 Country", "'and' or 'or' is expected instead of 'Country'"),
        ("(Quantity > 0", r"'\)' is missing"),
        ("Quantity > zero", "a number or a text in quotes is expected instead of 'zero'"),
        ("Quantity ; 0", "at character 10: '; 0' is not understood"),
        ("__import__('os') = 1", "a comparison such as '>' is expected"),
        ("Quantity is 3", "followed by 'missing'"),
        ("(" * 60 + "a = 1" + ")" * 60, "too many parentheses"),
    ],
)
def test_what_is_no_condition(text, told):
    with pytest.raises(ParameterError, match=told):
        condition(text)


def test_a_text_is_not_compared_with_a_number():
    with pytest.raises(InputError, match="'Germany' is not a number"):
        kept("Country > 3")
