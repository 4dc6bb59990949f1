"""KL error of model-assisted estimates beside that of equal shares: does the second estimate come closer?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.metrics.kl import KLError, draw_workload, summary
from covey.release.grouped.assisted import Assisted, assist
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import parts


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistedKL:
    """Both errors over one workload.

    Attributes
    ----------
    equal, assisted : KLError
        With equal shares, and with the model where it is used.
    used, asked : int
        For how many of the sensitive items that were asked for the model is used.
    """

    equal: KLError
    assisted: KLError
    used: int
    asked: int

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {
            "equal": self.equal.to_dict(),
            "assisted": self.assisted.to_dict(),
            "used": self.used,
            "asked": self.asked,
        }


def assisted_kl(
    release: GroupedRelease,
    original: Baskets,
    *,
    r: int = 4,
    queries: int = 100,
    workload: str = "uniform",
    seed: int | None = 0,
) -> AssistedKL:
    """KL error of model-assisted estimates and of equal shares; parameters as for `covey.metrics.kl.kl`.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["b"], ["c"], ["c"]], sensitive=["s"])
    >>> both = assisted_kl(covey.anonymize(baskets, "degree(p=4)"), baskets, r=3)
    >>> both.used, both.assisted.mean == both.equal.mean
    (0, True)
    """
    marked = original.as_baskets().with_sensitive(release.sensitive_items)
    asked = draw_workload(marked, r=r, queries=queries, workload=workload, seed=seed)
    public, secret = parts(release, marked)
    truth, published, holders = (_columns(data) for data in (public, release.transactions, secret))
    models: dict[int, Assisted] = {}
    shares = 1 / release.group_sizes().astype(np.float64)
    group = np.repeat(np.arange(release.groups), release.group_sizes())
    errors = np.empty((2, queries))
    for q, (item, others) in enumerate(zip(asked.sensitive.tolist(), asked.items, strict=True)):
        if item not in models:
            models[item] = assist(release, item)
        here = release.count_item == item
        counts = np.zeros(release.groups)
        counts[release.count_group[here]] = release.count[here]
        actual = np.bincount(_cells(truth, others, public.n)[holders[item]], minlength=1 << r)
        cells = _cells(published, others, release.transactions.n)
        for row, weights in enumerate(((counts * shares)[group], models[item].expected)):
            estimated = np.bincount(cells, weights=weights, minlength=1 << r)
            met = actual > 0
            share = actual[met] / actual.sum()
            errors[row, q] = max(float((share * np.log(actual[met] / estimated[met])).sum()), 0.0)
    used = sum(model.weight > 0 for model in models.values())
    return AssistedKL(equal=summary(errors[0]), assisted=summary(errors[1]), used=used, asked=len(models))


def _columns(data: Baskets) -> list[Ids]:
    """The rows that hold each item."""
    columns = data.to_scipy().tocsc()
    return np.split(columns.indices, columns.indptr[1:-1])


def _cells(columns: list[Ids], items: Ints, n: int) -> Ints:
    """For each row, which of some items it holds, as bits."""
    cells = np.zeros(n, np.int64)
    for bit, item in enumerate(items):
        cells[columns[item]] |= 1 << bit
    return cells
