"""Published baskets paired with equal baskets of an original, by content alone; with loops that no method uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ints, Words
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import pieces
from covey.errors import other_original
from covey.kernels.verify.fidelity import first_unequal, row_hashes
from covey.threads import parallel


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Rows of two sets of baskets paired by content.

    Attributes
    ----------
    problem : str
        What differs, in words; empty when the two are equal as multisets.
    ours, theirs : int64 arrays
        Rows of the release and of the original by hash; equal rows stand at equal places.
    kind : int64 array
        Number of the distinct basket at each place.
    """

    problem: str
    ours: Ints
    theirs: Ints
    kind: Ints

    def located(self, group_ptr: Ints) -> tuple[Ints, Ints]:
        """The rows of the original whose group is certain, since all that look like them are in one, and that group."""
        group = np.searchsorted(group_ptr, self.ours, side="right") - 1
        if not len(group):
            return self.theirs, group
        first = np.flatnonzero(np.diff(self.kind, prepend=-1))
        one = np.minimum.reduceat(group, first) == np.maximum.reduceat(group, first)
        certain = one[self.kind]
        return self.theirs[certain], group[certain]


def match_rows(published: Baskets, original: Baskets) -> Matching:
    """Pair the rows of `published` with equal rows of `original`, or say what stands in the way."""

    def failed(problem: str) -> Matching:
        none = np.empty(0, np.int64)
        return Matching(problem=problem, ours=none, theirs=none, kind=none)

    if published.n != original.n:
        return failed(f"{published.n:,} transactions are published, the original has {original.n:,}")
    if published.items != original.items:
        invented = sorted(set(published.items) - set(original.items))
        lost = sorted(set(original.items) - set(published.items))
        what = f"{invented[0]!r} is published but not in" if invented else f"{lost[0]!r} is missing from"
        return failed(f"the item {what} the {'original' if invented else 'release'}")
    words = np.random.default_rng().integers(0, 2**64, original.d, np.uint64)

    def ordered(baskets: Baskets) -> tuple[Words, Ints]:
        hashes = row_hashes(baskets.indptr, baskets.indices, words)
        return hashes, np.argsort(hashes)

    (ours, our_order), (theirs, their_order) = parallel(ordered, (published, original))
    if not _are_equal(published, our_order, original, their_order):
        return failed(_difference(published, ours, theirs))
    del ours
    theirs = theirs[their_order]
    kind = np.zeros(original.n, np.int64)
    np.cumsum(theirs[1:] != theirs[:-1], out=kind[1:])
    return Matching(problem="", ours=our_order, theirs=their_order, kind=kind)


def same_multiset(published: Baskets, original: Baskets) -> bool:
    """Whether the two have the same baskets, each equally often: told by sums of random hashes, sorting nothing.

    For measuring; a verifier asks `match_rows`, which compares the baskets themselves. Unequal ones have equal sums
    with a chance of about 1 in 2^64, in every run another.

    Examples
    --------
    >>> some, others = Baskets.of([["a"], ["a", "b"], ["b"]]), Baskets.of([["b"], ["a"], ["a", "b"]])
    >>> same_multiset(some, others), same_multiset(some, Baskets.of([["a"], ["b"], ["b"]]))
    (True, False)
    """
    if published.n != original.n or published.items != original.items:
        return False
    words = np.random.default_rng().integers(0, 2**64, original.d, np.uint64)

    def total(baskets: Baskets) -> int:
        # Mixed, so that baskets which make up others together do not have their sum (the finish of splitmix64).
        found = row_hashes(baskets.indptr, baskets.indices, words)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            found ^= found >> np.uint64(shift)
            found *= np.uint64(factor)
        found ^= found >> np.uint64(31)
        return int(found.sum())

    ours, theirs = parallel(total, (published, original))
    return ours == theirs


def _are_equal(published: Baskets, our_order: Ints, original: Baskets, their_order: Ints) -> bool:
    """Whether every published row has the items of the row of the original that stands at the same place."""
    partner = np.empty(original.n, np.int64)
    partner[our_order] = their_order

    def unequal(rows: slice) -> bool:
        some = published.indptr[rows.start : rows.stop + 1]
        return first_unequal(some, published.indices, original.indptr, original.indices, partner[rows]) >= 0

    return not any(parallel(unequal, pieces(original.n)))


def paired(published: Baskets, original: Baskets) -> tuple[Ints, Ints, int]:
    """The number of the distinct basket of each published and of each original row, and how many there are.

    Baskets are numbered by the original row that has each first, so that the numbers are the same in every run.

    Raises
    ------
    InputError
        The two are not equal as multisets.
    """
    matching = match_rows(published, original)
    if matching.problem:
        raise other_original(f"the release was not made from this original: {matching.problem}")
    kinds = int(matching.kind[-1]) + 1 if original.n else 0
    first_row = np.minimum.reduceat(matching.theirs, np.flatnonzero(np.diff(matching.kind, prepend=-1)))
    number = np.empty(kinds, np.int64)
    number[np.argsort(first_row)] = np.arange(kinds)
    ours, theirs = np.empty(original.n, np.int64), np.empty(original.n, np.int64)
    ours[matching.ours] = theirs[matching.theirs] = number[matching.kind]
    return ours, theirs, kinds


def _difference(published: Baskets, ours: Words, theirs: Words) -> str:
    """A published basket that occurs more often than it does in the original; only needed to explain."""
    hashes, row, count = np.unique(ours, return_index=True, return_counts=True)
    originals, original_count = np.unique(theirs, return_counts=True)
    at = np.minimum(np.searchsorted(originals, hashes), len(originals) - 1)
    expected = np.where(originals[at] == hashes, original_count[at], 0)
    worst = int((count - expected).argmax())
    return other_often(published.basket(int(row[worst])), int(count[worst]), int(expected[worst]))


def other_often(basket: list[str], here: int, there: int) -> str:
    """That a basket is published more or less often than it is in the original, in words."""
    shown = ", ".join(basket[:6]) + (" …" if len(basket) > 6 else "")
    return f"the basket {{{shown}}} is published {counted(here, 'time')}, the original has it {counted(there, 'time')}"
