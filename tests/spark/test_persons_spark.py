"""Spark counts rows: persons are refused with what to do instead, never forgotten."""

import pytest

import covey
from covey.engines.spark import read
from covey.errors import ParameterError, UnnamedPersons


def frame_of(spark):
    rows = [(i, f"P{(3 * i + j) % 7}", f"C{i % 5}") for i in range(30) for j in range(2)]
    return spark.createDataFrame(rows, "order long, item string, customer_id string")


def test_persons_are_refused(spark, tmp_path):
    frame = frame_of(spark)
    with pytest.raises(ParameterError, match="--engine local"):
        covey.publish(frame, tmp_path / "out", "k-anonymity(k=2)", engine="spark", person="customer_id")
    assert not (tmp_path / "out").exists()


def test_a_column_that_looks_like_persons_is_told(spark):
    with pytest.warns(UnnamedPersons) as told:
        read(frame_of(spark))
    warning = told[0].message
    assert (warning.column, warning.persons, warning.rows, warning.most) == ("customer_id", 5, 30, 6)


@pytest.mark.parametrize("said", [{"row_is_person": True}, {"unit": "row"}, {"person": "customer_id", "unit": "row"}])
def test_nothing_is_said_to_who_has_said_it(spark, said):
    assert read(frame_of(spark), **said).n == 30


def test_releases_that_count_persons_are_verified_elsewhere(spark, tmp_path):
    data = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"], persons=["x", "x", "y", "z"])
    covey.publish(data, tmp_path / "out", "degree(p=2)")
    with pytest.raises(ParameterError, match=r"count persons\. Use the engine local"):
        covey.verify(tmp_path / "out", engine="spark")
