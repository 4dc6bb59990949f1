"""Releases written on Spark: parts that the local verifier reads, the same bytes for the same seed, all or nothing."""

import errno
import json
import shutil

import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import CoveyWarning, Infeasible, OutputError, ParameterError
from covey.io import write
from covey.release.base import Statement
from covey.release.manifest import read_manifest
from covey.spark.make import writing
from covey.spark.make.writing import write_grouped
from covey.spark.parts import Out
from covey.synth import quest


@pytest.fixture(scope="module")
def baskets():
    made = quest(transactions=1_500, items=40, mean_length=5, patterns=20, seed=3)
    rare = [made.items[i] for i in made.supports().argsort()[:4]]
    return made.with_sensitive(rare)


@pytest.fixture(scope="module")
def grouped(spark, baskets, tmp_path_factory):
    """A release in several parts."""
    from covey.spark.reading import frame_of

    out = tmp_path_factory.mktemp("grouped") / "50% of [1] * é"  # nothing here is a pattern or a code
    secret = baskets.sensitive_items()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "PART", 2_000)
        covey.publish(frame_of(baskets, spark), out, "degree(p=4)", "cahd", sensitive=secret, seed=1, engine="spark")
    return out


def test_a_release_in_parts_is_read_and_verified_locally(grouped, baskets):
    manifest = read_manifest(grouped)
    for table in ("transactions", "sensitive", "groups"):
        assert sum(name.startswith(f"{table}/part-") for name in manifest.files) > 1
    verdict = covey.verify(grouped, baskets)
    assert verdict.holds, verdict.failures()
    release = covey.read_release(grouped)
    assert release.transactions.n == baskets.n
    assert release.counts() == dict(manifest.counts)


@pytest.mark.parametrize("guarantee", ["degree(p=4)", pytest.param("k-anonymity(k=60)", marks=pytest.mark.slow)])
def test_spark_verifies_what_was_made_locally(spark, baskets, frame, tmp_path, guarantee):
    data = baskets if guarantee.startswith("degree") else baskets.with_sensitive([])
    covey.publish(data, tmp_path / "out", guarantee, seed=1)
    there = covey.verify(tmp_path / "out", engine="spark")
    assert there.to_dict() == covey.verify(tmp_path / "out").to_dict()
    fully = covey.verify(tmp_path / "out", frame(baskets), engine="spark")
    assert fully.holds, fully.failures()


@pytest.mark.slow
def test_the_seed_makes_the_bytes_and_no_seed_fresh_ones(spark, baskets, frame, tmp_path):
    prints = []
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    try:
        for number, (split, seed, batch) in enumerate([(1, 7, 50_000), (6, 7, 40), (6, None, 50_000)]):
            spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", batch)
            data, secret = frame(baskets).repartition(split), baskets.sensitive_items()
            made = covey.publish(
                data, tmp_path / str(number), "degree(p=4)", "cahd", sensitive=secret, seed=seed, engine="spark"
            )
            prints.append(made.manifest.fingerprint)
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", before)
    assert prints[0] == prints[1]
    assert prints[2] != prints[0]
    verdict = covey.verify(tmp_path / "2", baskets)
    assert verdict.holds, verdict.failures()


@pytest.mark.slow
def test_force_moves_a_release_in_parts_aside(spark, grouped, frame, tmp_path):
    out, few = tmp_path / "out", covey.Baskets.of([["a"], ["a"]])
    shutil.copytree(grouped, out)
    with pytest.raises(OutputError, match="--force"):
        covey.publish(frame(few), out, "k-anonymity(k=2)", engine="spark")
    (out / "transactions" / "notes.txt").write_text("mine")
    with pytest.warns(CoveyWarning, match=r"moved to .*out\.1"):
        covey.publish(frame(few), out, "k-anonymity(k=2)", force=True, engine="spark")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.1"]
    assert (tmp_path / "out.1" / "transactions" / "notes.txt").read_text() == "mine"
    assert covey.verify(out, few).holds


def test_what_cannot_be_done_leaves_nothing(spark, baskets, frame, tmp_path):
    def refused(error, words, data, guarantee, method=None, out=tmp_path / "out", **options):
        with pytest.raises(error, match=words):
            covey.publish(data, out, guarantee, method, engine="spark", **options)

    few = spark.createDataFrame([(["a"],)] * 3, "items array<string>")
    refused(Infeasible, "only 3 transactions", few, "k-anonymity(k=5)")
    refused(ParameterError, "does not run on Spark; matched, cahd and pattern-ka do", few, "degree(p=2)", "anatomy")
    refused(ParameterError, "does not write CSV", few, "k-anonymity(k=2)", csv=True)
    refused(ParameterError, "treats all items alike", few, "k-anonymity(k=2)", sensitive=["a"])
    marked = covey.spark.read(frame(baskets), sensitive=baskets.sensitive_items())
    refused(ParameterError, "treats all items alike", marked, "k-anonymity(k=2)")
    refused(ParameterError, "not a list", [["a"], ["a"]], "k-anonymity(k=2)")
    refused(OutputError, "all executors share", few, "k-anonymity(k=2)", out="s3://bucket/out")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_verified_on_spark_is_refused(spark, baskets, frame, tmp_path):
    covey.publish(baskets, tmp_path / "csv", "degree(p=4)", csv=True)
    covey.publish(baskets.with_sensitive([]), tmp_path / "km", "km-anonymity(k=2, m=1)", "mm")
    covey.publish(baskets, tmp_path / "plain", "degree(p=4)")
    for name, words, given in [
        ("csv", "written as CSV", {}),
        ("km", "km-anonymity of a sets release", {}),
        ("plain", "taxonomy", {"taxonomy": {"i": "all"}}),
        ("plain", "give it too", {"sensitive": ["1"]}),
    ]:
        with pytest.raises(ParameterError, match=words):
            covey.verify(tmp_path / name, engine="spark", **given)
    with pytest.raises(ParameterError, match="does not read ratings"):
        covey.verify(tmp_path / "plain", tmp_path / "csv", kind="ratings", engine="spark")


def test_a_full_disk_is_an_output_error(spark, baskets, frame, tmp_path, monkeypatch):
    whole = writing.write_parts

    def full(number, table):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing, "write_parts", lambda rows, out, make: whole(rows, out, full))
    with pytest.raises(OutputError, match="Free some space"):
        covey.publish(
            frame(baskets),
            tmp_path / "out",
            "degree(p=4)",
            sensitive=baskets.sensitive_items(),
            engine="spark",
        )
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_works_on_spark(spark, covey_cli, tmp_path):
    data, out = tmp_path / "data.parquet", tmp_path / "out"
    rows = [["1", "2"], ["1", "2", "3"], ["1", "2"], ["4"], ["4", "5"], ["4"]] * 10
    write(covey.Baskets.of(rows), data)
    code, said, _ = covey_cli(
        "anonymize", data, "-o", out, "-g", "k-anonymity(k=3)", "--engine", "spark", "--seed", "1", "--json"
    )
    assert code == 0
    assert json.loads(said)["counts"]["transactions"] == 60
    code, said, _ = covey_cli("verify", out, "--engine", "spark", "--original", data, "--json")
    assert (code, json.loads(said)["holds"]) == (0, True)
    code, _, said = covey_cli("anonymize", data, "-o", out, "-g", "k-anonymity(k=3)", "--master", "local[2]")
    assert (code, "choose the engine spark" in said) == (2, True)


@pytest.mark.slow
def test_the_order_of_rows_does_not_tell_who_holds_what(spark, frame, tmp_path):
    """Whoever guesses the seed must not learn from the order which of the members has the sensitive item."""
    public = [[f"i{row}", f"i{row + 1}"] for row in range(12)]
    orders = []
    for holder in (2, 9):
        rows = [[*items, "secret"] if row == holder else items for row, items in enumerate(public)]
        sets = covey.spark.read(frame(covey.Baskets.of(rows)), sensitive=["secret"])
        stage = tmp_path / str(holder) / "new"
        stage.mkdir(parents=True)
        made = Statement(method="cahd", guarantee="degree(p=12)")
        rows = sets.rows.selectExpr("0L AS group", "row", "items")
        write_grouped(rows, sets, Out(release=stage, trace=None), made=lambda notes, made=made: made, seed=1)
        written = pq.read_table(stage / "transactions" / "part-00000.parquet").to_pylist()
        orders.append([tuple(row["items"]) for row in written])
    assert orders[0] == orders[1]
    assert orders[0] != sorted(orders[0])


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "notes"), [(1, ("alpha",)), pytest.param(50, (), marks=pytest.mark.slow)])
def test_groups_that_were_searched_too_near_are_noted(frame, tmp_path, alpha, notes):
    # A chain of rows, each like its neighbours; those at both ends hold the secret, far from those that do not.
    secret = [["s"] if abs(i - 799.5) > 400 else [] for i in range(1_600)]
    chain = covey.Baskets.of([[f"i{i}", f"i{i + 1}", *secret[i]] for i in range(1_600)])
    how = {"sensitive": ["s"], "seed": 1, "engine": "spark", "alpha": alpha}
    published = covey.publish(frame(chain), tmp_path / "out", "degree(p=2)", "cahd", **how)
    assert published.manifest.notes == notes
