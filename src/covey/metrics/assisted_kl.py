"""KL error of model-assisted estimates beside that of equal shares: does the second estimate come closer?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Cells, Floats, Ints
from covey.data import Baskets
from covey.data.postings import postings
from covey.kernels.measure.kl import mark_cells, sums_by_cell
from covey.metrics.kl import KLError, Workload, draw_workload, summary
from covey.release.grouped.assisted import assist, equal_shares
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import holders, marked
from covey.threads import parallel

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
    asked = draw_workload(marked(release, original), r=r, queries=queries, workload=workload, seed=seed)
    return assisted_kls(release, original, [asked])[0]


def assisted_kls(release: GroupedRelease, original: Baskets, asked: Sequence[Workload]) -> list[AssistedKL]:
    """As `assisted_kl` for several workloads of one shape; an item's model is fitted once, and forgotten after use."""
    queries, r = asked[0].items.shape
    sensitive = np.concatenate([one.sensitive for one in asked])
    others = np.concatenate([one.items for one in asked])
    published, m = release.transactions, len(release.sensitive_items)
    # What is true is asked of those who hold a sensitive item, and of nobody else.
    before, after = holders(release, original), postings(published)
    most = int(before.rows.max(initial=-1)) + 1
    errors, weight = np.empty((2, len(sensitive))), np.zeros(m)

    def judge(item: int) -> None:
        fitted = assist(release, item)
        equal = equal_shares(release, item) if fitted.weight else fitted.expected
        held = before.rows[before.ptr[item] : before.ptr[item + 1]]
        # All others are expected to hold none, whoever judges.
        suspects = np.flatnonzero(equal)
        shares = [expected[suspects] for expected in ((equal, fitted.expected) if fitted.weight else (equal,))]
        weight[item] = fitted.weight
        del fitted, equal

        def ask(some: Ints) -> None:
            cells, of_holders = np.empty(published.n, np.uint16), np.empty(most, np.uint16)
            for q in some:
                mark_cells(before.ptr, before.rows, m + others[q], of_holders)
                actual = np.bincount(of_holders[held], minlength=1 << r)
                mark_cells(after.ptr, after.rows, others[q], cells)
                for place, share in enumerate(shares):
                    errors[place:, q] = _divergence(actual, cells, suspects, share)

        own = np.flatnonzero(sensitive == item)
        parallel(ask, np.array_split(own, -(-len(own) // PIECE)))

    parallel(judge, np.unique(sensitive).tolist())
    found = []
    for number, one in enumerate(asked):
        equal, assisted = (summary(of_all[number * queries : (number + 1) * queries]) for of_all in errors)
        items = np.unique(one.sensitive)
        used = int(np.count_nonzero(weight[items]))
        found.append(AssistedKL(equal=equal, assisted=assisted, used=used, asked=len(items)))
    return found


def _divergence(actual: Ints, cells: Cells, suspects: Ints, share: Floats) -> float:
    """The KL error of one query: true counts of its cells, the cell of each row, and what some are expected to hold."""
    estimated = np.zeros(len(actual))
    sums_by_cell(cells, suspects, share, estimated)
    met = actual > 0
    share = actual[met] / actual.sum()
    return max(float((share * np.log(actual[met] / estimated[met])).sum()), 0.0)
