"""Everything a report states, gathered from a release and, where it is at hand, the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Table
from covey.progress import Progress, silent
from covey.release.grouped.model import GroupedRelease
from covey.release.manifest import Manifest
from covey.release.table.model import TableRelease, number_rows
from covey.verdict import Verdict

#: Cells a side of the pictures in a report; coarse enough for a page, and for a small file.
CELLS = 240
KNOWN = (1, 2, 3, 4)
INK = (46, 116, 165)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to the release, with the answer that the original gives."""

    sensitive: str
    present: str
    estimate: float
    standard_error: float
    truth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """How well the rows of a table are told apart by their quasi-identifiers.

    Attributes
    ----------
    mean, worst : float
        Probability of finding a row, which is 1 / (rows like it): the mean over all rows, and the highest.
    unique : float
        Share of rows with no other like them.
    """

    mean: float
    worst: float
    unique: float

    @classmethod
    def of(cls, table: Table | TableRelease) -> Exposure:
        """Count the rows that look alike."""
        quasi = [column.codes for column in table.columns if column.role == "quasi"]
        sizes = np.bincount(number_rows(quasi, table.n))
        return cls(
            mean=len(sizes) / max(table.n, 1),
            worst=1 / max(int(sizes.min(initial=table.n)), 1),
            unique=int((sizes == 1).sum()) / max(table.n, 1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found out about one release.

    Attributes
    ----------
    name : str
        What the release is called.
    manifest : Manifest
        What it states.
    verdict : Verdict
        What was checked.
    sizes : list of (str, int)
        Ranges of the sizes of groups, or of classes of rows that look alike, and how many fall into each; empty
        where there are none.
    columns : list of (str, str, int)
        Of tables: name and role of each column, and how many different values it has.
    shares : (float, float) or None
        Mean and largest share of holders of a sensitive item in its group, over sensitive entries.
    pictures : list of (str, bytes)
        Band matrices of what is published, as PNG: title and file.
    examples : mapping
        Labels to use in the examples of queries.
    with_original : bool
        Whether the figures below were made with the original.
    risk_before, risk_after : list of dict
        Re-identification risk by number of known items; for grouped releases it is among the metrics.
    found_before, found_after : Exposure or None
        Of tables: the probability of finding a row by all its quasi-identifiers.
    utility : mapping
        Utility metrics.
    attacks : list of dict
        What attacks achieved.
    questions : list of Question
        Answers beside the truth.
    """

    name: str
    manifest: Manifest
    verdict: Verdict
    sizes: list[tuple[str, int]] = field(default_factory=list)
    shares: tuple[float, float] | None = None
    columns: list[tuple[str, str, int]] = field(default_factory=list)
    pictures: list[tuple[str, bytes]] = field(default_factory=list)
    examples: Mapping[str, str] = field(default_factory=dict)
    with_original: bool = False
    risk_before: list[dict[str, Any]] = field(default_factory=list)
    risk_after: list[dict[str, Any]] = field(default_factory=list)
    found_before: Exposure | None = None
    found_after: Exposure | None = None
    utility: Mapping[str, Any] = field(default_factory=dict)
    attacks: list[dict[str, Any]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def examine_release(
    directory: str | Path,
    manifest: Manifest,
    verdict: Verdict,
    release: Any = None,
    original: Any = None,
    *,
    taxonomy: Any = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Findings:
    """Gather what a report states.

    Parameters
    ----------
    directory : path
        Where the release is; only its name is used.
    manifest, verdict
        What it states, and what was checked.
    release : release or None
        What is published; None when it cannot be read.
    original : data or None
        What it was made from.
    taxonomy : Taxonomy or None
        What the labels of sets were generalized along.
    seed : int
        For everything that samples.
    progress : callable
        Told of the stages.
    """
    from covey.metrics import evaluate

    name = Path(directory).resolve().name
    if release is None:
        return Findings(name=name, manifest=manifest, verdict=verdict)
    found: dict[str, Any] = {}
    grouped = isinstance(release, GroupedRelease)
    published = getattr(release, "transactions", None)
    if grouped:
        found |= {"sizes": size_ranges(release.group_sizes()), "shares": holder_shares(release)}
        found["examples"] = _examples(release)
    elif isinstance(release, TableRelease):
        found["sizes"] = size_ranges(np.bincount(release.classes()))
        found["columns"] = [(column.name, column.role, len(column.labels)) for column in release.columns]
    elif isinstance(published, Baskets) and manifest.guarantee.startswith("k-anonymity("):
        found["sizes"] = size_ranges(class_sizes(published))
    if isinstance(published, Baskets) and published.entries:
        progress("drawing", 0.0)
        found["pictures"] = band_pictures(published)
    if original is not None:
        found["with_original"] = True
        progress("measuring", 0.0)
        if not grouped and isinstance(original, Baskets) and isinstance(published, Baskets):
            found["risk_before"] = _risks(original, seed)
            found["risk_after"] = _risks(published, seed)
        if isinstance(release, TableRelease):
            found |= {"found_before": Exposure.of(original), "found_after": Exposure.of(release)}
        if grouped:
            found["questions"] = ask(release, original)
        progress("measuring", 0.4)
        found["utility"] = evaluate(release, original, seed, taxonomy=taxonomy)
        progress("measuring", 0.7)
        found["attacks"] = _attacks(release, original, seed)
    return Findings(name=name, manifest=manifest, verdict=verdict, **found)


def _risks(baskets: Baskets, seed: int) -> list[dict[str, Any]]:
    from covey.metrics.reidentification import reidentification

    return [reidentification(baskets, known, seed=seed).to_dict() for known in KNOWN]


def _attacks(release: Any, original: Any, seed: int) -> list[dict[str, Any]]:
    from covey.attacks import run_attacks

    if not isinstance(release, GroupedRelease):
        return []
    return [result.to_dict() for result in run_attacks(release, original, seed=seed)]


def class_sizes(sets: Baskets) -> Ints:
    """How many transactions are published as each different set.

    Examples
    --------
    >>> sorted(class_sizes(Baskets.of([["wine"], ["beer"], ["wine"]])).tolist())
    [1, 2]
    """
    from covey.kernels.shared.set_classes import classes_of, set_hashes

    words = np.random.default_rng(0).integers(0, 2**64, max(sets.d, 1), np.uint64)
    hashes = set_hashes(sets.indptr, sets.indices, words)
    number, example = classes_of(sets.indptr, sets.indices, hashes, np.argsort(hashes, kind="stable"))
    return np.bincount(number, minlength=len(example))


def size_ranges(sizes: Ints, most: int = 8) -> list[tuple[str, int]]:
    """Group sizes in at most `most` ranges: single sizes where they are few, doubling ranges else.

    Examples
    --------
    >>> size_ranges(np.array([4, 4, 5, 4]))
    [('4', 3), ('5', 1)]
    """
    if not len(sizes):
        return []
    distinct, counts = np.unique(sizes, return_counts=True)
    if len(distinct) <= most:
        return [(f"{size:,}", int(count)) for size, count in zip(distinct, counts, strict=True)]
    edges = [int(distinct[0])]
    while edges[-1] <= distinct[-1]:
        # Where groups are made of p, nearly all are of that size: it stands alone, then ranges double.
        edges.append(edges[-1] + 1 if len(edges) == 1 else edges[-1] * 2)
    ranges = []
    for low, high in pairwise(edges):
        inside = int(counts[(distinct >= low) & (distinct < high)].sum())
        ranges.append((f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}", inside))
    return ranges[: most - 1] + _rest(ranges[most - 1 :], edges[most - 1] if len(edges) >= most else 0)


def _rest(ranges: list[tuple[str, int]], low: int) -> list[tuple[str, int]]:
    if len(ranges) <= 1:
        return ranges
    return [(f"{low:,} or more", sum(count for _, count in ranges))]


def holder_shares(release: GroupedRelease) -> tuple[float, float] | None:
    """Mean and largest share of a group that holds a sensitive item of it, over all sensitive entries."""
    if not len(release.count):
        return None
    share = release.count / release.group_sizes()[release.count_group]
    return float((share * release.count).sum() / release.count.sum()), float(share.max())


def band_pictures(published: Baskets) -> list[tuple[str, bytes]]:
    """What is published as two pictures: rows as they are in the files, and in band order.

    Only published items are drawn, so that the pictures tell nothing that the release does not.
    """
    from covey.methods.ordering import band_order
    from covey.report.raster import column_order, density, shade, to_png

    order = band_order(published)
    return [
        ("as published", to_png(shade(density(published, cells=CELLS)), INK)),
        (
            "in band order",
            to_png(shade(density(published, order, column_order(published, order), cells=CELLS)), INK),
        ),
    ]


def _examples(release: GroupedRelease) -> dict[str, str]:
    totals, supports = release.sensitive_totals(), release.transactions.supports()
    if not len(totals) or len(supports) < 2:
        return {}
    first, second = np.argsort(-supports, kind="stable")[:2]
    return {
        "sensitive": release.sensitive_items[int(totals.argmax())],
        "present": release.transactions.items[first],
        "absent": release.transactions.items[second],
    }


def ask(release: GroupedRelease, original: Baskets, most: int = 6) -> list[Question]:
    """How often frequent sensitive items go with their commonest companion: estimate and truth."""
    position = {name: i for i, name in enumerate(original.items)}
    rows = np.repeat(np.arange(original.n), original.lengths())
    totals = release.sensitive_totals()
    questions = []
    for s in np.argsort(-totals, kind="stable")[:most]:
        label = release.sensitive_items[s]
        holders = np.zeros(original.n, np.bool_)
        holders[rows[original.indices == position[label]]] = True
        together = np.bincount(original.indices[holders[rows]], minlength=original.d)
        together[original.sensitive] = 0
        companion = int(together.argmax())
        if not together[companion]:
            continue
        answer = release.estimate(label, present=[original.items[companion]])
        questions.append(
            Question(
                sensitive=label,
                present=original.items[companion],
                estimate=answer.estimate,
                standard_error=answer.standard_error,
                truth=int(together[companion]),
            )
        )
    return questions
