import csv
import json

import pyarrow.parquet as pq
import pytest

import covey
from covey.compare import run as running
from covey.compare.cells import expand
from covey.compare.config import read_comparison
from covey.compare.measures import measure_release
from covey.compare.run import run_comparison
from covey.errors import InputError, OutputError, ParameterError

SMALL = """
seeds = [1, 2]
[data.q]
generate = "quest(transactions=300, items=40, mean_length=3, seed=1)"
[experiment.p]
methods = ["cahd", "cahd(order=gray)"]
baseline = "cahd(order=gray)"
guarantee = "degree(p={p})"
sensitive = { random = 3, share = 0.2 }
metrics = ["kl(r=2, queries=20)", "count(of=groups)", "seconds"]
vary = { p = [2, 4] }
[experiment.r]
methods = ["cahd"]
guarantee = "degree(p=4)"
sensitive = { random = 3, share = 0.2 }
metrics = ["kl(r={r}, queries=20)"]
vary = { r = [2, 3] }
[experiment.shape]
metrics = ["transactions", "reidentification(known=2, samples=50)"]
[experiment.picture]
picture = "band"
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def values(outcome):
    return [row["value"] for row in outcome.rows if row["metric"] != "seconds"]


def test_everything_is_measured_and_written(config, tmp_path):
    outcome = run_comparison(config, tmp_path / "out", jobs=1)
    # p: 2 methods × 2 p × 2 seeds; r shares the releases of p = 4; shape: one job per seed.
    assert outcome.jobs == 8 + 2
    assert len(outcome.rows) == 8 * 3 + 4 + 4
    assert all(row["value"] is not None for row in outcome.rows)
    assert not outcome.problems
    names = {file.name for file in outcome.files}
    assert {
        "results.parquet",
        "results.csv",
        "summary.csv",
        "p-kl.svg",
        "p-kl.png",
        "p-kl-ratio.svg",
    } <= names
    assert {"picture.svg", "picture.png", "r.svg"} <= names
    assert all(file.stat().st_size for file in outcome.files)
    table = pq.read_table(tmp_path / "out" / "results.parquet").to_pylist()
    with (tmp_path / "out" / "results.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(table) == len(outcome.rows)
    for written, kept in zip(rows, table, strict=True):
        assert float(written["value"]) == kept["value"]
        assert written["p"] == ("" if kept["p"] is None else str(kept["p"]))
        assert written["method"] == (kept["method"] or "")


def test_a_run_that_stops_goes_on_where_it_stopped(config, tmp_path, monkeypatch):
    whole = run_comparison(config, tmp_path / "whole", jobs=1, plots=False)
    seen = []

    def stop_after_three(stage, done):
        seen.append(done)
        if len(seen) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_comparison(config, tmp_path / "out", jobs=1, plots=False, progress=stop_after_three)
    assert not (tmp_path / "out" / "results.csv").exists()
    calls, real = [], running.run_job
    monkeypatch.setattr(running, "run_job", lambda job: (calls.append(job), real(job))[1])
    again = run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    assert again.reused == 3
    assert len(calls) == again.jobs - 3
    assert values(again) == values(whole)


def test_a_damaged_result_is_made_again(config, tmp_path):
    first = run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    files = sorted((tmp_path / "out" / "cells").iterdir())
    assert all(file.suffix == ".json" for file in files)
    files[0].write_text("{", encoding="utf-8")
    files[1].write_text(json.dumps({"format": "other"}), encoding="utf-8")
    again = run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    assert again.reused == first.jobs - 2
    assert values(again) == values(first)


def test_a_new_metric_runs_without_losing_the_old_ones(config, tmp_path):
    run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    config.write_text(SMALL.replace("vary = { r = [2, 3] }", "vary = { r = [2, 3, 4] }"), encoding="utf-8")
    again = run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    assert again.jobs - again.reused == 2  # cahd at p = 4, two seeds
    assert all(row["value"] is not None for row in again.rows)


def test_changed_data_is_measured_again(tmp_path):
    (tmp_path / "d.dat").write_text("1 2\n2 3\n", encoding="utf-8")
    config = tmp_path / "c.toml"
    config.write_text("seeds = 1\n[data.d]\npath = 'd.dat'\n[experiment.x]\nmetrics = ['items']\n", encoding="utf-8")
    assert values(run_comparison(config, tmp_path / "out", jobs=1, plots=False)) == [3.0]
    (tmp_path / "d.dat").write_text("1 2\n2 3 4\n", encoding="utf-8")
    again = run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    assert (values(again), again.reused) == ([4.0], 0)


def test_processes_give_what_one_process_gives(config, tmp_path):
    alone = run_comparison(config, tmp_path / "one", jobs=1, plots=False, only=("shape",))
    both = run_comparison(config, tmp_path / "two", jobs=2, plots=False, only=("shape",))
    assert values(alone) == values(both)
    assert both.jobs == 2


def test_what_the_data_forbid_is_a_problem_of_its_cells_only(config, tmp_path):
    text = SMALL.replace("vary = { p = [2, 4] }", "vary = { p = [2, 200] }")
    config.write_text(text, encoding="utf-8")
    outcome = run_comparison(config, tmp_path / "out", jobs=1, only=("p",))
    assert "cannot be kept" in outcome.problems[0]
    missing = [row for row in outcome.rows if row["value"] is None]
    assert missing
    assert {row["p"] for row in missing} == {200}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cahd(order=gray)", "cahd(order=rendom)", "must be one of"),
        ('guarantee = "degree(p=4)"', 'guarantee = "degre(p=4)"', "There is no guarantee 'degre'"),
        ("kl(r={r}, queries=20)", "kk(r={r})", "There is no metric 'kk'"),
        ("kl(r={r}, queries=20)", "kl(s={r})", "has no parameter 's'"),
        ('"transactions", ', '"kl(r=2)", ', "of data without a method"),
        ("quest(transactions=300", "quost(transactions=300", "no generator"),
        ('generate = "quest', 'kind = "table"\ngenerate = "quest', "needs baskets"),
        ("sensitive = { random = 3", "sensitive = { rondom = 3", "no key 'rondom'"),
        ('"count(of=groups)"', '"gcp"', "no metric 'gcp' of a grouped release"),
        ("[data.q]", '[data.q]\nread = { separatr = ";" }', "no reading option 'separatr'"),
    ],
)
def test_what_cannot_run_is_refused(config, tmp_path, old, new, said):
    assert old in SMALL
    config.write_text(SMALL.replace(old, new), encoding="utf-8")
    with pytest.raises((InputError, ParameterError)) as caught:
        run_comparison(config, tmp_path / "out", jobs=1, plots=False)
    assert said in str(caught.value)


def test_unknown_experiments_and_unusable_directories(config, tmp_path):
    with pytest.raises(ParameterError, match="Did you mean 'shape'"):
        run_comparison(config, tmp_path / "out", only=("shap",))
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        run_comparison(config, tmp_path / "file", jobs=1, plots=False)


def test_jobs_are_shared_and_sensitive_items_follow_the_seed(config):
    jobs, cells = expand(read_comparison(config))
    assert len({job.key for job in jobs}) == len(jobs)
    assert {cell.job for cell in cells} == {job.key for job in jobs}
    assert {job.data.sensitive["seed"] for job in jobs if job.method} == {1, 2}


def test_metrics_of_other_releases_and_attacks_are_found_by_name(tmp_path):
    config = tmp_path / "c.toml"
    config.write_text(
        """
        seeds = 1
        [data.q]
        generate = "quest(transactions=200, items=30, mean_length=3, seed=1)"
        [experiment.sets]
        methods = ["pattern-ka"]
        guarantee = "k-anonymity(k=5)"
        metrics = ["gcp", "reidentification(known=1)"]
        [experiment.attacked]
        methods = ["cahd"]
        guarantee = "degree(p=4)"
        sensitive = { random = 2, share = 0.2 }
        metrics = ["pivot"]
        """,
        encoding="utf-8",
    )
    outcome = run_comparison(config, tmp_path / "out", jobs=1)
    assert [row["metric"] for row in outcome.rows] == ["gcp", "reidentification", "pivot"]
    assert all(0 < row["value"] < 1 for row in outcome.rows)
    assert outcome.rows[2]["standard_error"] > 0


def test_single_attacks_are_those_on_persons_where_a_release_counts_them():
    rows = [[f"i{n % 7}", f"j{n % 11}", *(["s"] if n % 10 == 0 else [])] for n in range(300)]
    visits = covey.Baskets.of(rows, sensitive=["s"], persons=[f"p{n // 3}" for n in range(300)])
    release = covey.anonymize(visits, "degree(p=2)", "cahd", seed=1)
    alone = {
        name: measure_release(name, release, visits, seconds=0.0, seed=3).value
        for name in ("linkage", "longest", "learned", "strong", "grey")
    }
    together = {one.attack: one.success_rate for one in covey.attack(release, visits, seed=3).results}
    assert alone == {name: together[name] for name in alone}
