from __future__ import annotations

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Ratings
from covey.errors import Infeasible, InputError, ParameterError
from covey.guarantees import guarantee
from covey.guarantees.k_eps_l import KEpsL
from covey.threads import VARIABLE
from covey.verify import neighbourhoods
from covey.verify.k_eps_l import curve, examine
from oracles import ratings as oracle
from strategies import examples

pytestmark = pytest.mark.kernel

ISSUES = ["a", "b", "c", "s", "t"]


@st.composite
def surveys(draw: st.DrawFn) -> tuple[list[list[int | None]], int]:
    """Records over three open and two sensitive issues on 1..r, many of them equal or nearly so."""
    r = draw(st.one_of(st.integers(2, 6), st.sampled_from([64, 65, 300])))
    cell = st.one_of(st.none(), st.integers(1, r))
    base = draw(st.lists(st.lists(cell, min_size=5, max_size=5), min_size=1, max_size=5))
    records = [list(record) for record in base]
    for _ in range(draw(st.integers(0, 12))):
        record = list(draw(st.sampled_from(base)))
        place = draw(st.integers(0, 4))
        record[place] = draw(cell)
        records.append(record)
    return records, r


@examples(40)
@given(
    surveys(),
    st.integers(1, 6),
    st.sampled_from([0, 0.5, 1, 2, 3, 5, 6, 7]),
    st.sampled_from([None, 0, 0.5, 1, 2]),
    st.sampled_from(["zero", "omit"]),
    st.sampled_from(["pairs", "exact bits", "coarse bits"]),
)
def test_all_algorithms_agree_with_the_definitions(survey, k, epsilon, l, nulls, inside):  # noqa: E741
    records, r = survey
    k = min(k, len(records))
    data = Ratings.of(records, issues=ISSUES, sensitive=["s", "t"], scale=f"1:{r}")
    promise = KEpsL(k, epsilon, l, nulls)
    groups = oracle.groups(records, range(3), epsilon, r)
    expected = oracle.violators(records, range(3), [3, 4], k, epsilon, l, r, nulls)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbourhoods, "LARGE", 512 if inside == "pairs" else 2)
        patch.setattr(neighbourhoods, "MOST_WORDS", 0 if inside == "coarse bits" else 1 << 20)
        patch.setattr(neighbourhoods, "MOST_LEVELS", 0 if inside == "coarse bits" else 64)
        found = [examine(promise, data, algorithm=a) for a in neighbourhoods.ALGORITHMS]
    for answer in found:
        assert answer.size.tolist() == [len(group) for group in groups]
        broken = zip(answer.breaks_k, answer.breaks_l, strict=True)
        assert [{*"k" * int(a), *"l" * int(b)} for a, b in broken] == expected
        assert answer.largest_k == min(map(len, groups))
        assert answer.deviation.tolist() == found[0].deviation.tolist()
        assert answer.worst.tolist() == found[0].worst.tolist()
    if l is not None:
        exact = [float(oracle.lowest_variance(records, group, [3, 4], nulls)) ** 0.5 for group in groups]
        np.testing.assert_allclose(found[0].deviation, exact, atol=1e-9)
    sliced = found[neighbourhoods.ALGORITHMS.index("slicing")]
    cliques = [len(oracle.trimmed(records, group, range(3), epsilon, r)) for group in groups]
    assert sliced.trimmed is not None
    assert sliced.trimmed.tolist() == cliques


@pytest.mark.parametrize("most", [0, 1 << 20])
def test_sensitive_ratings_are_left_alone_when_l_is_not_asked_for(monkeypatch, most):
    # They have no sums to be added to; adding them all the same wrote past the end of empty arrays.
    monkeypatch.setattr(neighbourhoods, "LARGE", 2)
    monkeypatch.setattr(neighbourhoods, "MOST_WORDS", most)
    data = Ratings.of([[1, 1, 1, 2, 1], [1, 2, 1, 1, 2], [1, 1, 2, 2, 2]], issues=ISSUES, sensitive="st", scale="1:2")
    answer = examine(KEpsL(2, 1), data)
    assert answer.size.tolist() == [3, 3, 3]
    assert answer.deviation.tolist() == [np.inf] * 3


@examples(25)
@given(st.lists(st.tuples(*[st.integers(0, 10)] * 3), min_size=1, max_size=25), st.integers(0, 11))
def test_ties_at_exactly_epsilon_on_a_decimal_scale(cells, tenths):
    records = [[value / 10 for value in record] for record in cells]
    exact = [[Fraction(value, 10) for value in record] for record in cells]
    data = Ratings.of(records, issues=["a", "b", "s"], sensitive=["s"], scale="0:1:0.1")
    groups = oracle.groups(exact, range(2), Fraction(tenths, 10), Fraction(11, 10))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbourhoods, "LARGE", 2)
        answer = examine(KEpsL(1, tenths / 10), data)
    assert answer.size.tolist() == [len(group) for group in groups]


def survey(n: int, seed: int = 0, answered: float = 0.9) -> Ratings:
    rng = np.random.default_rng(seed)
    centres = rng.integers(1, 7, (4, 6))
    values = np.clip(centres[rng.integers(0, 4, n)] + rng.integers(-1, 2, (n, 6)), 1, 6)
    cells = np.where(rng.random((n, 6)) < answered, values, 0)
    return Ratings.of(
        [[int(v) if v else None for v in row] for row in cells],
        issues=["a", "b", "c", "d", "e", "s"],
        sensitive=["s"],
        scale="1:6",
    )


@pytest.mark.parametrize("algorithm", neighbourhoods.ALGORITHMS)
def test_first_stops_at_a_violator(algorithm, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "CHUNK", 16)
    data = survey(200)
    whole = examine(KEpsL(50, 1), data, algorithm=algorithm)
    early = examine(KEpsL(50, 1), data, algorithm=algorithm, first=True)
    assert not early.holds
    assert not early.complete
    assert set(early.violators()) <= set(whole.violators())
    assert "largest_k" not in early.to_dict()
    assert examine(KEpsL(1, 1), data, algorithm=algorithm, first=True).complete


def test_one_record_and_records_without_ratings():
    alone = Ratings.of([[None, None]], issues=["a", "s"], sensitive=["s"], scale="1:5")
    assert examine(KEpsL(1, 0), alone).holds
    assert examine(KEpsL(1, 0, 0), alone).holds
    assert not examine(KEpsL(1, 0, 0.1), alone).holds
    empty = Ratings.of([[None, 1], [None, 5], [None, None]], issues=["a", "s"], sensitive=["s"], scale="1:5")
    assert examine(KEpsL(3, 0), empty).holds
    # Two ratings with mean 3 and one null: (4 + 4 + 9) / 3, or (4 + 4) / 2 when nulls are left out.
    assert examine(KEpsL(3, 0, 0), empty).largest_l == pytest.approx((17 / 3) ** 0.5, abs=1e-6)
    assert examine(KEpsL(3, 0, 0, "omit"), empty).largest_l == 2.0
    only = Ratings.of([[1], [2]], issues=["s"], sensitive=["s"], scale="1:5")
    assert examine(KEpsL(2, 0, 0.5), only).holds


def test_a_verdict_names_a_witness_and_the_violators_go_to_a_file(tmp_path):
    data = Ratings.of([[1, 1], [1, 1], [5, 3]], issues=["a", "s"], sensitive=["s"], scale="1:5", users=["x", "y", "z"])
    answer = examine(KEpsL(2, 1, 1), data)
    verdict = answer.verdict()
    assert not verdict.holds
    assert "'z' is alone" in verdict.checks[0].detail
    assert answer.write_violators(tmp_path / "who.csv") == 3
    with (tmp_path / "who.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["breaks"] for row in rows] == ["l", "l", "k+l"]
    assert rows[2] == {"user": "z", "breaks": "k+l", "group_size": "1", "lowest_deviation": "0", "issue": "s"}
    assert answer.protected([1, 2, 3]) == [{"k": 1, "share": 1.0}, {"k": 2, "share": 2 / 3}]


def test_curve_grows_with_epsilon():
    points = curve(survey(200))
    ks = [point["k"] for point in points]
    assert ks == sorted(ks)
    assert ks[-1] == 200
    assert [point["epsilon"] for point in points] == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k-eps-l(k=0, epsilon=1)", "'k' parameter"),
        ("k-eps-l(k=2, epsilon=-1)", "'epsilon' parameter"),
        ("k-eps-l(k=2, epsilon=nan)", "'epsilon' parameter"),
        ("k-eps-l(k=2, epsilon=1, l=-2)", "'l' parameter"),
        ("k-eps-l(k=2, epsilon=1, nulls=no)", "'nulls' parameter"),
        ("k-eps-l(k=2)", "needs the parameter 'epsilon'"),
    ],
)
def test_bad_parameters(text, message):
    with pytest.raises(ParameterError, match=message):
        guarantee(text)


def test_text_goes_there_and_back():
    for text in (
        "k-eps-l(k=20, epsilon=1, l=2)",
        "k-eps-l(k=5, epsilon=0.5)",
        "k-eps-l(k=2, epsilon=0, l=1, nulls=omit)",
    ):
        assert guarantee(text).text == text


def test_impossible_requests():
    data = Ratings.of([[1], [2]], issues=["a"], scale="1:5")
    with pytest.raises(ParameterError, match="no issue is named as sensitive"):
        examine(KEpsL(2, 1, 1), data)
    with pytest.raises(Infeasible, match="largest feasible k is 2") as caught:
        examine(KEpsL(3, 1), data)
    assert caught.value.best == 2
    with pytest.raises(InputError, match="no respondents"):
        examine(KEpsL(1, 1), Ratings.of([], issues=["a"], scale="1:5"))
    with pytest.raises(ParameterError, match="algorithm"):
        examine(KEpsL(1, 1), data, algorithm="magic")


def test_the_number_of_threads_is_the_one_asked_for(monkeypatch):
    ratings = survey(300)
    promise = guarantee("k-eps-l(k=2, epsilon=1)")
    found = []
    for asked in ("1", "3"):
        monkeypatch.setenv(VARIABLE, asked)
        found.append(examine(promise, ratings).size.tolist())
    assert found[0] == found[1]
    monkeypatch.setenv(VARIABLE, "none")
    with pytest.raises(ParameterError, match=VARIABLE):
        examine(promise, ratings)


def test_fewer_respondents_than_k_are_a_verdict():
    survey = covey.Ratings.of([[1, 6], [2, 5]], issues=["a", "b"], scale="1:6")
    verdict = covey.check(survey, "k-eps-l(k=3, epsilon=1)")
    assert not verdict.holds
    assert "only 2 respondents" in verdict.failures()[0].detail
