"""Disassociation: the time to make, write and verify a release. What it keeps: `experiments/chunks.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import covey
from covey.synth import quest
from ratios import cpu_seconds, data_dir, finish, report

ASKED = "km-anonymity(k=5, m=2)", "disassociation"


def main() -> None:
    """Print the ratios."""
    data = {name: covey.read(data_dir() / f"{name}.dat.gz") for name in ("bms-webview-2", "retail")}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        covey.publish(data["bms-webview-2"], out / "warm", *ASKED)  # compiles the kernels
        spent = cpu_seconds(lambda: covey.publish(data["retail"], out / "retail", *ASKED), 1)
    report("retail: 10 s over the time to make, write and verify it", 10 / spent, least=1, note=f"{spent:.1f} s")
    took = {}
    for rows in (100_000, 1_000_000):
        generated = quest(transactions=rows, seed=1)
        took[rows] = cpu_seconds(lambda data=generated: covey.anonymize(data, *ASKED), 1)
    grown = took[1_000_000] / took[100_000]
    report("Quest, 10 times the rows: 15 over the ratio of times", 15 / grown, least=1, note=f"{took[100_000]:.1f} s")
    finish()


if __name__ == "__main__":
    main()
