"""CAHD on Spark: nearly the local estimates on real data, and a cost per entry that stays the same as data grows.

Times are CPU seconds of all processes together, so that other work on the machine hardly counts.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import covey
from covey.measure.kl import kl
from covey.release import read_release
from covey.synth.quest import quest
from ratios import data_dir, finish, report, with_random_sensitive

try:
    from covey.errors import MissingDependency
    from covey.spark.make import layout
    from covey.spark.reading import frame_of, read
    from covey.spark.session import session
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

#: Parts that the real data is cut into; by default data of this size is one part, and nothing would be shown.
PARTS, SEEDS, ROWS = 8, 2, (100_000, 400_000)
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """CPU time of this process and of all below it: Java, and the Python workers that it started."""
    table = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                numbers = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # Fields after the name: parent, and the ticks of the process and of its children that have ended.
            table[int(entry.name)] = (int(numbers[1]), sum(map(int, numbers[11:15])))
    inside, grown = {os.getpid()}, True
    while grown:
        below = {pid for pid, (parent, _) in table.items() if parent in inside} - inside
        inside, grown = inside | below, bool(below)
    return sum(table[pid][1] for pid in inside) / TICKS


def quality(spark: object, folder: Path, scratch: Path) -> None:
    """KL of CAHD on Spark over that of the local method."""
    for name in ("bms-webview-1", "bms-webview-2", "retail"):
        raw = covey.read(folder / f"{name}.dat.gz")
        layout.PART_ROWS = -(-raw.n // PARTS)
        for p in (4, 10, 20):
            errors = np.zeros((2, 2))
            for seed in range(SEEDS):
                data = with_random_sensitive(raw, 10, seed)
                sets = read(frame_of(data, spark), sensitive=data.sensitive_items())
                covey.publish(sets, scratch / "release", f"degree(p={p})", "cahd", seed=1, force=True, engine="spark")
                made = read_release(scratch / "release"), covey.anonymize(data, f"degree(p={p})", "cahd", seed=1)
                for line, release in enumerate(made):
                    for column, workload in enumerate(("uniform", "support")):
                        errors[line, column] += kl(release, data, queries=400, workload=workload).mean
            for column, workload in enumerate(("uniform", "support")):
                ratio = errors[0, column] / errors[1, column]
                report(f"{name}, p={p}, {workload}: KL in {PARTS} parts over local", ratio, most=1.15)


def growth(spark: object, scratch: Path) -> None:
    """CPU time per entry of a larger file over that of a smaller one, start-up left out."""
    layout.PART_ROWS = 100_000
    times = {}
    for rows in (10_000, *ROWS):  # the first compiles and starts workers
        data = with_random_sensitive(
            quest(transactions=rows, items=10_000, patterns=10_000, mean_length=10, seed=1), 10, 0
        )
        start = cpu_seconds()
        sets = read(frame_of(data, spark), sensitive=data.sensitive_items())
        covey.publish(sets, scratch / "release", "degree(p=10)", "cahd", seed=1, force=True, engine="spark")
        times[rows] = (cpu_seconds() - start) / data.entries * 1e6
        print(
            f"      {rows:,} rows, {data.entries:,} entries: {times[rows]:.1f} µs of CPU per entry",
            flush=True,
        )
    report("CPU per entry, four times the rows over one", times[ROWS[1]] / times[ROWS[0]], most=1.2)


def main() -> None:
    """Print the ratios."""
    try:
        spark = session("local[2]", settings={"spark.driver.memory": "2g"})
    except MissingDependency as missing:
        print(f"skipped: {missing}")
        sys.exit(0)
    folder = data_dir()
    with tempfile.TemporaryDirectory() as scratch:
        quality(spark, folder, Path(scratch))
        growth(spark, Path(scratch))
    spark.stop()
    finish()


if __name__ == "__main__":
    main()
