"""Generated tables of people."""

import numpy as np
import pytest

import covey
from covey.errors import ParameterError
from covey.io.writing import write_table
from covey.synth import people


def values(table, name):
    column = table.column(name)
    return np.array(column.values)[column.codes]


def test_the_same_seed_draws_the_same_people():
    one, again, other = (people(rows=50, seed=seed) for seed in (1, 1, 2))
    assert all((values(one, c.name) == values(again, c.name)).all() for c in one.columns)
    assert any((values(one, c.name) != values(other, c.name)).any() for c in one.columns)


def test_illness_goes_with_age():
    table = people(rows=5_000, seed=1)
    age, illness, job = values(table, "age").astype(float), values(table, "illness"), values(table, "job")
    assert age[illness == "cancer"].mean() > age[illness == "asthma"].mean() + 20
    assert set(job[age < 19]) == {"pupil"}
    assert (np.unique(illness, return_counts=True)[1] > 50).all()


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_what_is_written_is_what_is_read(tmp_path, name):
    table = people(rows=300, seed=1)
    write_table(table, tmp_path / name)
    again = covey.read_table(tmp_path / name, quasi=["age", "zip", "sex", "job"], sensitive=["illness"])
    for column in table.columns:
        assert (values(again, column.name) == values(table, column.name)).all()
    released = covey.anonymize(again, "l-diversity(l=3, k=10)", seed=1)
    assert released.n <= 300


def test_bad_parameters(tmp_path):
    with pytest.raises(ParameterError, match="rows"):
        people(rows=0)
    with pytest.raises(ParameterError, match=r"End it in \.csv"):
        write_table(people(rows=1), tmp_path / "people.xlsx")
