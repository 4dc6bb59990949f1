"""l-diversity(l, k), checked from what is published, or of a table as it stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Table
from covey.guarantees.l_diversity import LDiversity
from covey.progress import Progress, silent
from covey.release.table import TableRelease
from covey.verdict import Check, Verdict
from covey.verify.table_classes import check_classes, row_kinds, shown


def check(promise: LDiversity, release: TableRelease) -> Verdict:
    """Check from the published rows alone."""
    return _check(promise, release, "published")


def check_table(promise: LDiversity, data: Table, *, progress: Progress = silent) -> Verdict:
    """Check a table as it stands: would publishing it unchanged keep the guarantee?"""
    return _check(promise, data, "given")


def _check(promise: LDiversity, table: Any, how: str) -> Verdict:
    base = check_classes(promise.text, table, promise.k, how)
    kind, size = row_kinds(table)
    checks = list(base.checks)
    reached: float | None = None
    sensitive = [column for column in table.columns if column.role == "sensitive"]
    if not sensitive:
        nothing = Check(name="there is something to protect", passed=False, detail="no column is sensitive")
        checks.append(nothing)
    for column in sensitive:
        found, enough = _reached(promise, kind, size, column.codes)
        lowest = float(found.min()) if len(found) else 0.0
        reached = lowest if reached is None else min(reached, lowest)
        bad = np.flatnonzero(~enough)
        detail = f"lowest l {lowest:.4g} over {len(size):,} classes"
        if len(bad):
            row = int(np.flatnonzero(kind == bad[0])[0])
            detail = f"{len(bad):,} of {len(size):,} classes fall short, such as {shown(table, row)}"
        name = f"every class keeps {promise.l} well represented values of {column.name}"
        checks.append(Check(name=name, passed=not len(bad), detail=detail))
    return Verdict(guarantee=promise.text, checks=tuple(checks), figures={**base.figures, "l": reached})


def _reached(promise: LDiversity, kind: Ints, size: Ints, codes: Ids) -> tuple[Any, Any]:
    """The l that each class reaches, and whether that is enough, in whole numbers."""
    values = int(codes.max(initial=0)) + 1
    cells, counts = np.unique(kind * values + codes, return_counts=True)
    if promise.kind == "distinct":
        distinct = np.bincount(cells // values, minlength=len(size))
        return distinct.astype(np.float64), distinct >= min(promise.l, len(codes) + 1)
    most = np.zeros(len(size), np.int64)
    np.maximum.at(most, cells // values, counts)
    allowed = size // promise.l if promise.l <= int(size.max(initial=0)) else np.zeros_like(size)
    return size / np.maximum(most, 1), most <= allowed
