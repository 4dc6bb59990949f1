"""Publishing sets without leaking: rows are shuffled, and labels that no row holds are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.kernels.shared.csr import take_rows
from covey.release.base import Statement
from covey.release.sets.model import SetsRelease


def sets(
    published: Baskets,
    *,
    made: Statement,
    seed: int | None,
    recoded: Literal["global", "local", "suppressed"],
    recoding: Mapping[str, str] | None = None,
    rest: str = "",
    private: Baskets | None = None,
    by_person: bool = False,
) -> SetsRelease:
    """Make a release of sets from what each original transaction is to be published as.

    Rows are shuffled, the private items of `private` with them; labels that no published transaction holds are
    dropped from the list of items, and from the recoding what would only lead to them. With `by_person` each row is a
    person, and the release says so.
    """
    kept = published.only(published.supports() > 0)
    order = np.random.default_rng(seed).permutation(kept.n)
    indptr, indices = take_rows(kept.indptr, kept.indices, order)
    transactions = Baskets(
        indptr=indptr,
        indices=indices,
        items=kept.items,
        sensitive=kept.sensitive,
        person=np.arange(kept.n, dtype=np.int32) if by_person else None,
    )
    if recoding is not None:
        known = set(transactions.items)
        recoding = {item: label for item, label in recoding.items() if label in known}
    if private is not None:
        private = private.only(private.supports() > 0)
        private = unmarked(*take_rows(private.indptr, private.indices, order), private.items)
    return SetsRelease(
        transactions=transactions,
        recoded=recoded,
        recoding=recoding,
        rest=rest if rest in transactions.items else "",
        private=private,
        made=made,
    )
