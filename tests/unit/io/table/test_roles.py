"""Guessed roles of columns: by name, by uniqueness, by type, with reasons."""

import numpy as np
import pytest

from covey.data.table import Column
from covey.io.roles import guess
from covey.io.source import Source
from covey.local import engine

ROWS = 60


def column(name, values):
    """A column of these values, again and again."""
    labels = list(dict.fromkeys(map(str, values)))
    place = {label: number for number, label in enumerate(labels)}
    codes = [place[str(values[row % len(values)])] for row in range(ROWS)]
    return Column.of_codes(name, np.array(codes, np.int32), labels)


OWN = [f"x{i}" for i in range(ROWS)]
NUMBERS = list(range(1, ROWS + 1))

#: Names of columns as exports have them, their values, and what a steward would say they are.
HEADERS = [
    ("PatientID", OWN, "identifier"),
    ("last_name", ["Ito", "Roy", "Kim", "Cox", "Paz"], "identifier"),
    ("E-Mail", OWN, "identifier"),
    ("phone number", NUMBERS, "identifier"),
    ("homeAddress", OWN, "identifier"),
    ("SSN", OWN, "identifier"),
    ("row", NUMBERS, "identifier"),
    ("remarks", ["came back " * 8 + str(i) for i in range(20)], "identifier"),
    ("key", OWN, "identifier"),
    ("Diagnosis", ["flu", "gout"], "sensitive"),
    ("icd10_code", ["J10", "M10"], "sensitive"),
    ("annualIncome", NUMBERS, "sensitive"),
    ("capital-gain", [0, 0, 0, 5178], "sensitive"),
    ("political party", ["left", "right"], "sensitive"),
    ("HIV", ["pos", "neg"], "sensitive"),
    ("age", [30, 40], "quasi"),
    ("DateOfBirth", [f"19{i}-01-02" for i in range(20, 80)], "quasi"),
    ("ZIP", ["10115", "04109"], "quasi"),
    ("marital-status", ["single", "married"], "quasi"),
    ("native_country", ["FR", "DE"], "quasi"),
    ("product_name", ["ale", "tea", "rum", "gin", "sake"], "quasi"),
    ("card_type", ["visa", "amex"], "quasi"),
    ("visited", [f"2020-01-{i:02d}" for i in range(1, 31)] + [f"2020-03-{i:02d}" for i in range(1, 31)], "quasi"),
    ("q17", [1.5, 2.5, 3.5], "quasi"),
    ("manager", ["yes", "no"], "quasi"),  # has "age" in it, but not as a word
    ("study", ["trial 7"], "other"),
]


@pytest.mark.parametrize(("name", "values", "role"), HEADERS, ids=[name for name, _, _ in HEADERS])
def test_a_column_is_guessed(name, values, role):
    found = guess(column(name, values))
    assert found.role == role, found.why
    assert found.why.endswith(".")
    assert found.values == len(set(map(str, values)))
    assert set(found.examples) <= set(map(str, values)) or role == "identifier"


def test_a_few_rows_that_all_differ_say_nothing():
    assert guess(Column.of_codes("colour", np.arange(5, dtype=np.int32), list("abcde"))).role == "quasi"


def test_an_empty_column_is_left_out():
    assert guess(Column.of_codes("note", np.zeros(20, np.int32), [""])).role == "identifier"


def test_inspecting_tells_the_guesses_until_roles_are_named():
    data = {"name": OWN, "age": [i % 7 for i in range(ROWS)], "illness": ["flu", "gout"] * (ROWS // 2)}
    asked = {"known": 1, "samples": 10, "seed": 0}
    local = engine("local")
    found = local.inspect(Source.of(data, kind="table"), **asked)["guesses"]
    assert [one["role"] for one in found] == ["identifier", "quasi", "sensitive"]
    assert "guesses" not in local.inspect(Source.of(data, quasi="age"), **asked)
