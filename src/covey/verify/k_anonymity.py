"""k-anonymity(k) of sets, checked from what is published, or of data as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.counting import counted
from covey.data import Baskets
from covey.data.equal_rows import equal_rows
from covey.guarantees.k_anonymity import KAnonymity
from covey.progress import Progress, silent
from covey.release.sets import SetsRelease
from covey.verdict import Check, Verdict

#: A witness shows at most so many items of a set.
SHOWN = 8


def check(promise: KAnonymity, release: SetsRelease) -> Verdict:
    """Check from the published rows alone that each of them is there k times."""
    return _check(promise, release.transactions)


def check_baskets(promise: KAnonymity, data: Baskets, *, progress: Progress = silent) -> Verdict:
    """Check data as it stands: would publishing it unchanged keep the guarantee?

    Examples
    --------
    >>> check_baskets(KAnonymity(2), Baskets.of([["wine"], ["wine"], ["beer"]])).holds
    False
    """
    return _check(promise, data.by_person())


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """Equal sets, as far as the guarantee is about them."""

    #: Transactions, and those without items.
    rows: int
    empty: int
    #: Different sets, and how often the rarest and the commonest of them occur.
    number: int
    smallest: int
    largest: int
    #: Transactions whose set fewer than k have.
    violating: int
    #: The first of the rarest sets, so that the same release always has the same witness.
    rarest: list[str]
    #: Whose sets they are, in the plural.
    unit: str = "transactions"


def violators(promise: KAnonymity, data: Baskets) -> Iterator[tuple[object, ...]]:
    """A heading, then a line for everybody whose set fewer than k share."""
    sets = data.by_person()
    number, sizes, _ = equal_rows(sets.indptr, sets.indices, sets.d)
    yield sets.unit[:-1], "alike", "items"
    for row in np.flatnonzero(sizes[number] < promise.k).tolist():
        yield row + 1, int(sizes[number[row]]), "|".join(sets.basket(row))


def _check(promise: KAnonymity, sets: Baskets) -> Verdict:
    _, sizes, example = equal_rows(sets.indptr, sets.indices, sets.d)
    rare = sizes < promise.k if promise.k <= sets.n else np.ones(len(sizes), np.bool_)
    found = Classes(
        rows=sets.n,
        empty=int((sets.lengths() == 0).sum()),
        number=len(sizes),
        smallest=int(sizes.min(initial=sets.n)),
        largest=int(sizes.max(initial=0)),
        violating=int(sizes[rare].sum()),
        rarest=sets.basket(int(example[sizes == sizes.min()].min())) if len(sizes) else [],
        unit=sets.unit,
    )
    return verdict(promise, found)


def verdict(promise: KAnonymity, found: Classes) -> Verdict:
    """What the equal sets say, wherever they were counted."""
    if found.violating:
        shown = ", ".join(found.rarest[:SHOWN]) + (" …" if len(found.rarest) > SHOWN else "")
        detail = (
            f"{found.violating:,} of {found.rows:,} {found.unit} have a set that occurs "
            f"fewer than {promise.k} times; the rarest, {{{shown}}}, occurs {counted(found.smallest, 'time')}"
        )
    else:
        detail = f"{counted(found.number, 'different set')}; the rarest occurs {counted(found.smallest, 'time')}"
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(
                name=f"every {found.unit[:-1]} has the same items as at least {counted(promise.k - 1, 'other')}",
                passed=not found.violating,
                detail=detail,
            ),
        ),
        figures={
            "k": found.smallest if found.number else None,
            "classes": found.number,
            "violating": found.violating,
            "largest_class": found.largest,
            "empty": found.empty,
        },
    )
