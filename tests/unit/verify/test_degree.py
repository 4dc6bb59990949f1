"""degree(p): parsing, feasibility, and its checker against a slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import Infeasible, ParameterError
from covey.guarantees.degree import Degree
from covey.release import grouping as publish
from covey.release.base import Statement
from covey.verify import check_release
from oracles import grouped as oracle
from strategies import baskets_of, transactions


def test_text_and_back():
    assert covey.guarantee("degree(p=10)") == covey.guarantee(" degree( 10 ) ") == Degree(10)
    assert covey.guarantee(Degree(10).text) == Degree(10)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("degree(p=1)", "must be an integer >= 2. Got 1 instead"),
        ("degree(p=2.5)", "must be an integer >= 2"),
        ("degree(p=true)", "must be an integer >= 2"),
        ("degree", "needs the parameter 'p'"),
        ("degree()", "needs the parameter 'p'"),
        ("degree(k=3)", "no parameter 'k'"),
        ("degree(2, p=3)", "given twice"),
        ("degree(2, 3)", "takes the parameters p"),
        ("degre(p=2)", "Did you mean 'degree'?"),
        ("degree(p=", "Cannot read"),
        ("degree(p=2,)", "Cannot read"),
        ("", "Cannot read"),
    ],
)
def test_bad_text_is_explained(text, says):
    with pytest.raises(ParameterError) as caught:
        covey.guarantee(text)
    assert says in str(caught.value)


def test_infeasible_names_the_item_and_the_best_p():
    data = covey.Baskets.of([["a", "s"], ["a", "s"], ["b", "t"], ["b"], ["c"]], sensitive=["s", "t"])
    Degree(2).require_feasible(data.summary())
    with pytest.raises(Infeasible) as caught:
        Degree(3).require_feasible(data.summary())
    assert caught.value.witness == "s"
    assert caught.value.best == 2
    assert "'s' is in 2 of 5" in str(caught.value)
    assert "largest feasible p is 2" in str(caught.value)


def test_infeasible_for_every_p():
    data = covey.Baskets.of([["a", "s"], ["a", "s"], ["b"]], sensitive=["s"])
    with pytest.raises(Infeasible, match="no p is feasible") as caught:
        Degree(2).require_feasible(data.summary())
    assert caught.value.best is None


def test_fewer_transactions_than_p():
    data = covey.Baskets.of([["a", "s"], ["b"]], sensitive=["s"])
    with pytest.raises(Infeasible, match="largest feasible p is 2"):
        Degree(3).require_feasible(data.summary())


def test_nothing_sensitive():
    with pytest.raises(ParameterError, match="--sensitive"):
        Degree(2).require_feasible(covey.Baskets.of([["a"]]).summary())


@given(transactions(), st.data(), st.integers(2, 6))
def test_checker_agrees_with_the_definition(data, draws, p):
    rows, hidden = data
    if not set().union(*hidden) or not set().union(*rows):
        return
    group = np.array([draws.draw(st.integers(0, 3)) for _ in rows])
    _, group = np.unique(group, return_inverse=True)
    count = int(group.max()) + 1
    release = publish.grouped(
        baskets_of(rows, hidden), group, count, made=Statement(guarantee="degree(p=2)", method="cahd"), seed=0
    )
    lowest = oracle.degree([[hidden[i] for i in np.flatnonzero(group == g)] for g in range(count)])
    verdict = check_release(Degree(p), release)
    assert verdict.holds == (lowest >= p)
    assert verdict.figures["degree"] == pytest.approx(float(lowest))


def test_a_sensitive_item_among_the_published_ones_is_found(fig1):
    release = covey.anonymize(fig1, "degree(p=2)")
    object.__setattr__(release, "sensitive_items", ("meat", "viagra"))
    verdict = check_release(Degree(2), release)
    assert not verdict.holds
    assert "'meat' is published in single transactions" in verdict.failures()[0].detail
