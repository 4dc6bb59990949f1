"""Traces on Spark: keyed by the row's id, private, and with them every row, group and person is compared."""

import json
import shutil
import stat
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import InputError, ParameterError
from covey.registry import method as make_method
from covey.release.grouping import grouped
from covey.release.store import save
from covey.release.trace import digest_of
from covey.spark.make import writing
from covey.synth import shop

EXACT = {
    "grouped": {"every published basket is that of its own original", "every group counts what its members hold"},
    "sets": {"every published set covers items of its own original alone"},
}
HOW = {
    "grouped": ("degree(p=4)", {"person": "person"}),
    "sets": ("k-anonymity(k=20)", {"person": "person"}),
    "rows": ("degree(p=4)", {"row_is_person": True}),
}


@pytest.fixture(scope="module")
def visits():
    return shop(transactions=500, customers=120, seed=3).baskets


@pytest.fixture(scope="module")
def table(visits, tmp_path_factory):
    """Visits in Parquet: their number, customer and items."""
    path = tmp_path_factory.mktemp("visits") / "visits.parquet"
    items = [visits.basket(row) for row in range(visits.n)]
    columns = {"visit": [f"v{row}" for row in range(visits.n)], "person": [f"c{one}" for one in visits.person]}
    pq.write_table(pa.table({**columns, "items": items}), path)
    return path


@pytest.fixture(scope="module", params=[pytest.param("rows", marks=pytest.mark.slow), "grouped", "sets"])
def traced(request, spark, visits, table, tmp_path_factory):
    """A release in parts, its trace, and its original."""
    folder, (guarantee, whose) = tmp_path_factory.mktemp("traced"), HOW[request.param]
    given = {"transaction": "visit", **whose}
    if request.param != "sets":
        given["sensitive"] = visits.sensitive_items()[:3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "PART", 1_500)
        how = {"seed": 1, "engine": "spark", "trace": folder / "trace"}
        published = covey.publish(covey.Source.of(table, **given), folder / "release", guarantee, **how)
    return folder, published, covey.Source.of(table, **given)


def test_every_row_is_compared_with_its_own_original(spark, traced):
    folder, published, original = traced
    kind = published.manifest.kind
    assert len(list((folder / "trace" / "rows").iterdir())) > 1
    again = covey.verify(folder / "release", original, engine="spark", trace=folder / "trace")
    assert again.holds, again.failures()
    names = {check.name for check in again.checks}
    assert names == {check.name for check in published.verdict.checks}
    assert names >= EXACT[kind]
    without = covey.verify(folder / "release", original, engine="spark")
    assert without.holds
    assert any(check.name.startswith("not checked without the trace") for check in without.checks)
    for path in (folder / "trace").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) in (0o600, 0o700), path


def rows_of(trace):
    return pa.concat_tables(pq.read_table(path) for path in sorted((trace / "rows").iterdir()))


def rewrite(trace, rows):
    shutil.rmtree(trace / "rows")
    (trace / "rows").mkdir()
    pq.write_table(rows, trace / "rows" / "part-00000.parquet", compression="zstd", store_schema=False)


def exchanged(rows):
    """Everybody is published as somebody else."""
    return rows.set_column(0, "id", pa.array(rows.column("id").to_pylist()[1:] + rows.column("id").to_pylist()[:1]))


def lost(rows):
    return rows.slice(1)


def invented(rows):
    return rows.set_column(0, "id", pa.array(["nobody", *rows.column("id").to_pylist()[1:]]))


@pytest.mark.parametrize("forge", [exchanged, lost, invented], ids=lambda forge: forge.__name__)
def test_a_trace_that_is_not_true_is_refused(spark, traced, tmp_path, forge):
    folder, _, original = traced
    shutil.copytree(folder / "trace", tmp_path / "trace")
    rewrite(tmp_path / "trace", forge(rows_of(folder / "trace")))
    verdict = covey.verify(folder / "release", original, engine="spark", trace=tmp_path / "trace")
    assert not verdict.holds


def test_the_trace_of_another_release_is_named(spark, traced, tmp_path):
    folder, _, original = traced
    shutil.copytree(folder / "trace", tmp_path / "trace")
    (tmp_path / "trace" / "trace.json").write_text(json.dumps({"format": "covey-trace/2", "release": "0" * 64}))
    for trace, words in ((tmp_path / "trace", "of another release"), (folder / "release", "is no trace")):
        with pytest.raises(InputError, match=words):
            covey.verify(folder / "release", original, engine="spark", trace=trace)


def test_measures_by_person_work_with_the_trace(spark, traced):
    folder, published, original = traced
    if published.manifest.facts.get("unit") != "person" or published.manifest.kind != "grouped":
        return
    how = {"engine": "spark", "known": 1, "queries": 5}
    with pytest.raises(ParameterError, match="needs the trace"):
        covey.evaluate(folder / "release", original, **how)
    found = covey.evaluate(folder / "release", original, trace=folder / "trace", **how).to_dict()
    assert found["kl"]["uniform"]


@pytest.mark.slow
def test_a_person_in_two_groups_is_found(spark, visits, table, tmp_path):
    secret = visits.sensitive_items()[:3]
    marked = visits.with_sensitive(secret)
    group = (marked.person % 2).astype(np.int64)
    often = np.bincount(marked.person)[marked.person] > 2
    moved = np.flatnonzero(often & (marked.only(marked.sensitive).lengths() == 0))[0]
    group[moved] = 1 - group[moved]  # one visit, and with it its person, who is in both groups now
    made = make_method("cahd", merge=False).statement(covey.guarantee("degree(p=2)"))
    torn = grouped(marked, group, 2, made=made, seed=1)
    (tmp_path / "torn").mkdir()
    save(torn, tmp_path / "torn")
    sizes = torn.group_sizes().tolist()
    numbers = [0, 1] if sizes == np.bincount(group).tolist() else [1, 0]
    trace = tmp_path / "trace"
    (trace / "rows").mkdir(parents=True)
    where = pa.array([numbers[one] for one in group], pa.int64())
    rewrite(trace, pa.table({"id": [f"v{row}" for row in range(visits.n)], "group": where}))
    about = {"format": "covey-trace/2", "release": digest_of(replace(torn, totals=None))}
    (trace / "trace.json").write_text(json.dumps(about))
    original = covey.Source.of(table, transaction="visit", person="person", sensitive=secret)
    verdict = covey.verify(tmp_path / "torn", original, trace=trace, engine="spark")
    assert "all transactions of a person are in one group" in {check.name for check in verdict.failures()}


def test_rows_without_an_id_have_no_trace(spark, frame, visits, tmp_path):
    plain = replace(visits.with_sensitive([]), person=None, names=None)
    with pytest.raises(ParameterError, match="no id, so there is no trace"):
        covey.publish(frame(plain), tmp_path / "out", "k-anonymity(k=20)", engine="spark", trace=tmp_path / "trace")
    assert list(tmp_path.iterdir()) == []
    published = covey.publish(frame(plain), tmp_path / "out", "k-anonymity(k=20)", engine="spark")
    assert any(check.name.startswith("not checked without the trace") for check in published.verdict.checks)


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["degree(p=4)", "k-anonymity(k=20)"])
def test_a_saved_dataset_keeps_the_trace_for_both_engines(spark, visits, tmp_path, guarantee):
    data = visits.with_sensitive(visits.sensitive_items()[:3] if guarantee.startswith("degree") else [])
    data.save(tmp_path / "shop.covey")
    covey.publish(tmp_path / "shop.covey", tmp_path / "out", guarantee, engine="spark", seed=1)
    for engine in ("local", "spark"):
        verdict = covey.verify(tmp_path / "out", tmp_path / "shop.covey", engine=engine)
        assert verdict.holds, verdict.failures()
        assert not any(check.name.startswith("not checked") for check in verdict.checks)
