"""KL reconstruction error: how far estimated distributions of a sensitive item are from the true ones.

For a sensitive item s and r published items there are 2^r cells; Act is the share of the occurrences of s in
a cell, Est the share estimated from the release, and the error is Σ Act ln(Act / Est)
(Ghinita et al. 2008, section II-B).

KL reconstruction error of many queries in one pass (Ghinita et al. 2008, section II-B).

A query is a sensitive item and up to 16 published items; a row falls into the cell whose bits say which of
them it holds. Only cells in which the sensitive item really occurs contribute, so only those are kept: the
work and the memory follow the entries touched, never the 2^r cells.

Queries are given by sensitive item (``by_sens``) and by published item (``by_item`` with the bit in ``bit``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.data import Baskets
from covey.data.jit import kernel
from covey.data.sorting import lower_bound
from covey.errors import InputError
from covey.parameters import choice, integer
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import marked, parts

WORKLOADS = ("uniform", "support")

#: Occurrences looked at in one pass, in multiples of the entries, and at least.
_ROOM, _LEAST_ROOM = 4, 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Queries to ask: row i asks how ``sensitive[i]`` is distributed over ``items[i]``."""

    #: Positions among the sensitive items.
    sensitive: Ints
    #: Positions among the published items, distinct within a row.
    items: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class KLError:
    """Mean KL error over a workload."""

    #: Over the queries, in nats.
    mean: float
    standard_error: float
    #: One error per query.
    errors: Floats

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"mean": self.mean, "standard_error": self.standard_error, "queries": len(self.errors)}


def draw_workload(
    original: Baskets, *, r: int = 4, queries: int = 100, workload: str = "uniform", seed: int | None = 0
) -> Workload:
    """Draw queries: sensitive item and r published items uniformly, or in proportion to their support."""
    return draw_by_support(original.supports(), original.sensitive, r=r, queries=queries, workload=workload, seed=seed)


def draw_by_support(
    supports: Ints, sensitive: Mask, *, r: int, queries: int, workload: str, seed: int | None
) -> Workload:
    """Draw the queries of `draw_workload` from the supports of the items and which of them are sensitive."""
    integer("kl", "r", r, minimum=1)
    integer("kl", "queries", queries, minimum=1)
    choice("kl", "workload", workload, WORKLOADS)
    secret = supports[sensitive]
    public = supports[~sensitive & (supports > 0)]
    if r > 16 or r > len(public):
        raise InputError(f"the workload asks for r = {r} items; at most {min(16, len(public))} are possible")
    if not secret.any():
        raise InputError("no sensitive item occurs in the data, so there is nothing to estimate")
    rng = np.random.default_rng(seed)
    weighted = workload == "support"
    held = secret[secret > 0]
    share = public / public.sum() if weighted else None
    items = np.empty((queries, r), np.int64)
    for q in range(queries):
        items[q] = rng.choice(len(public), r, replace=False, p=share)
    drawn = rng.choice(len(held), queries, p=held / held.sum() if weighted else None)
    return Workload(sensitive=drawn, items=items)


def kl(
    release: GroupedRelease,
    original: Baskets,
    *,
    r: int = 4,
    queries: int = 100,
    workload: str = "uniform",
    seed: int | None = 0,
) -> KLError:
    """KL error of the estimates that `release` allows, against `original`.

    Parameters
    ----------
    original : Baskets
        What it was made from; the release says which items are sensitive.
    r : int
        Published items per query, at most 16.
    workload : {"uniform", "support"}
        Items drawn uniformly (mostly rare ones), or in proportion to their support.
    seed : int or None
        For drawing the queries; the same seed asks two releases the same.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["b"], ["c"], ["c"]], sensitive=["s"])
    >>> round(kl(covey.anonymize(baskets, "degree(p=4)"), baskets, r=3).mean, 4)  # ln 4
    1.3863
    """
    asked = draw_workload(marked(release, original), r=r, queries=queries, workload=workload, seed=seed)
    return evaluate_workload(release, original, asked)


def evaluate_workload(release: GroupedRelease, original: Baskets, asked: Workload, *, blind: bool = False) -> KLError:
    """KL error of each query of a workload, all in one pass over the original and one over the release.

    With `blind` it is the error of whoever knows only the totals of sensitive items: one group of all transactions.

    Only a workload that asks for more occurrences than the data has entries several times over is cut into
    parts, with a pass each, so that memory stays O(entries).
    """
    public, secret = parts(release, original)
    queries = len(asked.sensitive)
    totals = secret.supports()[asked.sensitive]
    limit = _ROOM * (public.entries + secret.entries) + _LEAST_ROOM
    batch = np.cumsum(totals) // limit
    errors = np.empty(queries, np.float64)
    for number in np.unique(batch):
        part = np.flatnonzero(batch == number)
        wanted = asked.sensitive[part], asked.items[part], totals[part]
        errors[part] = _errors(release, public, secret, *wanted, blind=blind)
    return summary(errors)


def summary(errors: Floats) -> KLError:
    """The mean of the errors of some queries, with its standard error."""
    spread = float(errors.std(ddof=1)) / np.sqrt(len(errors)) if len(errors) > 1 else 0.0
    return KLError(mean=float(errors.mean()), standard_error=float(spread), errors=errors)


def _errors(
    release: GroupedRelease,
    public: Baskets,
    secret: Baskets,
    sensitive: Ints,
    items: Ints,
    totals: Ints,
    *,
    blind: bool,
) -> Floats:
    """The KL error of each query, `totals` being the occurrences of its sensitive item."""
    index = query_index(sensitive, items, secret.d, public.d)
    occurrences = actual_cells(public.indptr, public.indices, secret.indptr, secret.indices, *index)
    keys, found = np.unique(occurrences, return_counts=True)
    published = release.transactions
    grouping = (
        release.group_ptr,
        np.searchsorted(release.count_group, np.arange(release.groups + 1)),
        release.count_item,
        release.expected_count(),
    )
    if blind:
        everyone, items_of = np.array([0, published.n]), np.array([0, secret.d])
        grouping = (everyone, items_of, np.arange(secret.d, dtype=np.int32), secret.supports().astype(np.float64))
    estimated = estimated_cells(published.indptr, published.indices, *grouping, *index, keys)
    return divergences(keys, found, estimated, totals)


def query_index(sensitive: Ints, items: Ints, m: int, d: int) -> tuple[Ints, Ids, Ints, Ids, Ids]:
    """Queries by their sensitive item, among `m`, and by their published items, among `d`, as the kernels take them."""
    queries, r = items.shape
    by_sens_ptr, by_sens = _lists(sensitive, np.arange(queries), m)
    by_item_ptr, slots = _lists(items.ravel(), np.arange(queries * r), d)
    return by_sens_ptr, by_sens, by_item_ptr, (slots // r).astype(np.int32), (slots % r).astype(np.int32)


def divergences(keys: Ints, found: Ints, estimated: Floats, totals: Ints) -> Floats:
    """The KL error of each query, from the true and the estimated count of each cell in `keys`."""
    query = keys >> CELL_BITS
    parts_of_sum = found / totals[query] * np.log(found / estimated)
    # Rounding can leave an exact reconstruction at -1e-17.
    return np.maximum(np.bincount(query, weights=parts_of_sum, minlength=len(totals)), 0.0)


def _lists(of: Ints, values: Ints, size: int) -> tuple[Ints, Ids]:
    """For each number in range(size), the `values` at whose place it stands in `of`."""
    order = np.argsort(of, kind="stable")
    return np.searchsorted(of[order], np.arange(size + 1)), values[order].astype(np.int32)


#: Bits of a cell key taken by the cell; the query's number stands above them.
CELL_BITS = 16


@kernel
def actual_cells(
    qid_ptr: Ints,
    qid: Ids,
    sens_ptr: Ints,
    sens: Ids,
    by_sens_ptr: Ints,
    by_sens: Ids,
    by_item_ptr: Ints,
    by_item: Ids,
    bit: Ids,
) -> Ints:
    """Return one key (query << 16 | cell) per original occurrence of each query's sensitive item.

    O(entries of sensitive rows, times the queries that ask for them).
    """
    total = np.int64(0)
    for e in range(len(sens)):
        total += by_sens_ptr[sens[e] + 1] - by_sens_ptr[sens[e]]
    keys = np.empty(total, np.int64)
    cell = np.full(len(by_sens), -1, np.int64)
    write = np.int64(0)
    for row in range(len(qid_ptr) - 1):
        if sens_ptr[row] == sens_ptr[row + 1]:
            continue
        for e in range(sens_ptr[row], sens_ptr[row + 1]):
            for f in range(by_sens_ptr[sens[e]], by_sens_ptr[sens[e] + 1]):
                cell[by_sens[f]] = 0
        for e in range(qid_ptr[row], qid_ptr[row + 1]):
            for f in range(by_item_ptr[qid[e]], by_item_ptr[qid[e] + 1]):
                if cell[by_item[f]] >= 0:
                    cell[by_item[f]] |= np.int64(1) << bit[f]
        for e in range(sens_ptr[row], sens_ptr[row + 1]):
            for f in range(by_sens_ptr[sens[e]], by_sens_ptr[sens[e] + 1]):
                keys[write] = (np.int64(by_sens[f]) << CELL_BITS) | cell[by_sens[f]]
                cell[by_sens[f]] = -1
                write += 1
    return keys


@kernel
def estimated_cells(
    indptr: Ints,
    indices: Ids,
    group_ptr: Ints,
    count_ptr: Ints,
    count_item: Ids,
    count: Ints | Floats,
    by_sens_ptr: Ints,
    by_sens: Ids,
    by_item_ptr: Ints,
    by_item: Ids,
    bit: Ids,
    keys: Ints,
) -> Floats:
    """Return the estimated count (eq. 2, summed over groups) of each cell in the sorted `keys`.

    O(entries of groups that hold a queried sensitive item, times the queries that ask for them).
    """
    estimate = np.zeros(len(keys), np.float64)
    queries = len(by_sens)
    weight = np.zeros(queries, np.float64)
    cell = np.zeros(queries, np.int64)
    elsewhere = np.zeros(queries, np.int64)
    touched = np.empty(queries, np.int64)
    first = np.searchsorted(keys, np.arange(queries + 1) << CELL_BITS)
    for g in range(len(group_ptr) - 1):
        size = group_ptr[g + 1] - group_ptr[g]
        asked = np.int64(0)
        for e in range(count_ptr[g], count_ptr[g + 1]):
            for f in range(by_sens_ptr[count_item[e]], by_sens_ptr[count_item[e] + 1]):
                weight[by_sens[f]] = count[e] / size
                elsewhere[by_sens[f]] = 0
                asked += 1
        if asked == 0:
            continue
        for row in range(group_ptr[g], group_ptr[g + 1]):
            met = np.int64(0)
            for e in range(indptr[row], indptr[row + 1]):
                for f in range(by_item_ptr[indices[e]], by_item_ptr[indices[e] + 1]):
                    q = by_item[f]
                    if weight[q] > 0:
                        if cell[q] == 0:
                            touched[met] = q
                            met += 1
                        cell[q] |= np.int64(1) << bit[f]
            for i in range(met):
                q = touched[i]
                add_to_cell(keys, first[q], first[q + 1], estimate, (q << CELL_BITS) | cell[q], weight[q])
                elsewhere[q] += 1
                cell[q] = 0
        for e in range(count_ptr[g], count_ptr[g + 1]):
            for f in range(by_sens_ptr[count_item[e]], by_sens_ptr[count_item[e] + 1]):
                q = np.int64(by_sens[f])
                missed = weight[q] * (size - elsewhere[q])
                add_to_cell(keys, first[q], first[q + 1], estimate, q << CELL_BITS, missed)
                weight[q] = 0
    return estimate


@kernel
def add_to_cell(keys: Ints, low: int, stop: int, estimate: Floats, key: int, amount: float) -> None:
    """Add `amount` to the estimate of `key` if it is among the sorted ``keys[low:stop]``. O(log(stop - low))."""
    at = lower_bound(keys, low, stop, key)
    if at < stop and keys[at] == key:
        estimate[at] += amount
