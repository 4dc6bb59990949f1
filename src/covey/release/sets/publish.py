"""Publishing sets without leaking: rows are shuffled, and labels that no row holds are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.release.sets.model import GeneralizedRelease


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
    from covey.kernels.shared.csr import take_rows

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


def _in_order(baskets: Baskets, order: Ints) -> Baskets:
    """The rows of `baskets` in another order, without items that never occur and without marks."""
    from covey.kernels.shared.csr import take_rows

    kept = baskets.only(baskets.supports() > 0)
    indptr, indices = take_rows(kept.indptr, kept.indices, order)
    return Baskets(indptr=indptr, indices=indices, items=kept.items, sensitive=np.zeros(kept.d, np.bool_))
