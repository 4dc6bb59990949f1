"""Publishing without leaking (REFERENCE: section 6): the only way a method may make a release.

Groups are renumbered at random and rows are shuffled within their group; rows are then stored group by group.
That is as good as a shuffle of all rows, since whoever has the release can sort it by group anyway, and it
keeps files small and queries local. Items stand in label order. The random numbers come from the system's
entropy unless a seed is given, and a seed is never written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.data import Baskets
from covey.release.generalized import GeneralizedRelease
from covey.release.grouped import GroupedRelease


def grouped(
    data: Baskets,
    group: NDArray[np.int64],
    groups: int,
    *,
    guarantee: str,
    method: str,
    options: Mapping[str, Any],
    seed: int | None,
) -> GroupedRelease:
    """Make a grouped release of `data` from the group number of each row.

    Parameters
    ----------
    data : Baskets
        The original, with its sensitive items marked.
    group : int64 array of length n
        Group numbers in ``range(groups)``, none of them unused.
    groups : int
        How many groups there are.
    guarantee, method, options
        What the manifest will state.
    seed : int or None
        None draws from the system's entropy.
    """
    from covey.kernels.csr import take_rows
    from covey.kernels.groups import rows_by_group

    rng = np.random.default_rng(seed)
    relabelled = rng.permutation(groups)[group]
    group_ptr, rows = rows_by_group(relabelled, rng.permutation(data.n), groups)

    occurring = data.supports() > 0
    public = data.only(~data.sensitive & occurring)
    indptr, indices = take_rows(public.indptr, public.indices, rows)
    transactions = Baskets(
        indptr=indptr, indices=indices, items=public.items, sensitive=np.zeros(public.d, np.bool_)
    )
    secret = data.only(data.sensitive & occurring)
    keys = np.repeat(relabelled, secret.lengths()) * max(secret.d, 1) + secret.indices
    cells, count = np.unique(keys, return_counts=True)
    return GroupedRelease(
        transactions=transactions,
        group_ptr=group_ptr,
        sensitive_items=secret.items,
        count_group=cells // max(secret.d, 1),
        count_item=(cells % max(secret.d, 1)).astype(np.int32),
        count=count.astype(np.int64),
        guarantee=guarantee,
        method=method,
        options=dict(options),
    )


def generalized(
    published: Baskets,
    *,
    guarantee: str,
    method: str,
    options: Mapping[str, Any],
    seed: int | None,
    recoding: Mapping[str, str] | None = None,
    private: Baskets | None = None,
) -> GeneralizedRelease:
    """Make a generalized release of sets from what each original transaction is to be published as.

    Rows are shuffled, the private items of `private` with them; labels that no published transaction holds are
    dropped from the list of items.
    """
    from covey.kernels.csr import take_rows

    kept = published.only(published.supports() > 0)
    order = np.random.default_rng(seed).permutation(kept.n)
    indptr, indices = take_rows(kept.indptr, kept.indices, order)
    transactions = Baskets(indptr=indptr, indices=indices, items=kept.items, sensitive=kept.sensitive)
    return GeneralizedRelease(
        transactions=transactions,
        recoding=None if recoding is None else dict(recoding),
        private=None if private is None else _in_order(private, order),
        guarantee=guarantee,
        method=method,
        options=dict(options),
    )


def _in_order(baskets: Baskets, order: NDArray[np.int64]) -> Baskets:
    """The rows of `baskets` in another order, without items that never occur and without marks."""
    from covey.kernels.csr import take_rows

    kept = baskets.only(baskets.supports() > 0)
    indptr, indices = take_rows(kept.indptr, kept.indices, order)
    return Baskets(indptr=indptr, indices=indices, items=kept.items, sensitive=np.zeros(kept.d, np.bool_))
