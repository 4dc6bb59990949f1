"""Figures of data and releases on Spark are those of the local engine; larger data is sampled or refused."""

from __future__ import annotations

import pytest

import covey
from covey.errors import ParameterError
from covey.io import write
from covey.spark import measuring, read
from covey.synth import shop


@pytest.fixture(scope="module", params=["rows", "persons"])
def published(request, tmp_path_factory):
    """A file, a local release of it, and how to read it."""
    made = shop(transactions=600, customers=90 if request.param == "persons" else None, seed=3)
    folder = tmp_path_factory.mktemp("measuring")
    write(made.baskets, folder / "data.parquet")
    given = {"person": "person"} if request.param == "persons" else {"row_is_person": True}
    given["sensitive"] = made.baskets.sensitive_items()[:3]
    covey.publish(covey.Source.of(folder / "data.parquet", **given), folder / "release", "degree(p=3)", "cahd", seed=1)
    return folder / "data.parquet", folder / "release", given


def test_inspects_as_the_local_engine(spark, published):
    path, _, given = published
    ours, local = (
        covey.inspect(covey.Source.of(path, **given), engine=engine, known=2, samples=500, seed=1).to_dict()
        for engine in ("spark", "local")
    )
    for name in ours.keys() - {"risk"}:
        assert ours[name] == local[name], name
    assert ours["risk"][0] == pytest.approx(local["risk"][0])
    assert ours["risk"][1]["risk"] == pytest.approx(local["risk"][1]["risk"], abs=0.05)


def test_evaluates_as_the_local_engine(spark, published):
    path, release, given = published
    if "person" in given:
        with pytest.raises(ParameterError, match="needs the trace"):
            covey.evaluate(release, covey.Source.of(path, **given), engine="spark")
        return
    ours, local = (
        covey.evaluate(release, covey.Source.of(path, **given), engine=engine, queries=20, known=1, seed=1).to_dict()
        for engine in ("spark", "local")
    )
    for workload in ("uniform", "support"):
        assert ours["kl"][workload] == pytest.approx(local["kl"][workload])
    assert ours["patterns"] == local["patterns"]
    assert ours["groups"] == local["groups"]


def test_samples_what_the_driver_cannot_hold(spark, published, monkeypatch):
    path, release, given = published
    monkeypatch.setattr(measuring, "LARGEST", 1_000)
    monkeypatch.setattr(measuring, "SAMPLE", 800)
    whole = covey.inspect(covey.Source.of(path, **given), known=1).to_dict()
    found = covey.inspect(covey.Source.of(path, **given), engine="spark", known=1).to_dict()
    for name in ("transactions", "items", "entries", "density", "most_frequent", "sensitive"):
        assert found[name] == whole[name], name
    assert 0 < found["sampled"] < whole["transactions"]
    assert found["risk"][0]["risk"] >= whole["risk"][0]["risk"]
    with pytest.raises(ParameterError, match="the driver measures at most 1,000"):
        covey.evaluate(release, covey.Source.of(path, **given), engine="spark")


def test_collected_rows_do_not_depend_on_partitions(spark, published):
    path, _, given = published
    sets = read(path, **given)
    frame = spark.read.parquet(str(path)).repartition(5)
    assert measuring.collected(sets)[0] == measuring.collected(read(frame, **given))[0]


def test_engines_and_masters_are_checked(published, covey_cli):
    path, release, _ = published
    code, _, said = covey_cli("evaluate", release, "--original", path, "--engine", "hadoop")
    assert (code, "'local', 'spark'" in said) == (2, True)
    code, _, said = covey_cli("evaluate", release, "--original", path, "--master", "local[1]")
    assert (code, "choose the engine spark" in said) == (2, True)
