"""How long the patterns of a shard are, and how long the search for them may go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints


@dataclass(slots=True)
class Patience:
    """Entries that the search in one shard may read.

    As in the local method, a search that is cut short settles for what it has found so far, and the next ones get half
    the patience, down to a few readings of the shard's rows.

    Examples
    --------
    >>> Patience(64_000_000, halvings=2).with_rows(10)
    16000000
    >>> Patience(64_000_000, halvings=9).with_rows(1_000_000)
    17000000
    """

    most: int
    halvings: int = 0

    def with_rows(self, entries: int) -> int:
        """The patience with rows of so many entries."""
        return max(self.most >> self.halvings, min(self.most, 16 * entries + 1_000_000))


def usable(indptr: Ints, indices: Ids, weight: Ints, bound: Ints, k: int, length: int) -> tuple[Ids, Ints, Ids]:
    """The part of a shard's rows that patterns of this length can use."""
    from covey.kernels.methods.patterns import reduce_rows

    everybody = np.ones(len(weight), np.bool_)
    partners = np.full(len(indices), np.iinfo(np.int32).max - 1, np.int32)
    return reduce_rows(indptr, indices, weight, everybody, bound, partners, k, length)


def longest_below(
    empty: int, least: int, indptr: Ints, indices: Ids, weight: Ints, bound: Ints, k: int, patience: Patience
) -> tuple[int, int]:
    """The greatest length below `empty` that has patterns, ``least - 1`` if none from `least` on has; probes cut short.

    Parameters
    ----------
    empty, least : int
        No pattern is as long as `empty`; rows shorter than `least` may be missing.
    indptr, indices, weight : arrays
        The rows of a shard.
    bound : int64 array
        The longest a pattern can be that begins with each item; 0 for those that others look for.
    k : int
        Weight that a pattern must have.
    patience : Patience
        How long each probe may go on; halved for those after one that was cut short.
    """
    from covey.kernels.methods.pattern_search import longest_patterns

    own = Patience(patience.most, patience.halvings)

    def exist(length: int) -> bool:
        rows, ptr, entries = usable(indptr, indices, weight, bound, k, length)
        allowed = own.with_rows(len(indices))
        found, stop = longest_patterns(ptr, entries, weight[rows], bound, k, length, 0, allowed)
        own.halvings += stop < len(bound) and found[3] == 0
        return bool(found[3] > 0)

    length = greatest(exist, least, min(empty, int(bound.max(initial=0)) + 1))
    return length or least - 1, own.halvings - patience.halvings


def greatest(exist: Callable[[int], bool], least: int, empty: int) -> int:
    """The greatest length from `least` to below `empty` that exists, or 0; tries ever longer steps, then bisects.

    Examples
    --------
    >>> greatest(lambda length: length <= 5, 1, 40), greatest(lambda length: length <= 5, 6, 40)
    (5, 0)
    """
    step, low = 1, empty - 1
    while low >= least and not exist(low):
        empty, low = low, max(low - step, least if low > least else 0)
        step *= 2
    if low < least:
        return 0
    while empty - low > 1:
        middle = (low + empty) // 2
        low, empty = (middle, empty) if exist(middle) else (low, middle)
    return low
