"""What measuring a release costs beside making it, and what a second core brings.

CPU seconds of one process, kernels compiled: `evaluate` and the whole report with its attacks, over making, writing and
verifying the release. Then wall time with one thread over all, which means something on calm cores only.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import covey
from covey.data.derived import derive_taxonomy
from covey.io import write
from covey.measure.evaluation import evaluate
from covey.measure.risk import reidentification
from covey.synth import quest
from covey.synth.journey import complete_journey
from covey.threads import VARIABLE, threads
from ratios import cpu_seconds, data_dir, finish, report, seconds, with_random_sensitive

DATA = ("bms-webview-1", "bms-webview-2", "msweb", "retail", "t10i4d100k")
P = "degree(p=10)"


def check_measuring(original: Path, name: str) -> None:
    """Ratios for one data set."""
    os.environ[VARIABLE] = "1"
    data = with_random_sensitive(covey.read(original), 10, 0, p=10)
    reading = {"sensitive": data.sensitive_items()}
    with TemporaryDirectory() as room:
        out, page = Path(room) / "release", Path(room) / "report.html"
        for method in ("cahd", "matched"):
            publish = partial(covey.publish, original, out, P, method, seed=0, force=True, **reading)
            publish()
            made = cpu_seconds(publish)
            measured = cpu_seconds(lambda: covey.evaluate(out, original, **reading), repeat=2)
            reported = cpu_seconds(lambda: covey.report(out, original, output=page, **reading), repeat=2)
            report(f"{name}, {method}: CPU of evaluate / publish", measured / made, most=5)
            report(f"{name}, {method}: CPU of report / publish", reported / made, most=5)


def check_cores() -> None:
    """Wall time with one thread over that with two, each on fresh objects, as a command would have them."""
    os.environ.pop(VARIABLE, None)
    if threads() < 2:
        print("      one core: what a second brings cannot be measured here")
        return
    plain = quest(transactions=1_000_000, items=10_000, patterns=10_000, seed=1)
    data, tree = with_random_sensitive(plain, 10, 0, p=10), derive_taxonomy(plain)
    release = covey.anonymize(data, P, "cahd", seed=0)
    for name, work in (
        ("evaluate", lambda: evaluate(replace(release), replace(data))),
        ("risk", lambda: [reidentification(fresh, known) for fresh in [replace(data)] for known in (1, 2, 3, 4)]),
        ("pattern-ka", lambda: covey.anonymize(plain, "k-anonymity(k=10)", "pattern-ka", seed=0)),
        ("mhghs", lambda: covey.anonymize(plain, "km-anonymity(k=5, m=2)", "mhghs", taxonomy=tree, seed=0)),
    ):
        took = {"1": inf, "2": inf}
        for number in ("1", "2", "1", "2"):  # in turn, so that a busy moment does not meet one of them alone
            os.environ[VARIABLE] = number
            took[number] = min(took[number], seconds(work, repeat=1))
        report(f"1 million rows: {name} on one core / on two", took["1"] / took["2"], least=1.6, unit="x")


def main() -> None:
    """Print all ratios."""
    folder = data_dir()
    for name in DATA:
        check_measuring(folder / f"{name}.dat.gz", name)
    with TemporaryDirectory() as room:
        write(complete_journey(), Path(room) / "journey.parquet")
        check_measuring(Path(room) / "journey.parquet", "complete journey")
    check_cores()
    finish()


if __name__ == "__main__":
    sys.exit(main())
