"""Everything a report states, gathered from a release and, where it is at hand, the original."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.contracts import Progress, Verdict, silent
from covey.data import Baskets
from covey.errors import CoveyError
from covey.release.grouped import GroupedRelease
from covey.release.manifest import Manifest

#: Cells a side of the pictures in a report; coarse enough for a page, and for a small file.
CELLS = 240
KNOWN = (1, 2, 3, 4)
LOSSES = ("gcp", "ncp")
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
        Ranges of group sizes and how many groups fall into each; empty where there are no groups.
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
    pictures: list[tuple[str, bytes]] = field(default_factory=list)
    examples: Mapping[str, str] = field(default_factory=dict)
    with_original: bool = False
    risk_before: list[dict[str, Any]] = field(default_factory=list)
    risk_after: list[dict[str, Any]] = field(default_factory=list)
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
        What labels were generalized along.
    seed : int
        For everything that samples.
    progress : callable
        Told of the stages.
    """
    name = Path(directory).resolve().name
    if release is None:
        return Findings(name=name, manifest=manifest, verdict=verdict)
    found: dict[str, Any] = {}
    grouped = isinstance(release, GroupedRelease)
    published = getattr(release, "transactions", None)
    if grouped:
        found |= {"sizes": size_ranges(release.group_sizes()), "shares": holder_shares(release)}
        found["examples"] = _examples(release)
    elif hasattr(release, "classes"):
        found["sizes"] = size_ranges(np.bincount(release.classes()))
    if isinstance(published, Baskets) and published.entries:
        progress("drawing", 0.0)
        found["pictures"] = band_pictures(published)
    if original is not None:
        found["with_original"] = True
        progress("measuring", 0.0)
        if not grouped and isinstance(original, Baskets) and isinstance(published, Baskets):
            found["risk_before"] = _risks(original, seed)
            found["risk_after"] = _risks(published, seed)
        if grouped:
            found["questions"] = ask(release, original)
        progress("measuring", 0.4)
        found["utility"] = _utility(release, original, taxonomy, seed)
        progress("measuring", 0.7)
        found["attacks"] = _attacks(release, original, seed)
    return Findings(name=name, manifest=manifest, verdict=verdict, **found)


def _risks(baskets: Baskets, seed: int) -> list[dict[str, Any]]:
    from covey.metrics.reidentification import reidentification

    return [reidentification(baskets, known, seed=seed).to_dict() for known in KNOWN]


def _utility(release: Any, original: Any, taxonomy: Any, seed: int) -> Mapping[str, Any]:
    from covey.metrics import evaluate

    if isinstance(release, GroupedRelease):
        figures: Mapping[str, Any] = evaluate(release, original, seed=seed)
        return figures
    loss = {}
    for name in LOSSES:
        with suppress(CoveyError, ImportError):  # a metric for another kind of release
            metric = getattr(import_module(f"covey.metrics.{name}"), name)
            along = () if taxonomy is None or "taxonomy" not in signature(metric).parameters else (taxonomy,)
            result = metric(release, original, *along)
            loss[name] = float(getattr(result, name, result))
    return loss


def _attacks(release: Any, original: Any, seed: int) -> list[dict[str, Any]]:
    from covey.attacks import run_attacks

    if not isinstance(release, GroupedRelease):
        return []
    return [result.to_dict() for result in run_attacks(release, original, seed=seed)]


def size_ranges(sizes: NDArray[np.int64], most: int = 10) -> list[tuple[str, int]]:
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
