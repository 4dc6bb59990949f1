"""What measuring a release costs beside making it, and what a second core brings.

CPU seconds of one process, kernels compiled: `evaluate` and the whole report with its attacks, over making, writing and
verifying the release. Then wall time with one thread over all, which means something on calm cores only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import covey
from covey.attacks import run_attacks
from covey.metrics.reidentification import reidentification
from covey.synth import quest
from covey.threads import VARIABLE, threads
from ratios import cpu_seconds, data_dir, finish, report, seconds, with_random_sensitive

DATA = ("bms-webview-1", "bms-webview-2", "msweb", "retail", "t10i4d100k")
P = "degree(p=10)"


def check_measuring(folder: Path, name: str) -> None:
    """Ratios for one data set."""
    os.environ[VARIABLE] = "1"
    data = with_random_sensitive(covey.read(folder / f"{name}.dat.gz"), 10, 0, p=10)
    original = folder / f"{name}.dat.gz"
    reading = {"sensitive": data.sensitive_items()}
    with TemporaryDirectory() as room:
        out, page = Path(room) / "release", Path(room) / "report.html"
        covey.publish(original, out, P, seed=0, **reading)
        made = cpu_seconds(lambda: covey.publish(original, out, P, seed=0, force=True, **reading))
        measured = cpu_seconds(lambda: covey.evaluate(out, original, **reading), repeat=2)
        reported = cpu_seconds(lambda: covey.report(out, page, original, **reading), repeat=2)
    report(f"{name}: CPU of evaluate / publish", measured / made, most=5)
    report(f"{name}: CPU of report / publish", reported / made, goal=5)


def check_cores() -> None:
    """Wall time with one thread over that with all."""
    data = with_random_sensitive(quest(transactions=1_000_000, items=10_000, patterns=10_000, seed=1), 10, 0, p=10)
    release = covey.anonymize(data, P, seed=0)

    def took(work: Callable[[], object], number: int) -> float:
        os.environ[VARIABLE] = str(number)
        return seconds(work, repeat=2)

    os.environ.pop(VARIABLE, None)
    cores = threads()
    for name, work in (
        ("risk", lambda: [reidentification(data, known) for known in (2, 3, 4)]),
        ("attacks", lambda: run_attacks(release, data)),
    ):
        work()
        report(f"1 million rows: {name} on one thread / on {cores}", took(work, 1) / took(work, cores), unit="x")


def main() -> None:
    """Print all ratios."""
    folder = data_dir()
    for name in DATA:
        check_measuring(folder, name)
    check_cores()
    finish()


if __name__ == "__main__":
    sys.exit(main())
