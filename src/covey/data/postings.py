"""The rows that hold each item of some baskets, ready to be intersected; made once and shared by all that measure.

Which rows hold all of some items: lists of rows for rare items, and a bit per row besides for frequent ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.baskets import Baskets
from covey.data.csr import transpose
from covey.data.jit import ONE, kernel, ones
from covey.threads import parallel

#: An item that more than 1 in this many rows hold has a bitmap: all bitmaps together then take at most as much memory
#: as the lists of rows, and words are compared faster than lists are walked.
FREQUENT = 32
#: Sets that are looked up by one thread before it takes the next ones.
PIECE = 500


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Postings:
    """For each item the ascending rows that hold it, and for frequent items a bit per row besides."""

    #: Item j is held by ``rows[ptr[j] : ptr[j + 1]]``.
    ptr: Ints
    rows: Ids
    #: Where each item has its bitmap in `bits`, or -1.
    place: Ids
    #: A row of words for each frequent item.
    bits: Words

    @classmethod
    def of_rows(cls, indptr: Ints, indices: Ids, d: int) -> Postings:
        """Those of compressed sparse rows over `d` items."""
        n = len(indptr) - 1
        ptr, rows = transpose(indptr, indices, d)
        frequent = np.flatnonzero(np.diff(ptr) * FREQUENT > n)
        place = np.full(d, -1, np.int32)
        place[frequent] = np.arange(len(frequent))
        return cls(ptr=ptr, rows=rows, place=place, bits=bitmaps(ptr, rows, frequent, n))

    @property
    def arrays(self) -> tuple[Ints, Ids, Ids, Words]:
        """All of them, in the order in which kernels take them."""
        return self.ptr, self.rows, self.place, self.bits

    def containing(self, sets: Ids) -> Ints:
        """For each row of `sets`, all of one size, how many rows hold all its items; equal sets are looked up once.

        Sets of no items are refused: kernels read the first one of each.

        Examples
        --------
        >>> baskets = Baskets.of([["a", "b"], ["a"], ["a", "b"]])
        >>> postings(baskets).containing(np.array([[0, 1], [1, 0], [0, 0]], np.int32)).tolist()
        [2, 2, 3]
        """
        if not sets.shape[1]:
            raise ValueError("a set to look up has no items")
        by_rows = np.argsort(-np.diff(self.ptr), kind="stable").astype(np.int32)
        rank = np.argsort(by_rows).astype(np.int32)
        distinct, at = distinct_sets(rank[sets], len(rank))
        pieces = np.array_split(by_rows[distinct], max(len(distinct) // PIECE, 1))
        return np.concatenate(parallel(lambda piece: count_containing(*self.arrays, piece), pieces))[at]

    def holding(self, items: Ids) -> Ids:
        """The ascending rows that hold all of some items, at least one."""
        room = np.empty(int(np.diff(self.ptr)[items].min()), np.int32)
        return room[: list_holding(*self.arrays, items, room)]


@lru_cache(maxsize=4)
def postings(baskets: Baskets) -> Postings:
    """The rows that hold each item of `baskets`."""
    return Postings.of_rows(*baskets.csr, baskets.d)


def distinct_sets(sets: Ids, d: int) -> tuple[Ids, Ints]:
    """The different ones among sets of one size, each ascending, in order; and which of them each set is.

    Examples
    --------
    >>> distinct, at = distinct_sets(np.array([[2, 1], [0, 1], [1, 2]], np.int32), 3)
    >>> distinct.tolist(), at.tolist()
    ([[0, 1], [1, 2]], [1, 0, 1])
    """
    ordered = np.sort(sets, axis=1)
    if sets.shape[1] * np.log2(max(d, 2)) >= 63:  # too long to be written as one number
        distinct, at = np.unique(ordered, axis=0, return_inverse=True)
        return distinct, at.reshape(-1)
    keys = np.zeros(len(sets), np.int64)
    for column in ordered.T:
        keys = keys * d + column
    _, first, at = np.unique(keys, return_index=True, return_inverse=True)
    return ordered[first], at


ROW_BITS = np.uint64(63)


@kernel
def bitmaps(item_ptr: Ints, item_rows: Ids, frequent: Ints, n: int) -> Words:
    """Return a row of ⌈n / 64⌉ words for each of the `frequent` items, with a bit for each row that holds it.

    O(their entries + words).
    """
    bits = np.zeros((len(frequent), (n + 63) // 64), np.uint64)
    for f in range(len(frequent)):
        for e in range(item_ptr[frequent[f]], item_ptr[frequent[f] + 1]):
            bits[f, item_rows[e] >> 6] |= ONE << (np.uint64(item_rows[e]) & ROW_BITS)
    return bits


@kernel
def rarest(item_ptr: Ints, items: Ids) -> int:
    """Return the item with the shortest list of rows. O(r)."""
    best = int(items[0])
    for c in range(len(items)):
        if item_ptr[items[c] + 1] - item_ptr[items[c]] < item_ptr[best + 1] - item_ptr[best]:
            best = int(items[c])
    return best


@kernel
def seek(rows: Ids, start: int, row: int) -> int:
    """Return the first place at or after `start` in the ascending `rows` that is not below `row`.

    Steps double until they overshoot, then halve: O(log distance), so walking a whole list stays cheap.
    """
    step = np.int64(1)
    low, high = np.int64(start), np.int64(start)
    while high < len(rows) and rows[high] < row:
        low = high + 1
        high += step
        step *= 2
    high = min(high, len(rows))
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def list_holding(item_ptr: Ints, item_rows: Ids, place: Ids, bits: Words, items: Ids, out: Ids) -> int:
    """Write the ascending rows that hold all `items` to `out`, and return how many they are.

    ``place[j]`` is where item j has its bitmap in `bits`, or -1; items with one are more frequent than items without.
    Where all have one, words are compared: O(n / 64 · r + rows found). Else the shortest list is walked, and items
    without a bitmap are followed from where they were: O(shortest · r · log gap).
    """
    first = rarest(item_ptr, items)
    found = np.int64(0)
    if place[first] >= 0:
        for w in range(bits.shape[1]):
            word = bits[place[first], w]
            for c in range(len(items)):
                word &= bits[place[items[c]], w]
            while word != 0:
                lowest = word & (~word + ONE)
                out[found] = (w << 6) + np.int64(ones(lowest - ONE))
                found += 1
                word ^= lowest
        return found
    start, stop = item_ptr[first], item_ptr[first + 1]
    for e in range(stop - start):
        out[e] = item_rows[start + e]
    found = np.int64(stop - start)
    for c in range(len(items)):
        if items[c] != first:
            found = keep_holding(item_ptr, item_rows, place, bits, items[c], out, found)
    return found


@kernel
def keep_holding(item_ptr: Ints, item_rows: Ids, place: Ids, bits: Words, item: int, out: Ids, count: int) -> int:
    """Keep those of the first `count` ascending rows in `out` that hold `item`, and return how many they are.

    O(count), or O(count · log gap) for an item without a bitmap.
    """
    left, at = np.int64(0), np.int64(0)
    rows = item_rows[item_ptr[item] : item_ptr[item + 1]]
    for e in range(count):
        row = out[e]
        if place[item] >= 0:
            inside = (bits[place[item], row >> 6] >> (np.uint64(row) & ROW_BITS)) & ONE == ONE
        else:
            at = seek(rows, at, row)
            inside = at < len(rows) and rows[at] == row
        out[left] = row
        left += inside
    return left


@kernel
def count_containing(item_ptr: Ints, item_rows: Ids, place: Ids, bits: Words, sets: Ids) -> Ints:
    """Return for each row of `sets` how many rows hold all its items; parameters as for `list_holding`.

    The items of a set stand in falling order of their rows, and sets that begin with the same item stand together: if
    it has no bitmap, it gets one for them. O(entries of the first items), and for each set O(n / 64 · r) if all its
    items have a bitmap of their own, else O(shortest list) and `keep_holding` for the items between.
    """
    result, last = np.zeros(len(sets), np.int64), sets.shape[1] - 1
    out = np.empty(longest_list(item_ptr, place), np.int32)
    marks, marked = np.zeros(bits.shape[1], np.uint64), np.int64(-1)
    for i in range(len(sets)):
        first, shortest = np.int64(sets[i, 0]), np.int64(sets[i, last])
        if place[shortest] >= 0:
            total = np.uint64(0)
            for w in range(bits.shape[1]):
                word = bits[place[first], w]
                for c in range(1, last + 1):
                    word &= bits[place[sets[i, c]], w]
                total += ones(word)
            result[i] = np.int64(total)
            continue
        if place[first] < 0 and first != marked:
            if marked >= 0:
                for e in range(item_ptr[marked], item_ptr[marked + 1]):
                    marks[item_rows[e] >> 6] = 0
            for e in range(item_ptr[first], item_ptr[first + 1]):
                marks[item_rows[e] >> 6] |= ONE << (np.uint64(item_rows[e]) & ROW_BITS)
            marked = first
        holding = marks if place[first] < 0 else bits[place[first]]
        found = np.int64(0)
        for e in range(item_ptr[shortest], item_ptr[shortest + 1]):
            row = item_rows[e]
            out[found] = row
            found += (holding[row >> 6] >> (np.uint64(row) & ROW_BITS)) & ONE == ONE
        for c in range(last - 1, 0, -1):
            found = keep_holding(item_ptr, item_rows, place, bits, sets[i, c], out, found)
        result[i] = found
    return result


@kernel
def longest_list(item_ptr: Ints, place: Ids) -> int:
    """Return the most rows that an item without a bitmap has. O(d)."""
    longest = np.int64(0)
    for j in range(len(place)):
        if place[j] < 0:
            longest = max(longest, item_ptr[j + 1] - item_ptr[j])
    return longest
