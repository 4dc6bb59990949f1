"""Spark against the local engine: losses on real data, jobs, data of the paper's largest shape, cost per entry.

- `spark`: pattern-ka on two executors of one core each on this machine; COVEY_BENCH_MASTER names another master. This
  data fits into one task, so it is also searched in shards, as larger data is.
- `spark_cahd`: `cahd` in eight parts; CPU seconds of all processes together.

Java 17 must be installed; where it is not, both are skipped.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.errors import MissingDependency
from covey.io import write
from covey.measure.kl import WORKLOADS, kl
from covey.measure.loss import gcp
from covey.release import read_release
from covey.synth import quest, viewers
from ratios import QUICK, SEEDS, baskets, main, report, scaled, with_random_sensitive

MASTER = os.environ.get("COVEY_BENCH_MASTER", "local[2]" if QUICK else "local-cluster[2,1,1024]")
SETTINGS = {"spark.executor.memory": "1g", "spark.driver.memory": "1g", "spark.driver.maxResultSize": "64m"}
#: Seconds that the paper's 80 machines took, by K.
PAPER = {500: 3 * 3600, 100: 14 * 3600}
#: Jobs from file to verified release, at most, where one task does the search.
JOBS = 25
#: Parts that the real data is cut into; by default data of this size is one part.
PARTS_OF_DATA, ROWS = 8, (scaled(10_000), scaled(100_000), scaled(400_000))


def spark_session(master: str, settings: Mapping[str, str]) -> Any:
    """Return a Spark session, or end with a reason."""
    try:
        from covey.spark.session import session

        return session(master, settings=settings)
    except MissingDependency as missing:
        print(f"skipped: {missing}")
        sys.exit(0)


def spark() -> None:
    """Compare pattern-ka on Spark with the local one and with the paper."""
    session = spark_session(MASTER, SETTINGS)
    with tempfile.TemporaryDirectory() as scratch:
        folder, viewing = Path(scratch), viewers(seed=1)
        viewing = viewing.take(np.arange(2_000)) if QUICK else viewing
        for k, paper in PAPER.items():
            started = time.perf_counter()
            covey.anonymize(viewing, f"k-anonymity(k={k})", seed=0)
            report(f"{viewing.n:,} viewers, K = {k}: local / paper", (time.perf_counter() - started) / paper, most=0.1)
            for seconds, way in against_local(session, f"{viewing.n:,} viewers", viewing, k, folder, loss=1.02):
                report(f"{viewing.n:,} viewers, K = {k}: {MASTER}{way} / paper", seconds / paper, most=0.2)
        for name in ("bms-webview-1", "bms-webview-2"):
            data = baskets(name)
            for k in (100,) if QUICK else (10, 100):
                against_local(session, name, data, k, folder, loss=1.0, jobs=JOBS)
    session.stop()


def against_local(
    session: Any, name: str, data: covey.Baskets, k: int, folder: Path, *, loss: float, jobs: int | None = None
) -> list[tuple[float, str]]:
    """Report the loss relative to the local engine's, whole and in shards; return the seconds of each."""
    from covey.spark.make import pattern_ka

    path, usual, found = folder / f"{name}.parquet", pattern_ka.ALONE, []
    write(data, path, force=True)
    local = gcp(covey.anonymize(data, f"k-anonymity(k={k})", seed=0), data).gcp
    for way, most in (("", loss), (" in shards", 1.02)):
        out = folder / f"{name}-{k}{way}"
        session.sparkContext.setJobGroup(str(out), "")
        pattern_ka.ALONE = 0 if way else usual
        started = time.perf_counter()
        try:
            covey.publish(path, out, f"k-anonymity(k={k})", seed=0, engine="spark")
        finally:
            pattern_ka.ALONE = usual
        seconds = time.perf_counter() - started
        count = len(session.sparkContext.statusTracker().getJobIdsForGroup(str(out)))
        note = f"{local:.4f}, {seconds:.0f} s, {count} jobs"
        report(
            f"{name}, K = {k}: GCP on Spark{way} / local",
            gcp(read_release(out), data).gcp / local,
            most=most,
            note=note,
        )
        if jobs is not None and not way:
            report(f"{name}, K = {k}: jobs on Spark", count, most=jobs, unit="")
        found.append((seconds, way))
    return found


def spark_cahd() -> None:
    """Compare the errors of CAHD on Spark with those of the local one, and its cost per entry by size."""
    from covey.spark.make import layout

    session = spark_session("local[2]", {"spark.driver.memory": "2g"})
    for name in ("bms-webview-1", "bms-webview-2", "retail"):
        plain = baskets(name)
        layout.PART_ROWS = -(-plain.n // PARTS_OF_DATA)
        for p in (10,) if QUICK else (4, 10, 20):
            errors = np.zeros((2, len(WORKLOADS)))
            for seed in range(SEEDS):
                data = with_random_sensitive(plain, 10, seed)
                for line, release in enumerate(
                    (on_spark(session, data, p), covey.anonymize(data, f"degree(p={p})", "cahd", seed=1))
                ):
                    errors[line] += [kl(release, data, queries=400, workload=workload).mean for workload in WORKLOADS]
            for workload, (there, here) in zip(WORKLOADS, errors.T, strict=True):
                report(f"{name}, p={p}, {workload}: KL in {PARTS_OF_DATA} parts over local", there / here, most=1.15)
    layout.PART_ROWS = scaled(100_000)
    spent = {}
    for rows in ROWS:  # the first compiles and starts workers
        data = with_random_sensitive(
            quest(transactions=rows, items=10_000, patterns=10_000, mean_length=10, seed=1), 10, 0
        )
        started = cpu_of_family()
        on_spark(session, data, 10)
        spent[rows] = (cpu_of_family() - started) / data.entries * 1e6
    report("CPU per entry, four times the rows over one", spent[ROWS[2]] / spent[ROWS[1]], most=1.2)
    session.stop()


def on_spark(session: Any, data: covey.Baskets, p: int) -> Any:
    """Return a release that `cahd` on Spark made."""
    from covey.spark.reading import frame_of, read

    with tempfile.TemporaryDirectory() as scratch:
        sets = read(frame_of(data, session), sensitive=data.sensitive_items())
        covey.publish(sets, Path(scratch) / "release", f"degree(p={p})", "cahd", seed=1, engine="spark")
        return read_release(Path(scratch) / "release")


def cpu_of_family() -> float:
    """Return the CPU time of this process and of all below it: Java, and the Python workers that it started."""
    table = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                numbers = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # Fields after the name: parent, and the ticks of the process and of its children that have ended.
            table[int(entry.name)] = (int(numbers[1]), sum(map(int, numbers[11:15])))
    family = {os.getpid()}
    while below := {pid for pid, (parent, _) in table.items() if parent in family} - family:
        family |= below
    return sum(table[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK")


PARTS = {"spark": spark, "spark_cahd": spark_cahd}

if __name__ == "__main__":
    main(PARTS)
