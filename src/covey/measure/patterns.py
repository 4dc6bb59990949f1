"""Pattern utility: do the frequent itemsets that involve a sensitive item keep their support?

The N most frequent itemsets of the original with at least one sensitive and one other item are looked up in
the release: their estimated support is eq. 2 of Ghinita et al. 2008, summed over groups, and with several sensitive
items the product of their shares. An itemset counts as kept when the estimate is within a tolerance of the
truth.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from covey.arrays import Ints
from covey.data.csr import take_rows, transpose
from covey.data.postings import postings
from covey.guarantees import guarantee
from covey.measure.study import Study
from covey.parameters import integer
from covey.release.grouped import GroupedRelease
from covey.tabular import Plain

#: Largest relative error of a kept itemset.
TOLERANCE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternUtility(Plain):
    """How many frequent itemsets keep their support."""

    #: Itemsets looked at; fewer than asked for when the data has fewer.
    patterns: int
    #: Those whose estimated support is within the tolerance.
    kept: int
    #: kept / patterns, 0 when there are none.
    share: float
    #: Mean of |estimate - support| / support.
    mean_relative_error: float
    #: Largest relative error of a kept itemset.
    tolerance: float
    #: Support of the rarest itemset looked at.
    least_support: int
    #: Itemsets that a release with this promise may keep: of those with the ordinary items, at most 1 in p holds the
    #: sensitive ones. Keeping another would break the promise, so its loss is the price of p, not of the method.
    admissible: int
    #: Those of them that are kept.
    admissible_kept: int
    #: Mean relative errors of the two kinds; 0 where there are none.
    admissible_error: float
    inadmissible_error: float


def patterns(study: Study, *, top: int = 100) -> PatternUtility:
    """Compare the support of the `top` most frequent itemsets that involve a sensitive item.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a", "s"], ["a"], ["a"], ["b"]], sensitive=["s"])
    >>> found = patterns(Study(covey.anonymize(baskets, "degree(p=2)", seed=0), baskets))
    >>> found.patterns, found.admissible
    (1, 1)
    """
    integer("patterns", "top", top, minimum=1)
    found, m = top_itemsets(study, top), study.secret.d
    supports = np.array([support for support, _ in found], np.float64)
    looked_up = np.array([estimated_support(study.release, itemset, m) for _, itemset in found])
    estimates, with_ordinary = looked_up.reshape(-1, 2).T
    error = np.abs(estimates - supports) / np.maximum(supports, 1)
    # The slack is for rounding: an estimate that is 10 % off on paper should not depend on the last digit.
    kept = error <= TOLERANCE + 1e-12
    promise = guarantee(study.release.guarantee)
    # The p for which itemsets may be in at most 1/p of the transactions with their ordinary items; 0 if any may.
    strength = float(getattr(promise, promise.bounds_certainty, 0)) if promise.bounds_certainty else 0.0
    able = strength * supports <= with_ordinary
    return PatternUtility(
        patterns=len(found),
        kept=int(kept.sum()),
        share=float(kept.mean()) if found else 0.0,
        mean_relative_error=float(error.mean()) if found else 0.0,
        tolerance=TOLERANCE,
        least_support=int(supports[-1]) if found else 0,
        admissible=int(able.sum()),
        admissible_kept=int((kept & able).sum()),
        admissible_error=float(error[able].mean()) if able.any() else 0.0,
        inadmissible_error=float(error[~able].mean()) if (~able).any() else 0.0,
    )


def top_itemsets(study: Study, top: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return the most frequent itemsets with a sensitive and another item: (support, ids), the most frequent first.

    Sensitive items have the ids 0 to m - 1, published ones follow. Ties: the shorter, then the lower ids.
    Sets are grown item by item and the best is always taken first; as no set is more frequent than its
    beginning, the first `top` taken are the answer. O(top · entries of the sensitive rows).
    """
    secret, d = study.secret, study.secret.d + study.public.d
    rows = np.flatnonzero(secret.lengths())
    ptr, ids = study.joined(rows)
    item_ptr, item_rows = transpose(ptr, ids, d)
    everywhere = np.arange(len(rows))
    # Waiting sets as (-support, length, ids, rows that hold all but the last item).
    waiting: list[tuple[int, int, tuple[int, ...], Ints]] = [
        (-support, 1, (s,), everywhere) for s, support in enumerate(secret.supports().tolist())
    ]
    heapq.heapify(waiting)
    # Supports of the best sets that wait or were taken, `top` at most: rarer ones will not be wanted.
    best: list[int] = []
    found: list[tuple[int, tuple[int, ...]]] = []
    while waiting and len(found) < top:
        negative, length, itemset, before = heapq.heappop(waiting)
        if length > 1:
            found.append((-negative, itemset))
        last = itemset[-1]
        inside = np.zeros(len(rows), np.bool_)
        inside[before] = True
        own = item_rows[item_ptr[last] : item_ptr[last + 1]].astype(np.int64)
        holding = own[inside[own]]
        counts = np.bincount(take_rows(ptr, ids, holding)[1], minlength=d)
        counts[: last + 1] = 0
        later = np.flatnonzero(counts)
        # Only as many children as could still be wanted.
        wanted = later[np.argsort(-counts[later], kind="stable")][: top - len(found)]
        for j, support in zip(wanted.tolist(), counts[wanted].tolist(), strict=True):
            if len(best) == top and support < best[0]:
                break
            heapq.heappush(waiting, (-support, length + 1, (*itemset, j), holding))
            heapq.heappush(best, support)
            if len(best) > top:
                heapq.heappop(best)
    return found


def estimated_support(release: GroupedRelease, itemset: tuple[int, ...], m: int) -> tuple[float, int]:
    """Return the support of an itemset, numbered as in `top_itemsets`, that the release lets one estimate.

    Beside it stands how many transactions hold its ordinary items. Precondition: some item is sensitive.
    """
    sizes, expected_count = release.group_sizes(), release.expected_count()
    present = np.array([j - m for j in itemset if j >= m], np.int32)
    published = release.transactions
    matching = postings(published).holding(present) if len(present) else np.arange(published.n)
    expected = np.zeros(release.groups)
    for place, s in enumerate(j for j in itemset if j < m):
        counted = release.count_item == s
        groups = release.count_group[counted]
        if place == 0:
            starts, ends = (np.searchsorted(matching, release.group_ptr[groups + step]) for step in (0, 1))
            expected[groups] = ends - starts
        share = np.zeros(release.groups)
        share[groups] = expected_count[counted] / sizes[groups]
        expected *= share
    return float(expected.sum()), len(matching)
