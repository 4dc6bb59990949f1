"""KL reconstruction error: how far estimated distributions of a sensitive item are from the true ones.

For a sensitive item s and r published items there are 2^r cells; Act is the share of the occurrences of s in
a cell, Est the share estimated from the release, and the error is Σ Act ln(Act / Est)
(Ghinita et al. 2008, section II-B).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Floats, Ints
from covey.data import Baskets
from covey.data.postings import Postings, postings
from covey.errors import InputError
from covey.measure.study import Study
from covey.parameters import choice, integer
from covey.release.grouped import GroupedRelease
from covey.tabular import Figures

WORKLOADS = ("uniform", "support")


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

    def to_dict(self) -> Figures:
        """Return the figures as plain data for JSON."""
        return {"mean": self.mean, "standard_error": self.standard_error, "queries": len(self.errors)}


def draw_workload(
    original: Baskets, *, r: int = 4, queries: int = 100, workload: str = "uniform", seed: int | None = 0
) -> Workload:
    """Draw queries: sensitive item and r published items uniformly, or in proportion to their support."""
    integer("kl", "r", r, minimum=1)
    integer("kl", "queries", queries, minimum=1)
    choice("kl", "workload", workload, WORKLOADS)
    supports = original.supports()
    secret = supports[original.sensitive]
    public, held = supports[~original.sensitive & (supports > 0)], secret[secret > 0]
    if r > 16 or r > len(public):
        raise InputError(f"the workload asks for r = {r} items; at most {min(16, len(public))} are possible")
    if not len(held):
        raise InputError("no sensitive item occurs in the data, so there is nothing to estimate")
    rng = np.random.default_rng(seed)
    shares = (public / public.sum(), held / held.sum()) if workload == "support" else (None, None)
    items = np.empty((queries, r), np.int64)
    for q in range(queries):
        items[q] = rng.choice(len(public), r, replace=False, p=shares[0])
    return Workload(sensitive=rng.choice(len(held), queries, p=shares[1]), items=items)


def kl(
    release: GroupedRelease,
    original: Baskets,
    *,
    r: int = 4,
    queries: int = 100,
    workload: str = "uniform",
    seed: int | None = 0,
) -> KLError:
    """Return the KL error of the estimates that `release` allows, against `original`.

    Parameters
    ----------
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
    study = Study(release, original)
    return answer(study, draw_workload(study.marked, r=r, queries=queries, workload=workload, seed=seed))[0]


def answer(study: Study, asked: Workload) -> tuple[KLError, KLError]:
    """Return the KL errors of a workload, and those of someone who knows only the totals of sensitive items."""
    release, m, cell_count = study.release, study.secret.d, 1 << asked.items.shape[1]
    n, sizes, expected = release.transactions.n, release.group_sizes(), release.expected_count()
    published, holders, supports = postings(release.transactions), study.holders, study.secret.supports()
    group, holding = np.repeat(np.arange(release.groups), sizes), int(holders.rows.max(initial=-1)) + 1
    errors, blind = np.empty(len(asked.items)), np.empty(len(asked.items))
    for query, (s, items) in enumerate(zip(asked.sensitive.tolist(), asked.items, strict=True)):
        rows = holders.rows[holders.ptr[s] : holders.ptr[s + 1]]
        true = np.bincount(cells(holders, items + m, holding)[rows], minlength=cell_count)
        counted, chance = release.count_item == s, np.zeros(release.groups)
        groups = release.count_group[counted]
        chance[groups] = expected[counted] / sizes[groups]
        # Few rows hold any of the items; the others, all in cell 0, are counted by group.
        cell = cells(published, items, n)
        some = np.flatnonzero(cell)
        cell, home = cell[some], group[some]
        estimated = np.bincount(cell, chance[home], cell_count)
        estimated[0] = chance @ (sizes - np.bincount(home, minlength=release.groups))
        number = np.bincount(cell, minlength=cell_count)
        number[0] = n - len(some)
        errors[query] = divergence(true, estimated)
        blind[query] = divergence(true, number * (supports[s] / n))
    return summary(errors), summary(blind)


def cells(lists: Postings, items: Ints, n: int) -> NDArray[np.uint16]:
    """Return the cell of each of `n` rows: bit b is set where it holds ``items[b]``."""
    found = np.zeros(n, np.uint16)
    for bit, item in enumerate(items):
        found[lists.rows[lists.ptr[item] : lists.ptr[item + 1]]] |= np.uint16(1 << bit)
    return found


def divergence(true: Ints, estimated: Floats) -> float:
    """Return the KL error of the estimated counts of all cells."""
    some = true > 0
    # Rounding can leave an exact reconstruction at -1e-17.
    return max(float((true[some] / true.sum() * np.log(true[some] / estimated[some])).sum()), 0.0)


def summary(errors: Floats) -> KLError:
    """Return the mean of the errors of some queries, with its standard error."""
    spread = float(errors.std(ddof=1)) / np.sqrt(len(errors)) if len(errors) > 1 else 0.0
    return KLError(mean=float(errors.mean()), standard_error=float(spread), errors=errors)
