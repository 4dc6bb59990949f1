"""Complete baskets from a grouped release: each group's sensitive items dealt to its members at random.

One draw is one world that the release allows, taken from all of them with equal chances. What holds in the release
holds in every draw: the published items of each transaction, and how often a group holds each sensitive item. Which of
its transactions do is made up, so a draw tells nothing about anybody that the release does not.
"""

from __future__ import annotations

import numpy as np

from covey.data import Baskets
from covey.kernels.shared.csr import beside, rows_from_pairs
from covey.release.grouped.model import GroupedRelease


def deal(release: GroupedRelease, seed: int | None) -> Baskets:
    """One draw; row i is row i of the release. O(entries + sensitive entries), and a call per published count.

    Parameters
    ----------
    release : GroupedRelease
        What was published.
    seed : int or None
        Makes the draw reproducible; None draws from the system's entropy.
    """
    rng = np.random.default_rng(seed)
    sizes, first = release.group_sizes(), release.group_ptr
    dealt = [
        first[group] + rng.choice(sizes[group], count, replace=False, shuffle=False)
        for group, count in zip(release.count_group, release.count, strict=True)
    ]
    public = release.transactions
    rows = np.concatenate([np.empty(0, np.int64), *dealt]).astype(np.int32)
    secret = np.repeat(release.count_item, release.count) + np.int32(public.d)
    indptr, indices = beside(public.indptr, public.indices, *rows_from_pairs(rows, secret, public.n))
    return Baskets.build(indptr, indices, [*public.items, *release.sensitive_items], release.sensitive_items)
