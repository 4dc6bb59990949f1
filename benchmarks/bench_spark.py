"""pattern-ka on Spark: its loss against the local one, its jobs, and data of the paper's largest shape on a cluster.

All of this data fits into one task, so it is searched in shards too, as larger data is. The cluster is two executors of
one core each on this machine. Java 17 must be there; where it is not, or where the real data is missing, these lines
are skipped with a reason. Set COVEY_BENCH_MASTER to measure on another master.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import covey
from covey.io import write
from covey.measure.loss import gcp
from covey.synth import viewers
from ratios import data_dir, finish, report

MASTER = os.environ.get("COVEY_BENCH_MASTER", "local-cluster[2,1,1024]")
SETTINGS = {"spark.executor.memory": "1g", "spark.driver.memory": "1g", "spark.driver.maxResultSize": "64m"}
#: Seconds that the paper's 80 machines took.
PAPER = {500: 3 * 3600, 100: 14 * 3600}
#: Jobs from file to verified release, at most, where one task does the search.
JOBS = 25


def loss(release: Path, original: covey.Baskets) -> float:
    value: float = gcp(covey.read_release(release), original).gcp
    return value


def on_spark(data: Path | covey.Baskets, k: int, out: Path, *, in_shards: bool = False) -> tuple[float, int]:
    """Anonymize and verify on Spark; returns the seconds it took and the number of jobs."""
    from covey.spark.make import pattern_ka
    from covey.spark.session import session

    context, usual = session().sparkContext, pattern_ka.ALONE
    context.setJobGroup(str(out), "")
    pattern_ka.ALONE = 0 if in_shards else usual
    start = time.perf_counter()
    try:
        covey.publish(data, out, f"k-anonymity(k={k})", seed=0, engine="spark")
    finally:
        pattern_ka.ALONE = usual
    return time.perf_counter() - start, len(context.statusTracker().getJobIdsForGroup(str(out)))


def quality(folder: Path) -> None:
    for name in ("bms-webview-1", "bms-webview-2"):
        path = data_dir() / f"{name}.dat.gz"
        data = covey.read(path)
        for k in (10, 100):
            local = gcp(covey.anonymize(data, f"k-anonymity(k={k})", seed=0), data).gcp
            took, jobs = on_spark(data, k, folder / f"{name}-{k}")
            report(f"{name}, K = {k}: jobs on Spark", jobs, most=JOBS, unit="", note=f"{took:.0f} s")
            ratio = loss(folder / f"{name}-{k}", data) / local
            report(f"{name}, K = {k}: GCP on Spark / local", ratio, most=1.0, note=f"{local:.4f}")
            took, jobs = on_spark(data, k, folder / f"{name}-{k}-shards", in_shards=True)
            ratio = loss(folder / f"{name}-{k}-shards", data) / local
            told = f"{jobs} jobs, {took:.0f} s"
            report(f"{name}, K = {k}: GCP on Spark in shards / local", ratio, most=1.02, note=told)


def largest(folder: Path) -> None:
    data = viewers(seed=1)
    path = folder / "viewers.parquet"
    write(data, path)
    for k, paper in PAPER.items():
        name = f"{data.n:,} viewers, K = {k}"
        start = time.perf_counter()
        local = gcp(covey.anonymize(data, f"k-anonymity(k={k})", seed=0), data).gcp
        alone = time.perf_counter() - start
        report(f"{name}: local / paper", alone / paper, most=0.1, note=f"{alone:.0f} s")
        for way, in_shards in (("", False), (" in shards", True)):
            out = folder / f"viewers-{k}{way}"
            took, jobs = on_spark(data, k, out, in_shards=in_shards)
            report(f"{name}: {MASTER}{way} / paper", took / paper, most=0.2, note=f"{took:.0f} s, {jobs} jobs")
            ratio = loss(out, data) / local
            report(f"{name}: GCP on Spark{way} / local", ratio, most=1.02, note=f"{local:.4f}")


def main() -> None:
    from covey.errors import MissingDependency
    from covey.spark.session import require_java, session

    try:
        require_java()
        session(MASTER, settings=SETTINGS)
    except MissingDependency as missing:
        print(f"skipped: {missing}")
        return
    with tempfile.TemporaryDirectory() as folder:
        largest(Path(folder))
        quality(Path(folder))
    finish()


if __name__ == "__main__":
    main()
