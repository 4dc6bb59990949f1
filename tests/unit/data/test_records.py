"""Records: attributes and items of the same persons."""

import numpy as np
import pytest

import covey
from covey.data import Baskets, Records, Table


def test_as_many_sets_as_rows():
    with pytest.raises(covey.InputError, match="attributes are given of 2 persons, but items of 1"):
        Records.of({"age": [1, 2]}, [["a"]])


def test_nobody_has_two_rows():
    table = Table.of({"age": [1, 2]}, persons=["x", "x"])
    with pytest.raises(covey.InputError, match="one row"):
        Records(table, Baskets.of([[], []]))


def test_sensitive_things_are_columns_or_items():
    data = Records.of({"age": [1, 2], "ill": ["y", "n"]}, [["a", "t"], ["a"]], sensitive=["ill", "t"])
    assert [secret.label for secret in data.summary().secrets] == ["ill=n", "ill=y", "t"]
    assert data.baskets.sensitive_items() == ["t"]
    other = data.with_sensitive(["a"])
    assert [column.role for column in other.attributes.columns] == ["quasi", "quasi"]
    assert other.baskets.sensitive_items() == ["a"]


def test_some_of_the_persons():
    data = Records.of({"age": [1, 2, 3]}, [["a"], ["b"], []]).take([2, 0])
    assert data.n == 2
    assert data.attributes.column("age").codes.tolist() == [2, 0]
    assert [data.baskets.basket(i) for i in range(2)] == [[], ["a"]]


def test_what_can_be_known_are_attributes_and_items():
    from covey.measure.risk import facts

    data = Records.of({"age": [1, 2], "sex": ["f", "f"]}, [["a", "b"], []])
    known = facts(data)
    assert known.lengths().tolist() == [4, 2]
    assert np.sort(known.supports()).tolist() == [1, 1, 1, 1, 2]


def test_inspect_tells_of_both():
    from covey.measure.inspection import inspect_data

    tree = covey.Taxonomy.from_pairs([("a", "*")])
    body = inspect_data(Records.of({"age": [1, 2]}, [["a", "b"], []]), known=1, taxonomy=tree)
    assert (body["persons"], body["items"], body["without_items"], body["unique"]) == (2, 2, 1, 1.0)
    assert body["taxonomy"]["items_missing"] == ["b"]
