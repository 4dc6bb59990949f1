"""The KL error on Spark is the local one, of releases written on Spark and locally; what does not fit is refused."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import covey
from covey.errors import InputError, ParameterError, TamperedRelease
from covey.measure.kl import WORKLOADS
from covey.measure.kl import kl as local_kl
from covey.release import read_release


@pytest.fixture(scope="module")
def baskets() -> covey.Baskets:
    rng = np.random.default_rng(5)
    rows = [
        [*(f"i{item:02d}" for item in rng.choice(25, rng.integers(0, 5), replace=False))]
        + ["s"] * (row % 9 == 0)
        + ["t"] * (row % 31 == 0)
        for row in range(500)
    ]
    return covey.Baskets.of(rows, sensitive=["s", "t"])


@pytest.fixture(scope="module")
def folder(baskets, tmp_path_factory):
    """A directory with the data and a release of it, made locally."""
    made = tmp_path_factory.mktemp("kl")
    (made / "data.dat").write_text(
        "".join(" ".join(baskets.basket(row)) + "\n" for row in range(baskets.n) if baskets.lengths()[row])
    )
    covey.publish(baskets, made / "local", "degree(p=4)", seed=1)
    covey.publish(covey.read(made / "data.dat"), made / "file", "degree(p=4)", sensitive="s,t", seed=1)
    return made


@pytest.fixture(scope="module")
def sets(baskets, spark):
    from covey.spark.reading import frame_of, read

    return read(frame_of(baskets, spark)).persist()


@pytest.mark.slow
@pytest.mark.parametrize("engine", [pytest.param("local", marks=pytest.mark.slow), "spark"])
def test_every_query_has_the_error_of_the_local_metric(baskets, folder, sets, engine):
    from covey.spark.measure.evaluation import kl
    from covey.spark.measure.published import pair

    if engine == "spark":
        covey.publish(sets, folder / "spark", "degree(p=4)", "cahd", sensitive=["s", "t"], seed=1, engine="spark")
    release = read_release(folder / engine)
    both = pair(folder / engine, sets)
    for workload in WORKLOADS:
        ours = kl(both, r=3, queries=40, workload=workload, seed=2)
        theirs = local_kl(release, baskets, r=3, queries=40, workload=workload, seed=2)
        np.testing.assert_allclose(ours.errors, theirs.errors, rtol=1e-9, atol=1e-12)
        assert ours.mean == pytest.approx(theirs.mean)
        assert ours.standard_error == pytest.approx(theirs.standard_error)


def test_a_release_of_other_data_is_refused(baskets, folder, spark):
    from covey.spark.measure.published import pair
    from covey.spark.reading import frame_of, read

    fewer = covey.Baskets.of([baskets.basket(row) for row in range(baskets.n - 1)])
    with pytest.raises(InputError, match="499 transactions, the release 500"):
        pair(folder / "local", read(frame_of(fewer, spark)))
    other = covey.Baskets.of([[*baskets.basket(row)[:-1], "new"] for row in range(baskets.n)])
    with pytest.raises(InputError, match="which the release counts"):
        pair(folder / "local", read(frame_of(other, spark)))


def test_a_release_that_was_changed_or_is_of_another_kind_is_refused(baskets, folder, sets, tmp_path):
    from covey.spark.measure.published import pair

    shutil.copytree(folder / "local", tmp_path / "changed")
    with (tmp_path / "changed" / "sensitive.parquet").open("ab") as file:
        file.write(b"!")
    with pytest.raises(TamperedRelease, match=r"sensitive\.parquet"):
        pair(tmp_path / "changed", sets)
    covey.publish(baskets, tmp_path / "csv", "degree(p=4)", csv=True)
    with pytest.raises(ParameterError, match="CSV"):
        pair(tmp_path / "csv", sets)
    covey.publish(baskets.with_sensitive([]), tmp_path / "sets", "k-anonymity(k=2)")
    with pytest.raises(ParameterError, match="grouped"):
        pair(tmp_path / "sets", sets)


@pytest.mark.slow
def test_the_command_line_measures_the_same_on_both_engines(folder, covey_cli, spark):
    command = ("evaluate", folder / "file", "--original", folder / "data.dat", "--json", "--known", "1")
    code, printed, said = covey_cli(*command, "--engine", "spark", "--queries", "30")
    assert code == 0, said
    ours = json.loads(printed)
    theirs = json.loads(covey_cli(*command, "--queries", "30")[1])
    for workload in WORKLOADS:
        assert ours["kl"][workload]["mean"] == pytest.approx(theirs["kl"][workload]["mean"])
    assert ours["groups"] == theirs["groups"]
    assert [row["known"] for row in ours["exposure"]] == [1]
    for mine, local in zip(ours["exposure"], theirs["exposure"], strict=True):
        assert mine["link_after"] == pytest.approx(local["link_after"], abs=0.03)
        assert mine["worst_after"] <= 0.25


def test_engines_and_masters_are_checked(folder, covey_cli):
    command = ("evaluate", folder / "file", "--original", folder / "data.dat")
    code, _, said = covey_cli(*command, "--engine", "hadoop")
    assert code == 2
    assert "'local', 'spark'" in said
    code, _, said = covey_cli(*command, "--master", "local[1]")
    assert code == 2
    assert "choose the engine spark" in said


def test_what_is_not_measured_on_spark_is_refused(folder, covey_cli, tmp_path):
    command = ("evaluate", folder / "file", "--original", folder / "data.dat", "--engine", "spark")
    tree = tmp_path / "tree.csv"
    tree.write_text("i01,all\n")
    for option, words in ((("--top", "7"), "frequent itemsets"), (("--taxonomy", tree), "taxonomy")):
        code, _, said = covey_cli(*command, *option)
        assert (code, words in said) == (2, True), said


def test_quantiles_from_counts_are_those_of_the_values():
    from covey.measure.profile import spread

    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 100):
        values = rng.integers(0, 9, size)
        assert spread(*np.unique(values, return_counts=True)) == pytest.approx(spread(values))
