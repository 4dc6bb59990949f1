import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.compare.config import Comparison, Experiment
from covey.compare.table import summarize


def comparison(baseline="b"):
    experiment = Experiment(
        name="e",
        title="e",
        data=("d",),
        methods=("a", "b"),
        guarantee="degree(p={p})",
        sensitive=None,
        metrics=("kl",),
        vary={"p": (2,)},
        seeds=(1, 2, 3),
        baseline=baseline,
        picture=None,
        plot=None,
    )
    return Comparison(title="t", data={}, experiments=(experiment,))


def row(method, seed, value, error=None):
    return {
        "experiment": "e",
        "data": "d",
        "method": method,
        "guarantee": "degree(p=2)",
        "p": 2,
        "seed": seed,
        "metric": "kl",
        "measure": "kl",
        "value": value,
        "standard_error": error,
        "problem": None,
    }


FIGURES = st.lists(st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)), min_size=2, max_size=6)


@given(FIGURES)
def test_means_and_ratios_are_those_of_the_textbook(pairs):
    rows = [row("a", seed, x) for seed, (x, _) in enumerate(pairs)]
    rows += [row("b", seed, y) for seed, (_, y) in enumerate(pairs)]
    a, b = summarize(comparison(), rows)
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    assert a["mean"] == pytest.approx(statistics.mean(xs))
    assert a["standard_error"] == pytest.approx(statistics.stdev(xs) / math.sqrt(len(xs)), abs=1e-12)
    ratio = statistics.mean(xs) / statistics.mean(ys)
    residuals = [x - ratio * y for x, y in pairs]
    error = statistics.stdev(residuals) / math.sqrt(len(xs)) / statistics.mean(ys)
    assert a["ratio"] == pytest.approx(ratio)
    assert a["ratio_error"] == pytest.approx(error, abs=1e-9)
    assert b["ratio"] is None


def test_a_single_run_keeps_its_own_error():
    a, _ = summarize(comparison(), [row("a", 1, 2.0, 0.5), row("b", 1, 4.0, 0.1)])
    assert (a["standard_error"], a["ratio"], a["ratio_error"]) == (0.5, 0.5, None)


def test_missing_runs_are_left_out_of_pairs():
    rows = [row("a", 1, 1.0), row("a", 2, 3.0), row("b", 1, None), row("b", 2, 2.0)]
    a, b = summarize(comparison(), rows)
    assert (a["mean"], a["runs"], a["ratio"]) == (2.0, 2, 1.5)
    assert (b["mean"], b["runs"]) == (2.0, 1)


def test_no_baseline_no_ratio_and_a_rival_of_zero_neither():
    rows = [row("a", 1, 1.0), row("b", 1, 0.0)]
    assert summarize(comparison(None), rows)[0]["ratio"] is None
    assert summarize(comparison(), rows)[0]["ratio"] is None
