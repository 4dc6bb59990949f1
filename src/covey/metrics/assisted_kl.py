"""KL error of model-assisted estimates beside that of equal shares: does the second estimate come closer?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Baskets
from covey.data.postings import postings
from covey.kernels.measure.kl import mark_cells, sums_by_cell
from covey.metrics.kl import KLError, draw_workload, summary
from covey.release.grouped.assisted import Assisted, assist, equal_shares
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import marked, parts
from covey.threads import side_by_side

#: Queries that one thread looks at before it takes the next ones.
PIECE = 10


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
    models: dict[int, Assisted] | None = None,
) -> AssistedKL:
    """KL error of model-assisted estimates and of equal shares; parameters as for `covey.metrics.kl.kl`.

    `models` are those fitted before, by sensitive item; new ones are added.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["b"], ["c"], ["c"]], sensitive=["s"])
    >>> both = assisted_kl(covey.anonymize(baskets, "degree(p=4)"), baskets, r=3)
    >>> both.used, both.assisted.mean == both.equal.mean
    (0, True)
    """
    asked = draw_workload(marked(release, original), r=r, queries=queries, workload=workload, seed=seed)
    public, secret = parts(release, original)
    known = {} if models is None else models
    sensitive = np.unique(asked.sensitive).tolist()
    new = [item for item in sensitive if item not in known]
    known.update(zip(new, side_by_side(lambda item: assist(release, item), new), strict=True))
    before, after, holders = (postings(data) for data in (public, release.transactions, secret))

    def errors_of(some: Ints) -> Floats:
        of_original, of_release = np.empty(public.n, np.int64), np.empty(public.n, np.int64)
        errors = np.empty((2, len(some)))
        for at, q in enumerate(some):
            item, others = int(asked.sensitive[q]), asked.items[q]
            mark_cells(before.ptr, before.rows, others, of_original)
            actual = np.bincount(of_original[holders.rows[holders.ptr[item] : holders.ptr[item + 1]]], minlength=1 << r)
            mark_cells(after.ptr, after.rows, others, of_release)
            errors[0, at] = _divergence(actual, of_release, equal_shares(release, item))
            fitted = known[item]
            errors[1, at] = _divergence(actual, of_release, fitted.expected) if fitted.weight else errors[0, at]
        return errors

    errors = np.concatenate(side_by_side(errors_of, np.array_split(np.arange(queries), -(-queries // PIECE))), axis=1)
    used = sum(known[item].weight > 0 for item in sensitive)
    return AssistedKL(equal=summary(errors[0]), assisted=summary(errors[1]), used=used, asked=len(sensitive))


def _divergence(actual: Ints, cells: Ints, expected: Floats) -> float:
    """The KL error of one query: true counts of its cells, the cell of each row, and what each is expected to hold."""
    estimated = np.zeros(len(actual))
    sums_by_cell(cells, expected, estimated)
    met = actual > 0
    share = actual[met] / actual.sum()
    return max(float((share * np.log(actual[met] / estimated[met])).sum()), 0.0)
