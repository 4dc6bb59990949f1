"""What all generators have in common, and the shape of people, surveys and viewers."""

import math

import numpy as np
import pytest

import covey
from covey.errors import ParameterError
from covey.io.writing import write_table
from covey.synth import Shop, people, quest, shop, survey, viewers


def values(table, name):
    column = table.column(name)
    return np.array(column.values)[column.codes]


def everything(data):
    if isinstance(data, covey.Table):
        return [values(data, column.name).tolist() for column in data.columns]
    return data.baskets if isinstance(data, Shop) else data


QUEST = {"items": 60, "mean_length": 8.0, "patterns": 25, "pattern_length": 3.0}


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (people, {"rows": 50}),
        (survey, {"respondents": 50, "issues": 5, "answered": 0.8}),
        (viewers, {"people": 300, "titles": 50, "mean_length": 5, "longest": 20}),
        (quest, {"transactions": 500, **QUEST}),
        (shop, {"transactions": 100}),
        (shop, {"transactions": 100, "customers": 20}),
    ],
)
def test_the_seed_makes_the_data(make, shape):
    one, again, other = (everything(make(**shape, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize(("make", "shape"), [(quest, QUEST), (shop, {})])
def test_longer_run_begins_with_shorter_one(make, shape, monkeypatch):
    short = everything(make(transactions=300, seed=5, **shape))
    monkeypatch.setitem(make.__globals__, "CHUNK", 64)  # which must not matter
    long = everything(make(transactions=1_000, seed=5, **shape))
    assert [short.basket(i) for i in range(300)] == [long.basket(i) for i in range(300)]


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
    assert everything(again) == everything(table)
    assert covey.anonymize(again, "l-diversity(l=3, k=10)", seed=1).n <= 300


def test_profiles_make_people_alike():
    alike = survey(respondents=200, issues=6, profiles=1, noise=0.0, seed=1)
    columns = alike.only(~alike.sensitive).codes.reshape(200, 5)
    assert (columns == columns[0]).all()
    assert len(np.unique(survey(respondents=200, issues=6, profiles=0, seed=1).codes)) == 6
    assert survey(respondents=1, seed=1).n == 1


def test_viewers_have_lengths_as_asked():
    made = viewers(people=5_000, titles=300, mean_length=9, longest=120, tastes=5, seed=4)
    lengths = made.lengths()
    assert (made.n, made.d) == (5_000, 300)
    assert (lengths.min(), lengths.max()) == (1, 120)
    assert lengths.mean() == pytest.approx(9, rel=0.02)
    assert viewers(people=40, titles=30, mean_length=4, longest=30, seed=2).lengths().max() == 30


@pytest.mark.parametrize(
    ("make", "name", "value", "wanted"),
    [
        (people, "rows", 0, "an integer >= 1"),
        (survey, "noise", 2, "a number >= 0 and <= 1"),
        (viewers, "people", 0, "an integer >= 1"),
        (viewers, "longest", 5_000, "at most 'titles' (4496)"),
        (viewers, "mean_length", 0.5, "a number >= 1 and <= 2060"),
        (viewers, "seed", -1, "an integer >= 0"),
        (quest, "transactions", 10.5, "an integer >= 1"),
        (quest, "items", 2**31, "an integer <= 2147483647"),
        (quest, "patterns", True, "an integer >= 1"),
        (quest, "mean_length", math.nan, "a number >= 1 and <= 1000"),
        (quest, "pattern_length", "4", "a number >= 1 and <= 1000"),
        (quest, "corruption", None, "a number >= 0 and <= 1"),
        (shop, "customers", 0, "an integer >= 1"),
    ],
)
def test_wrong_parameter_is_named_with_what_would_work(make, name, value, wanted):
    with pytest.raises(ParameterError) as error:
        make(**{name: value})
    assert str(error.value) == f"The '{name}' parameter of {make.__name__} must be {wanted}. Got {value!r} instead."


def test_a_table_is_written_as_csv_alone(tmp_path):
    with pytest.raises(ParameterError, match=r"End it in \.csv"):
        write_table(people(rows=1), tmp_path / "people.xlsx")
