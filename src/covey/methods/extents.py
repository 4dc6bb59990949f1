"""A table as kernels see it: codes of the quasi-identifiers, a scale for what spans lose, and secrets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Table
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.kernels.methods.diversity import merge_undiverse
from covey.kernels.methods.extents import Scale, group_extents
from covey.kernels.methods.hilbert import hilbert_keys
from covey.methods.base import Groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Extents:
    """Arrays of a table and the demands on its groups."""

    #: The values of the rows.
    codes: Ids
    #: What spans of codes lose; see `covey.kernels.methods.extents`.
    scale: Scale
    #: The secrets of the rows.
    secret: Ids
    #: Least size of a group, and least number of well represented secrets (1 for no demand).
    k: int
    ell: int
    #: Whether "well represented" means that no secret exceeds a share of 1/ell.
    frequency: bool


def extents_of(data: Table, promise: KAnonymity | LDiversity) -> Extents:
    """The arrays of `data` with the demands of `promise`."""
    diversity = promise if isinstance(promise, LDiversity) else None
    return Extents(
        codes=data.rows("quasi"),
        scale=scale_of(data),
        secret=_secrets(data),
        k=promise.k,
        ell=diversity.l if diversity else 1,
        frequency=diversity is not None and diversity.by_frequency,
    )


def _secrets(data: Table) -> Ids:
    """The codes of the sensitive columns, in which values that people take for the same are one."""
    secret = data.rows("sensitive")
    for number, column in enumerate(data.of_role("sensitive")):
        secret[:, number] = column.alike()[secret[:, number]]
    return secret


def scale_of(data: Table) -> Scale:
    """The scale of the quasi-identifiers of a table, as `covey.kernels.methods.extents` describes it."""
    columns = data.of_role("quasi")
    start = np.zeros(len(columns) + 1, np.int64)
    parents, lasts, weights = [], [], []
    for a, column in enumerate(columns):
        tree = column.hierarchy
        if tree is None:
            weight = column.positions()
            parents.append(np.full(len(weight), -1, np.int32))
            lasts.append(np.arange(len(weight), dtype=np.int32))
        else:
            weight = tree.losses()
            parents.append(tree.parent)
            lasts.append(tree.last)
        weights.append(weight)
        start[a + 1] = start[a] + len(weight)
    numeric = np.array([column.numeric for column in columns], np.bool_)
    return start, numeric, np.concatenate(parents), np.concatenate(lasts), np.concatenate(weights)


def merged(extents: Extents, ptr: Ints, rows: Ints) -> Groups:
    """Groups from rows that stand group by group, after merging those that are too small or not diverse."""
    home = np.arange(len(ptr) - 1)
    if extents.ell > 1 or (np.diff(ptr) < extents.k).any():
        low, high = group_extents(extents.codes, ptr, rows)
        order = curve_order(low)
        sizes = np.diff(ptr)[order]
        sorted_ptr = offsets_of(sizes)
        starts = np.repeat(ptr[:-1][order] - sorted_ptr[:-1], sizes)
        found = merge_undiverse(
            extents.scale,
            low[order],
            high[order],
            sorted_ptr,
            rows[np.arange(len(rows)) + starts],
            extents.secret,
            extents.k,
            extents.ell,
            extents.frequency,
        )
        home[order] = found
    kept, number = np.unique(home, return_inverse=True)
    return Groups.of(rows, np.repeat(number.reshape(-1), np.diff(ptr)), len(kept))


def curve_order(points: Ids) -> Ints:
    """The points along a Hilbert curve, so that near ones stand near each other."""
    most = np.maximum(points.max(axis=0), 1)
    keys = hilbert_keys((points * (255 / most)).astype(np.uint32), 8)
    return np.lexsort(keys.T[::-1])
