"""k-anonymity and l-diversity of tables, against counting in plain Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import Infeasible, ParameterError
from covey.verify import check_data, compare
from oracles import tables as oracle
from strategies import table_of, table_rows


@given(table_rows(max_rows=30))
def test_the_k_of_a_table_counts_missing_values_as_values(rows):
    verdict = check_data(covey.guarantee("k-anonymity(2)"), table_of(rows))
    assert verdict.figures["k"] == oracle.smallest_class(rows)
    assert verdict.holds == (oracle.smallest_class(rows) >= 2)
    classes = [rows.count(row) for row in rows]
    assert verdict.figures["violating_rows"] == sum(size < 2 for size in classes)


def test_a_row_with_a_missing_value_is_not_left_out():
    rows = [(20, "cat", "Bonn")] * 3 + [(20, None, "Bonn")]
    verdict = check_data(covey.guarantee("k-anonymity(3)"), table_of(rows))
    assert not verdict.holds
    assert "animal = (missing)" in verdict.failures()[0].detail


@given(table_rows(max_rows=20), st.data(), st.sampled_from(["distinct", "frequency"]))
def test_the_l_of_a_table(rows, data, kind):
    secrets = data.draw(st.lists(st.sampled_from("uvw"), min_size=len(rows), max_size=len(rows)))
    promise = covey.guarantee(f"l-diversity(l=2, k=2, kind={kind})")
    verdict = check_data(promise, table_of(rows, secrets))
    reached = oracle.lowest_diversity(rows, secrets, kind == "frequency")
    assert verdict.figures["l"] == pytest.approx(reached)
    assert verdict.holds == (reached >= 2 and oracle.smallest_class(rows) >= 2)
    assert covey.guarantee(verdict.guarantee) == promise


def test_thirds_are_not_lost_to_rounding():
    rows, secrets = [(20, "cat", "Bonn")] * 9, list("uvwuvwuvw")
    assert check_data(covey.guarantee("l-diversity(l=3, kind=frequency)"), table_of(rows, secrets)).holds


def test_infeasible_demands_say_what_would_work():
    data = table_of([(20, "cat", "Bonn")] * 4, ["u", "u", "u", "v"])
    with pytest.raises(Infeasible, match="largest feasible k is 4") as caught:
        covey.guarantee("k-anonymity(5)").require_feasible(data.summary())
    assert caught.value.best == 4
    with pytest.raises(Infeasible, match=r"'u' is in 3 of 4 rows. The largest feasible l is 2"):
        covey.guarantee("l-diversity(3)").require_feasible(data.summary())
    with pytest.raises(Infeasible, match="No l is feasible"):
        covey.guarantee("l-diversity(2, kind=frequency)").require_feasible(data.summary())
    covey.guarantee("l-diversity(2)").require_feasible(data.summary())


def test_nothing_to_protect():
    data = table_of([(20, "cat", "Bonn")] * 4)
    with pytest.raises(ParameterError, match="none is named"):
        covey.guarantee("l-diversity(2)").require_feasible(data.summary())
    assert not check_data(covey.guarantee("l-diversity(2)"), data).holds
    with pytest.raises(ParameterError, match="no quasi-identifiers"):
        check_data(covey.guarantee("k-anonymity(2)"), covey.Table.of({"x": ["a"]}, sensitive=["x"]))


@pytest.mark.parametrize("text", ["k-anonymity(1)", "l-diversity(1)", "l-diversity(2, k=1)", "l-diversity(2, kind=x)"])
def test_bad_parameters(text):
    with pytest.raises(ParameterError, match="parameter of"):
        covey.guarantee(text)


def test_two_spellings_of_a_value_are_held_once_by_a_person():
    """One person writes the same illness in two ways: one of two persons holds it, not both."""
    columns = {"age": [30, 30, 30], "illness": ["flu", "Flu ", "gout"]}
    data = covey.Table.of(columns, sensitive=["illness"], persons=["ann", "ann", "bob"])
    promise = "l-diversity(l=2, k=2, kind=frequency)"
    assert data.summary().secrets[0].holders == 1
    assert covey.check(data, promise).holds
    release = covey.anonymize(data, promise, "mondrian", seed=0)
    assert release.holders.tolist() == [1, 1]
    assert all(check.passed for check in compare(release, data))
