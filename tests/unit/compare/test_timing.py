from pathlib import Path

import pytest

from covey import Baskets
from covey.compare import measures
from covey.compare.cells import expand
from covey.compare.config import read_comparison
from covey.compare.measures import check_measure
from covey.compare.run import run_comparison
from covey.errors import Infeasible, InputError, ParameterError
from covey.synth import survey

SURVEY = """
seeds = [1]
[data.s]
kind = "ratings"
generate = "survey(respondents=60, issues=4, profiles=3, seed=1)"
[experiment.share]
metrics = ["check_seconds(k=20, epsilon=1, l=0.5, algorithm={algorithm}, share={share})"]
vary = { algorithm = ["auto", "slicing", "pairwise"], share = [0.1, 0.5, 1.0] }
plot = { x = "share", lines = ["algorithm"], yscale = "log" }
[experiment.shape]
metrics = ["transactions", "items", "entries"]
"""


def config(tmp_path, text):
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_time_to_check_a_survey_is_compared_and_drawn(tmp_path):
    outcome = run_comparison(config(tmp_path, SURVEY), tmp_path / "out", jobs=1)
    timed = [row for row in outcome.rows if row["experiment"] == "share"]
    assert len(timed) == 9
    for row in timed:
        # A tenth of 60 respondents is fewer than k; that must not take the other figures away.
        assert (row["value"] is None) == (row["share"] == 0.1)
    assert outcome.problems == [next(row["problem"] for row in timed if row["share"] == 0.1)]
    assert "only 6 respondents" in outcome.problems[0]
    assert [row["value"] for row in outcome.rows if row["experiment"] == "shape"] == [60, 4, 240]


def test_every_algorithm_is_run_on_the_share_asked_for(monkeypatch):
    seen = []
    real = measures.examine

    def examine(promise, data, *, algorithm="auto"):
        seen.append((promise.k, data.users, algorithm))
        return real(promise, data, algorithm=algorithm)

    monkeypatch.setattr(measures, "examine", examine)
    data = survey(respondents=80, issues=4, seed=1)
    for share in (0.25, 0.5, 1):
        measures.check_seconds(data, k=2, epsilon=1, algorithm="slicing", share=share, seed=3)
    assert {algorithm for *_, algorithm in seen} == {"slicing"}
    runs = [users for k, users, _ in seen if k == 2]
    assert [len(users) for users in runs] == [20] * 3 + [40] * 3 + [80] * 3
    assert set(runs[0]) < set(runs[3]) < set(runs[6])


def test_slow_work_is_not_repeated(monkeypatch):
    calls = []
    monkeypatch.setattr(measures, "ENOUGH", 1.0)
    assert measures.again(lambda: calls.append(1), 2.0) == [2.0]
    assert not calls
    assert len(measures.again(lambda: calls.append(1), 0.1)) == measures.REPEATS


def test_what_cannot_be_measured_is_refused(tmp_path):
    data = survey(respondents=30, issues=4, seed=1)
    with pytest.raises(Infeasible):
        measures.check_seconds(data, k=20, epsilon=1, share=0.5)
    with pytest.raises(ParameterError, match="share"):
        measures.check_seconds(data, k=2, epsilon=1, share=1.5)
    with pytest.raises(ParameterError, match="algorithm"):
        measures.check_seconds(data, k=2, epsilon=1, algorithm="fast")
    with pytest.raises(InputError, match='kind = "ratings"'):
        measures.check_seconds(Baskets.of([["a"]]), k=2, epsilon=1)
    with pytest.raises(ParameterError, match="needs the parameter 'epsilon'"):
        check_measure("check_seconds(k=2)", None)
    with pytest.raises(ParameterError, match="no parameter 'algoritm'"):
        check_measure("check_seconds(k=2, epsilon=1, algoritm=auto)", None)


def test_the_ratings_experiment_can_be_expanded(data_dir, monkeypatch):
    monkeypatch.setenv("COVEY_DATA", str(data_dir))
    jobs, cells = expand(read_comparison(Path(__file__).parents[3] / "experiments" / "ratings.toml"))
    assert len(jobs) == 4
    assert {cell.experiment for cell in cells} >= {"fig2a", "fig2b", "dense-epsilon", "million"}
