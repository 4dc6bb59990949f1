"""What is measured where persons are named: of persons, with all that their transactions hold."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import covey
from covey.measure.attacks import run_attacks
from covey.measure.evaluation import evaluate
from covey.measure.exposure import exposure
from covey.measure.inspection import inspect_data
from covey.measure.risk import reidentification
from covey.measure.study import Study
from oracles import persons as oracle
from strategies import examples, transactions


@st.composite
def visits(draw):
    rows, hidden = draw(transactions(max_rows=20))
    return rows, hidden, draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))


@given(visits())
def test_the_risk_of_a_person_is_exact_for_one_item(case):
    rows, _, persons = case
    found = reidentification(covey.Baskets.of(rows, persons=persons), 1)
    assert found.risk == pytest.approx(float(oracle.risk(rows, persons, 1)))


@given(visits())
@examples(10)
def test_the_risk_of_a_person_is_near_for_two(case):
    rows, _, persons = case
    found = reidentification(covey.Baskets.of(rows, persons=persons), 2, samples=4_000)
    assert found.risk == pytest.approx(float(oracle.risk(rows, persons, 2)), abs=0.05)


def shop(distinct=True):
    rng = np.random.default_rng(8)
    rows, names = [], []
    for person in range(80):
        for _ in range(int(rng.integers(1, 5))):
            row = {f"i{j}" for j in rng.integers(0, 12, 4)} | ({f"own{len(rows)}"} if distinct else set())
            rows.append(row | ({"s"} if person % 9 == 0 else set()))
            names.append(person)
    return covey.Baskets.of(rows, sensitive=["s"], persons=names)


@pytest.mark.parametrize("distinct", [True, False])
def test_the_view_by_person_is_the_release_with_linked_transactions(distinct):
    data = shop(distinct)
    release = covey.anonymize(data, "degree(p=4)", seed=3)
    study = Study(release, data).people
    seen = study.release
    assert (seen.transactions.n, study.marked.n) == (data.persons, data.persons)
    np.testing.assert_array_equal(seen.group_persons, seen.group_sizes())
    assert seen.count.sum() == release.count.sum()
    if distinct:
        assert sorted(seen.group_persons) == sorted(release.group_persons)
        assert sorted(seen.count / seen.group_persons[seen.count_group]) == sorted(
            release.count / release.group_persons[release.count_group]
        )


def test_nobody_who_links_all_transactions_of_a_person_is_surer_than_promised():
    data = shop()
    release = covey.anonymize(data, "degree(p=4)", seed=3)
    for known in (1, 2, 4):
        seen = exposure(Study(release, data).people, known, samples=200)
        assert seen.worst_after <= 0.25
    assert seen.worst_before == 1.0


def test_figures_speak_of_persons():
    data = shop()
    body = inspect_data(data, known=2, samples=100)
    assert (body["persons"], body["transactions"]) == (80, data.n)
    assert body["sensitive"][0]["persons"] == 9
    assert body["sensitive"][0]["largest_p"] == 80 // 9
    assert body["risk"][0]["eligible"] == 80
    release = covey.anonymize(data, "degree(p=4)", seed=3)
    assert evaluate(release, data, known=1, queries=5)["persons"] == 80
    results = run_attacks(release, data)
    assert "random person" in results[0].explanation
    assert results[0].details["worst_posterior"] <= 0.25
    assert release.estimate("s").persons == 9


def test_transactions_are_not_called_persons():
    data = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    release = covey.anonymize(data, "degree(p=2)", seed=1)
    assert "person" not in run_attacks(release, data)[0].explanation
    assert "persons" not in evaluate(release, data, known=1, queries=5)
    assert "persons" not in release.estimate("s").to_dict()


def test_tables_are_measured_by_person():
    columns = {"age": [30, 30, 40, 40], "sex": ["f", "f", "m", "m"]}
    named = covey.Table.of(columns, persons=["x", "x", "y", "z"])
    body = inspect_data(named, known=1)
    assert (body["persons"], body["unique"], body["found"]) == (3, 0.5, 0.75)
    assert body["risk"][0]["risk"] == pytest.approx((1 + 0.5 + 0.5) / 3)


@given(visits())
@examples(10)
def test_persons_are_needed_to_measure_what_counts_them(case):
    rows, _hidden, persons = case
    assume(len(set(persons)) > 2)
    data = covey.Baskets.of([row | {"x"} for row in rows] + [["s"]], sensitive=["s"], persons=[*persons, "who"])
    release = covey.anonymize(data, "degree(p=2)")
    with pytest.raises(covey.CoveyError, match="--person"):
        evaluate(release, covey.Baskets.of([data.basket(i) for i in range(data.n)], sensitive=["s"]))
