"""k-anonymity(k) of sets, checked from what is published, or of data as it stands."""

from __future__ import annotations

import numpy as np

from covey.data import Baskets
from covey.guarantees.k_anonymity import KAnonymity
from covey.progress import Progress, silent
from covey.release.sets import SetsRelease
from covey.verdict import Check, Verdict

#: A witness shows at most so many items of a set.
SHOWN = 8


def check(promise: KAnonymity, release: SetsRelease) -> Verdict:
    """Check from the published rows alone that each of them is there k times."""
    return _check(promise, release.transactions, "published")


def check_baskets(promise: KAnonymity, data: Baskets, *, progress: Progress = silent) -> Verdict:
    """Check data as it stands: would publishing it unchanged keep the guarantee?

    Examples
    --------
    >>> check_baskets(KAnonymity(2), Baskets.of([["wine"], ["wine"], ["beer"]])).holds
    False
    """
    return _check(promise, data, "given")


def _check(promise: KAnonymity, sets: Baskets, how: str) -> Verdict:
    from covey.kernels.shared.set_classes import classes_of, set_hashes

    # Fresh words for each check: nobody can prepare sets whose hashes collide and make it slow.
    words = np.random.default_rng().integers(0, 2**64, max(sets.d, 1), np.uint64)
    hashes = set_hashes(sets.indptr, sets.indices, words)
    number, example = classes_of(sets.indptr, sets.indices, hashes, np.argsort(hashes, kind="stable"))
    sizes = np.bincount(number, minlength=len(example))
    rare = sizes < promise.k if promise.k <= sets.n else np.ones(len(sizes), np.bool_)
    if rare.any():
        # The first row among the rarest sets, so that the same release always has the same witness.
        row = int(example[sizes == sizes.min()].min())
        detail = (
            f"{int(sizes[rare].sum()):,} of {sets.n:,} transactions are {how} fewer than {promise.k} times alike; "
            f"the worst: {_shown(sets, row)} is there {_times(int(sizes.min()))}"
        )
    else:
        detail = f"{len(sizes):,} different sets, the rarest {how} {_times(int(sizes.min(initial=sets.n)))}"
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(
                name=f"every transaction is {how} {promise.k} times alike or more",
                passed=not rare.any(),
                detail=detail,
            ),
        ),
        figures={
            "k": int(sizes.min()) if len(sizes) else None,
            "classes": len(sizes),
            "violating": int(sizes[rare].sum()),
            "largest_class": int(sizes.max(initial=0)),
            "empty": int((sets.lengths() == 0).sum()),
        },
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _shown(sets: Baskets, row: int) -> str:
    items = sets.basket(row)
    return "{" + ", ".join(items[:SHOWN]) + (" …" if len(items) > SHOWN else "") + "}"
