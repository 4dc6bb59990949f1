"""The files of a generalized release of sets: transactions, for a global recoding recoding.csv, and for coherence
the private items, row by row as in transactions.
"""

from __future__ import annotations

import csv as csv_module
from pathlib import Path

from covey.contracts import Check, Progress
from covey.data import Baskets, Taxonomy
from covey.errors import TamperedRelease
from covey.release.manifest import Manifest
from covey.release.sets.model import GeneralizedRelease

RECODING = "recoding.csv"


def write(release: GeneralizedRelease, directory: Path, *, csv: bool, progress: Progress) -> list[str]:
    """Write the tables of `release` into `directory` and return the names of the files."""
    from covey.release.item_columns import item_batches, write_batches

    baskets = release.transactions
    name = f"transactions.{'csv' if csv else 'parquet'}"
    write_batches(item_batches(baskets), baskets.items, directory / name, baskets.n, progress)
    names = [name]
    if release.private is not None:
        names.append(f"private.{'csv' if csv else 'parquet'}")
        private = release.private
        write_batches(item_batches(private), private.items, directory / names[-1], private.n, progress)
    if release.recoding is None:
        return names
    with (directory / RECODING).open("w", newline="", encoding="utf-8") as stream:
        writer = csv_module.writer(stream, lineterminator="\n")
        writer.writerow(["item", "published"])
        writer.writerows(sorted(release.recoding.items()))
    return [RECODING, *names]


def read(directory: Path, manifest: Manifest) -> GeneralizedRelease:
    """Read the tables back, whatever their digests."""
    from covey.release.item_columns import assemble_baskets, read_table, table_paths

    csv = "transactions.csv" in manifest.files
    paths = table_paths(directory, manifest.files, "transactions")
    baskets, _ = assemble_baskets(read_table(paths), escaped=csv)
    private = None
    if paths := table_paths(directory, manifest.files, "private"):
        private, _ = assemble_baskets(read_table(paths), escaped=csv)
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
        private=private,
        guarantee=manifest.guarantee,
        method=manifest.method,
        options=dict(manifest.options),
    )


def compare(release: GeneralizedRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check that every original transaction is published once, with labels that stand above its items."""
    # Both kinds of local release lack a recoding; which one it is, only the method says.
    if release.recoding is not None or release.method == "lg":
        from covey.verify import recoded_fidelity

        return recoded_fidelity.compare(release, original, taxonomy)
    from covey.verify import suppressed_fidelity

    return suppressed_fidelity.compare(release.transactions, original)
