"""Tables: loss of pattern-ka against mondrian and hilbert on Adult, and all three against anonypy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.measure.loss import gcp_table
from covey.release import table as publish_table
from covey.release.base import Statement
from ratios import cpu_seconds, data_dir, finish, report, rival

#: The nine columns of the paper; age is numeric.
NINE = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "income")
EIGHT = NINE[:8]
KS = (2, 5, 10, 20, 50, 100)


def adult(folder: Path, columns: tuple[str, ...]) -> covey.Table:
    """Adult with these quasi-identifiers and their hierarchies."""
    trees: dict[str, Any] = {
        name: folder / "adult" / "hierarchies-arx" / f"adult_hierarchy_{name}.csv" for name in EIGHT[1:]
    }
    return covey.read_table(
        folder / "adult" / "adult-30162.csv.gz", quasi=columns, hierarchies={c: trees[c] for c in EIGHT[1:]}
    )


def loss(data: covey.Table, method: str, k: int, **options: Any) -> float:
    """GCP of one method."""
    return gcp_table(covey.anonymize(data, f"k-anonymity(k={k})", method, seed=0, **options), data).gcp


def against_rivals(data: covey.Table) -> None:
    """The loss of pattern-ka must be below that of its rivals for every k."""
    for k in KS:
        ours = loss(data, "pattern-ka", k)
        rivals = {
            "mondrian strict": loss(data, "mondrian", k),
            "mondrian relaxed": loss(data, "mondrian", k, relaxed=True),
            "hilbert": loss(data, "hilbert", k),
        }
        for name, theirs in rivals.items():
            told = f"{ours:.4f} / {theirs:.4f}"
            report(f"K = {k}: GCP of pattern-ka / {name}", ours / theirs, most=0.9999, note=told)


def against_anonypy(data: covey.Table, folder: Path, k: int = 10) -> None:
    """Time and loss of the same groups made by anonypy, whose Mondrian is written in Python."""
    anonypy, mondrian, pandas = rival("anonypy"), rival("anonypy.mondrian"), rival("pandas")
    if anonypy is None or mondrian is None or pandas is None:
        return
    frame = pandas.read_csv(folder / "adult" / "adult-30162.csv.gz", usecols=[*EIGHT, "income"])
    for name in EIGHT[1:]:
        frame[name] = frame[name].astype("category")
    kept: list[Any] = []
    partition = mondrian.Mondrian.partition

    def recorded(self: Any, *arguments: Any, **options: Any) -> Any:
        kept[:] = partition(self, *arguments, **options)
        return kept

    mondrian.Mondrian.partition = recorded
    preserver = anonypy.Preserver(frame, list(EIGHT), "income")
    spent = cpu_seconds(lambda: preserver.anonymize_k_anonymity(k=k), repeat=1)
    group = np.empty(data.n, np.int64)
    for number, rows in enumerate(kept):
        group[np.asarray(rows)] = number
    promise = f"k-anonymity(k={k})"
    made = Statement(guarantee=promise, method="anonypy")
    theirs = gcp_table(publish_table.table(data, group, len(kept), made=made, seed=0), data).gcp
    print(f"      anonypy: {spent:.1f} s, GCP {theirs:.4f}, {len(kept):,} groups")
    for name in ("mondrian", "hilbert", "pattern-ka"):
        method, guarantee = covey.method(name, data="table", seed=0), covey.guarantee(promise)
        ours = cpu_seconds(lambda m=method, g=guarantee: m.anonymize(data, g))  # type: ignore[misc]
        wanted = None if name == "pattern-ka" else 20
        report(f"{name} on Adult, 8 columns, k = {k}: faster than anonypy", spent / ours, least=wanted)
        report(f"{name}: GCP / anonypy's", loss(data, name, k) / theirs, most=1.0)


def main() -> None:
    """Print the ratios."""
    folder = data_dir()
    against_rivals(adult(folder, NINE))
    eight = adult(folder, EIGHT)
    against_anonypy(eight, folder)
    finish()


if __name__ == "__main__":
    main()
