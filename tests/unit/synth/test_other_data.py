"""Generated tables of people, surveys and viewers have the shape they are asked for, and the seed makes the data."""

import numpy as np
import pytest

import covey
from covey.errors import ParameterError
from covey.io.writing import write_table
from covey.synth import people, survey, viewers


def values(table, name):
    column = table.column(name)
    return np.array(column.values)[column.codes]


def everything(data):
    return [values(data, c.name).tolist() for c in data.columns] if isinstance(data, covey.Table) else data


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (people, {"rows": 50}),
        (survey, {"respondents": 50, "issues": 5, "answered": 0.8}),
        (viewers, {"people": 300, "titles": 50, "mean_length": 5, "longest": 20}),
    ],
)
def test_the_seed_makes_the_data(make, shape):
    one, again, other = (everything(make(**shape, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


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
    ("make", "wrong"),
    [
        (people, {"rows": 0}),
        (survey, {"noise": 2}),
        (viewers, {"people": 0}),
        (viewers, {"longest": 5_000}),
        (viewers, {"mean_length": 0.5}),
        (viewers, {"focus": 2}),
        (viewers, {"tastes": 0}),
        (viewers, {"seed": -1}),
    ],
)
def test_wrong_parameters_are_named(make, wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        make(**wrong)


def test_a_table_is_written_as_csv_alone(tmp_path):
    with pytest.raises(ParameterError, match=r"End it in \.csv"):
        write_table(people(rows=1), tmp_path / "people.xlsx")
