"""What each kind of release adds to the findings of a report; with the original, also what takes it to find out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import singledispatch
from itertools import pairwise
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Records, Table
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows
from covey.measure.profile import row_exposure
from covey.measure.reidentification import reidentification
from covey.parameters import parse_call
from covey.release.base import Release
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import parts
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease

KNOWN = (1, 2, 3, 4)
#: Sizes of groups are told in so many ranges at most.
RANGES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to the release, with the answer that the original gives."""

    sensitive: str
    present: str
    estimate: float
    standard_error: float
    truth: int


@singledispatch
def findings(release: Release, original: object, seed: int) -> dict[str, Any]:
    """Return what a release of this kind adds to the findings."""
    return {}


@findings.register
def _of_grouped(release: GroupedRelease, original: Baskets | None, seed: int) -> dict[str, Any]:
    """Sizes of groups, shares of holders in them, and what to ask the release."""
    return {
        "sizes": size_ranges(release.members()),
        "shares": holder_shares(release),
        "columns": _columns(release),
        "examples": _examples(release),
        "questions": [] if original is None else ask(release, original),
    }


def _columns(release: GroupedRelease) -> list[tuple[str, str, int]]:
    """The columns of records with what becomes of them, and how many values each is published with."""
    if release.attributes is None:
        return []
    secrets = release.sensitive_items
    return [
        *((column.name, "exact", len(column.labels)) for column in release.attributes.columns),
        *((name, "counted", sum(item.startswith(f"{name}=") for item in secrets)) for name in release.secret_columns),
    ]


@findings.register
def _of_sets(release: SetsRelease, original: Baskets | None, seed: int) -> dict[str, Any]:
    """Sizes of classes where rows are promised to be alike, and how well a row is found by its items."""
    published = release.transactions
    found: dict[str, Any] = {}
    if parse_call(release.guarantee)[0] == "k-anonymity":
        found["sizes"] = size_ranges(class_sizes(published))
    if original is not None:
        # Nobody is supposed to know private items, which are no part of the published sets either.
        found["risk_before"] = _risks(public_part(release, original), seed)
        found["risk_after"] = _risks(published, seed)
    return found


@findings.register
def _of_chunks(release: ChunksRelease, original: Baskets | None, seed: int) -> dict[str, Any]:
    """Sizes of clusters."""
    return {"sizes": size_ranges(release.records)}


@findings.register
def _of_table(release: TableRelease, original: Table | None, seed: int) -> dict[str, Any]:
    """Sizes of classes, columns, and how well a row is found by all its quasi-identifiers."""
    found: dict[str, Any] = {
        "sizes": size_ranges(
            np.bincount(release.classes()) if release.class_persons is None else release.class_persons
        ),
        "columns": [(column.name, column.role, len(column.labels)) for column in release.columns],
    }
    if original is not None:
        counted = {} if release.persons is None else {"persons": release.persons}
        found |= {
            "found_before": {**asdict(row_exposure(original)), **counted},
            "found_after": {**asdict(row_exposure(release)), **counted},
        }
    return found


@findings.register
def _of_records(release: RecordsRelease, original: Records | None, seed: int) -> dict[str, Any]:
    """Sizes of classes, columns, and how well a person is found by all attributes, or by a few items alone."""
    found = _of_table(release.attributes, None if original is None else original.attributes, seed)
    if original is not None:
        found["risk_before"] = _risks(original.baskets, seed)
        found["risk_after"] = _risks(release.baskets, seed)
    return found


def _risks(baskets: Baskets, seed: int) -> list[dict[str, Any]]:
    return [reidentification(baskets, known, seed=seed).to_dict() for known in KNOWN]


def class_sizes(sets: Baskets) -> Ints:
    """How many transactions are published as each different set.

    Examples
    --------
    >>> sorted(class_sizes(Baskets.of([["wine"], ["beer"], ["wine"]])).tolist())
    [1, 2]
    """
    return equal_rows(*sets.csr, sets.d, seed=0)[1]


def size_ranges(sizes: Ints) -> list[tuple[str, int]]:
    """Group sizes in at most `RANGES` ranges: single sizes where they are few, doubling ranges else.

    Examples
    --------
    >>> size_ranges(np.array([4, 4, 5, 4]))
    [('4', 3), ('5', 1)]
    """
    if not len(sizes):
        return []
    distinct, counts = np.unique(sizes, return_counts=True)
    if len(distinct) <= RANGES:
        return [(f"{size:,}", int(count)) for size, count in zip(distinct, counts, strict=True)]
    edges = [int(distinct[0])]
    while edges[-1] <= distinct[-1]:
        # Where groups are made of p, nearly all are of that size: it stands alone, then ranges double.
        edges.append(edges[-1] + 1 if len(edges) == 1 else edges[-1] * 2)
    ranges = []
    for low, high in pairwise(edges):
        inside = int(counts[(distinct >= low) & (distinct < high)].sum())
        ranges.append((f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}", inside))
    if len(ranges) > RANGES:
        last = RANGES - 1
        ranges[last:] = [(f"{edges[last]:,} or more", sum(count for _, count in ranges[last:]))]
    return ranges


def holder_shares(release: GroupedRelease) -> tuple[float, float] | None:
    """Mean and largest share of a group that holds a sensitive item of it, over all sensitive entries."""
    if not len(release.count):
        return None
    count = release.count
    share = count / release.members()[release.count_group]
    return float((share * count).sum() / count.sum()), float(share.max())


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
    public, secret = parts(release, original)
    holder = secret.row_of_entries()
    questions = []
    for s in np.argsort(-release.sensitive_totals(), kind="stable")[:most]:
        _, held = take_rows(*public.csr, holder[secret.indices == s])
        together = np.bincount(held, minlength=public.d)
        if not together.any():
            continue
        label, companion = release.sensitive_items[s], int(together.argmax())
        answer = release.estimate(label, present=[public.items[companion]])
        questions.append(
            Question(
                sensitive=label,
                present=public.items[companion],
                estimate=answer.estimate,
                standard_error=answer.standard_error,
                truth=int(together[companion]),
            )
        )
    return questions
