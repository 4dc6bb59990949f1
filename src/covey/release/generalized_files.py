"""The files of a generalized release of sets: transactions and, for a global recoding, recoding.csv."""

from __future__ import annotations

import csv as csv_module
from pathlib import Path

from covey.contracts import Check, Progress
from covey.data import Baskets
from covey.errors import TamperedRelease
from covey.release.generalized import GeneralizedRelease
from covey.release.manifest import Manifest

RECODING = "recoding.csv"


def write(release: GeneralizedRelease, directory: Path, *, csv: bool, progress: Progress) -> list[str]:
    """Write the tables of `release` into `directory` and return the names of the files."""
    from covey.release.tables import item_batches, write_batches

    baskets = release.transactions
    name = f"transactions.{'csv' if csv else 'parquet'}"
    write_batches(item_batches(baskets), baskets.items, directory / name, baskets.n, progress)
    if release.recoding is None:
        return [name]
    with (directory / RECODING).open("w", newline="", encoding="utf-8") as stream:
        writer = csv_module.writer(stream, lineterminator="\n")
        writer.writerow(["item", "published"])
        writer.writerows(sorted(release.recoding.items()))
    return [RECODING, name]


def read(directory: Path, manifest: Manifest) -> GeneralizedRelease:
    """Read the tables back, whatever their digests."""
    from covey.release.tables import assemble_baskets, read_batches

    csv = "transactions.csv" in manifest.files
    path = directory / f"transactions.{'csv' if csv else 'parquet'}"
    baskets, _ = assemble_baskets(read_batches(path), escaped=csv)
    recoding = None
    if RECODING in manifest.files:
        with (directory / RECODING).open(newline="", encoding="utf-8") as stream:
            rows = list(csv_module.reader(stream))
        if not rows or rows[0] != ["item", "published"] or any(len(row) != 2 for row in rows):
            raise TamperedRelease(f"{RECODING} does not have the two columns item and published.")
        recoding = dict(rows[1:])
    return GeneralizedRelease(
        transactions=baskets,
        recoding=recoding,
        guarantee=manifest.guarantee,
        method=manifest.method,
        options=dict(manifest.options),
    )


def compare(release: GeneralizedRelease, original: Baskets) -> list[Check]:
    """Check that every original transaction is published once; methods add their own finer checks."""
    same = release.transactions.n == original.n
    detail = f"{release.transactions.n:,} published, {original.n:,} in the original"
    return [Check(name="every transaction is published once", passed=same, detail=detail)]
