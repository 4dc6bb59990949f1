"""Releases written on Spark: parts that the local verifier reads, the same bytes for the same seed, all or nothing."""

import json
import shutil

import pytest

import covey
import covey.engines.spark
from covey.engines.spark import release as module
from covey.errors import Infeasible, OutputError, ParameterError
from covey.release.manifest import read_manifest
from covey.synth import quest


@pytest.fixture(scope="module")
def baskets():
    made = quest(transactions=1_500, items=40, mean_length=5, patterns=20, seed=3)
    rare = [made.items[i] for i in made.supports().argsort()[:4]]
    return made.with_sensitive(rare)


@pytest.fixture(scope="module")
def grouped(spark, baskets, tmp_path_factory):
    from covey.engines.spark.frames import frame_of

    out = tmp_path_factory.mktemp("grouped") / "50% of [1] * é"  # nothing here is a pattern or a code
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.write_grouped, "__kwdefaults__", {"part": 2_000})
        covey.engines.spark.anonymize(
            frame_of(baskets, spark), "degree(p=4)", out=out, sensitive=baskets.sensitive_items(), seed=1
        )
    return out


def test_a_release_in_parts_is_read_and_verified_locally(grouped, baskets):
    manifest = read_manifest(grouped)
    parts = [name for name in manifest.files if name.startswith("transactions/part-")]
    assert len(parts) > 1
    assert covey.verify(grouped, baskets).holds
    release = covey.read_release(grouped)
    assert release.transactions.n == baskets.n
    assert release.counts() == dict(manifest.counts)


def test_both_engines_say_the_same_of_a_release(spark, grouped, baskets, frame):
    local, there = covey.verify(grouped), covey.engines.spark.verify(grouped)
    assert there.to_dict() == local.to_dict()
    fully = covey.engines.spark.verify(grouped, frame(baskets), sensitive=baskets.sensitive_items())
    assert fully.holds
    assert any("exactly as often" in check.name for check in fully.checks)


def test_the_seed_makes_the_bytes_and_no_seed_fresh_ones(spark, baskets, frame, tmp_path):
    prints = []
    for number, (parts, seed) in enumerate([(1, 7), (6, 7), (6, None)]):
        data = frame(baskets).repartition(parts)
        out, sensitive = tmp_path / str(number), baskets.sensitive_items()
        made = covey.engines.spark.anonymize(data, "degree(p=4)", out=out, sensitive=sensitive, seed=seed)
        prints.append(made.manifest.fingerprint)
    assert prints[0] == prints[1]
    assert prints[2] != prints[0]
    assert covey.verify(tmp_path / "2", baskets).holds


def test_a_changed_missing_or_foreign_part_is_noticed(spark, grouped, tmp_path):
    for change in ("changed", "missing", "foreign"):
        copy = tmp_path / change
        shutil.copytree(grouped, copy)
        part = copy / "transactions" / "part-00000.parquet"
        if change == "changed":
            part.write_bytes(part.read_bytes()[:-1] + b"x")
        elif change == "missing":
            part.unlink()
        else:
            (copy / "transactions" / "part-99999.parquet").write_bytes(b"x")
        for verdict in (covey.verify(copy), covey.engines.spark.verify(copy)):
            assert not verdict.holds
            assert "transactions/part-" in verdict.failures()[0].detail


def test_a_name_that_leads_out_of_the_release_is_missing(grouped, tmp_path):
    from dataclasses import replace

    copy = tmp_path / "copy"
    shutil.copytree(grouped, copy)
    manifest = read_manifest(copy)
    strange = replace(manifest, files={**manifest.files, "../secret": "0" * 64})
    (copy / "manifest.json").write_bytes(strange.to_bytes())
    assert "../secret is missing" in covey.verify(copy).failures()[0].detail


def test_force_replaces_a_release_in_parts_but_no_stranger(spark, grouped, baskets, frame, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(grouped, out)
    with pytest.raises(OutputError, match="exists already"):
        covey.engines.spark.anonymize(frame(baskets), "k-anonymity(k=60)", out=out)
    (out / "transactions" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"transactions/notes\.txt"):
        covey.engines.spark.anonymize(frame(baskets), "k-anonymity(k=60)", out=out, force=True)


def test_what_cannot_be_done_leaves_nothing(spark, baskets, frame, tmp_path):
    with pytest.raises(Infeasible, match="only 3 transactions"):
        covey.engines.spark.anonymize(
            spark.createDataFrame([(["a"],)] * 3, "items array<string>"),
            "k-anonymity(k=5)",
            out=tmp_path / "out",
        )
    with pytest.raises(ParameterError, match="does not run on Spark"):
        covey.engines.spark.anonymize(frame(baskets), "degree(p=2)", "anatomy", out=tmp_path / "out")
    with pytest.raises(OutputError, match="all executors share"):
        covey.engines.spark.anonymize(frame(baskets), "k-anonymity(k=5)", out="s3://bucket/out")
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_works_on_spark(spark, covey_cli, tmp_path):
    data = tmp_path / "data.dat"
    data.write_text("1 2\n1 2 3\n1 2\n4\n4 5\n4\n" * 10)
    out = tmp_path / "out"
    code, said, _ = covey_cli(
        "anonymize", data, "-o", out, "-g", "k-anonymity(k=3)", "--engine", "spark", "--seed", "1", "--json"
    )
    assert code == 0
    assert json.loads(said)["counts"]["transactions"] == 60
    code, said, _ = covey_cli("verify", out, "--engine", "spark", "--original", data, "--json")
    assert (code, json.loads(said)["holds"]) == (0, True)
    code, _, said = covey_cli("anonymize", data, "-o", out, "-g", "k-anonymity(k=3)", "--master", "local[2]")
    assert (code, "--engine spark" in said) == (2, True)


def test_the_order_of_rows_does_not_tell_who_holds_what(spark, tmp_path):
    """Whoever guesses the seed must not learn from the order which of the members has the sensitive item."""
    from covey.engines.spark.frames import frame_of, read

    public = [[f"i{row}", f"i{row + 1}"] for row in range(12)]
    orders = []
    for holder in (2, 9):
        rows = [[*items, "secret"] if row == holder else items for row, items in enumerate(public)]
        sets = read(frame_of(covey.Baskets.of(rows), spark), sensitive=["secret"])
        grouped = sets.rows().selectExpr("0L AS group", "row", "items")
        stage = tmp_path / str(holder)
        stage.mkdir()
        statement = module.Statement(method="cahd", guarantee="degree(p=12)", options={})
        module.write_grouped(grouped, sets, stage, statement=statement, seed=1)
        written = spark.read.parquet((stage / "transactions").as_uri()).collect()
        orders.append([tuple(row["items"]) for row in written])
    assert orders[0] == orders[1]
    assert orders[0] != sorted(orders[0])
