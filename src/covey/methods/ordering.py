"""Orders of the transactions in which neighbours share items: band order and Gray order.

*Band order* is reverse Cuthill-McKee on A·Aᵀ (Ghinita et al. 2008, section III), where two transactions are adjacent
when they share an item. The product is never built: every item is a clique, and a breadth-first search walks
transaction → items → transactions and expands each item once, which makes one search O(entries) where the explicit
graph would have up to n² edges. Vertices are renamed by rank of their degree beforehand, so that "sort by increasing
degree" is a sort of ids. The degree is the row sum of A·Aᵀ: the sum of the supports of a transaction's items.

*Gray order* (Ghinita, Kalnis, Tao, TKDE 2011) visits transactions, seen as binary numbers whose first digit is the most
frequent item, as a Gray code visits all numbers: from one to the next a single digit changes.

Oracle: `tests/oracles/cahd.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, places_of
from covey.data import Baskets
from covey.data.csr import NEAR, bring_near, canonicalize, count_items, take_rows, transpose
from covey.data.jit import kernel, sort_ids


def band_order(public: Baskets) -> Ints:
    """Return the rows in band order, in O(entries): ``order[i]`` is the row at position i of the band matrix.

    `public` has quasi-identifier items only.

    Examples
    --------
    >>> from covey.data import Baskets
    >>> band_order(Baskets.of([["a", "b"], ["y", "z"], ["b", "c"], ["x", "y"]])).tolist()
    [3, 1, 2, 0]
    """
    return band_of_rows(*public.csr, public.d)


def band_of_rows(indptr: Ints, indices: Ids, d: int) -> Ints:
    """Return the band order of rows given as arrays."""
    order = np.argsort(degrees(indptr, indices, count_items(indices, d)), kind="stable")
    ranked = take_rows(indptr, indices, order)
    return order[reverse_cuthill_mckee(*ranked, *transpose(*ranked, d))]


def by_gray_code(public: Baskets) -> Ints:
    """Return the rows by their Gray code over the items, the most frequent one first. O(entries + rows · log(rows)).

    Of two rows that agree up to an item, the one that holds it comes later if both held an even number of items before
    it, and earlier if an odd number. So bytes of which every second word is complemented compare as Gray codes do.

    Examples
    --------
    >>> by_gray_code(Baskets.of([["a", "b"], ["a"], ["b"], []])).tolist()
    [3, 2, 0, 1]
    """
    indptr, ranks = public.indptr.copy(), public.indices.copy()
    canonicalize(indptr, ranks, places_of(np.argsort(-public.supports(), kind="stable"), public.d))
    starts = indptr + np.arange(public.n + 1)  # one word more for each row: its end
    ends = starts[1:] - 1
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    words = np.full(starts[-1], 2**32 - 1, np.uint32)
    words[np.delete(np.arange(len(words)), ends)] = ranks
    words[place % 2 == 0] = ~words[place % 2 == 0]
    code, bounds = words.astype(">u4").tobytes(), (4 * starts).tolist()
    return np.array(sorted(range(public.n), key=lambda row: code[bounds[row] : bounds[row + 1]]), np.int64)


@kernel
def degrees(indptr: Ints, indices: Ids, supports: Ints) -> Ints:
    """Return the sum of the supports of each row's items. O(entries)."""
    found = np.zeros(len(indptr) - 1, np.int64)
    for row in range(len(found)):
        for e in range(indptr[row], indptr[row + 1]):
            found[row] += supports[indices[e]]
    return found


@kernel
def search(
    start: int, epoch: int, sort: bool, indptr: Ints, indices: Ids, item_ptr: Ints, item_rows: Ids, row_epoch: Ids,
    item_epoch: Ids, queue: Ids,
) -> tuple[int, int, int]:  # fmt: skip
    """Search one component breadth first from row `start`, filling `queue` with the rows met.

    With `sort`, the new neighbours of each row are queued by increasing degree (Cuthill-McKee). Returns
    (rows met, number of levels, where the last level starts in `queue`). Everything met is marked with
    `epoch`, which must be new. O(entries of the component), plus sorting.
    """
    queue[0] = start
    row_epoch[start] = epoch
    head, tail = np.int64(0), np.int64(1)
    level_start, level_end, levels = np.int64(0), np.int64(1), np.int64(1)
    near, begin, end = np.empty((3, NEAR), np.int64), np.int64(0), np.int64(0)
    while head < tail:
        if head == level_end:
            level_start, level_end = level_end, tail
            levels += 1
        if head == end:
            begin, end = head, min(head + NEAR, tail)
            bring_near(indptr, indices, queue[begin:end], near)
        low, high = near[0, head - begin], near[1, head - begin]
        head += 1
        first = tail
        for e in range(low, high):
            j = indices[e]
            if item_epoch[j] == epoch:
                continue
            item_epoch[j] = epoch
            for f in range(item_ptr[j], item_ptr[j + 1]):
                row = item_rows[f]
                if row_epoch[row] != epoch:
                    row_epoch[row] = epoch
                    queue[tail] = row
                    tail += 1
        if sort and tail - first > 1:
            sort_ids(queue[first:tail])
    return tail, levels, level_start


@kernel
def reverse_cuthill_mckee(indptr: Ints, indices: Ids, item_ptr: Ints, item_rows: Ids) -> Ids:
    """Return the rows in band order; they are given by increasing degree, and transposed.

    Components are placed one after another. Each is searched from its row of least degree, then from the
    row of least degree in the last level while that adds levels (a pseudo-peripheral row, George and Liu),
    at most eight times. O(nnz + n log n), the logarithm only from sorting neighbours.
    """
    n = len(indptr) - 1
    row_epoch, item_epoch = np.zeros(n, np.int32), np.zeros(len(item_ptr) - 1, np.int32)
    queue, epoch, placed = np.empty(n, np.int32), np.int32(0), np.int64(0)
    given = (indptr, indices, item_ptr, item_rows, row_epoch, item_epoch)
    for least in range(n):
        if row_epoch[least] != 0:
            continue
        epoch += np.int32(1)
        rest = queue[placed:]
        if indptr[least] == indptr[least + 1]:
            rest[0] = least
            row_epoch[least] = epoch
            placed += 1
            continue
        start = np.int64(least)
        count, levels, last = search(start, epoch, False, *given, rest)
        for _ in range(8):
            candidate = np.int64(rest[last:count].min())
            epoch += np.int32(1)
            count, deeper, last = search(candidate, epoch, False, *given, rest)
            if deeper <= levels:
                break
            start, levels = candidate, deeper
        epoch += np.int32(1)
        count, levels, last = search(start, epoch, True, *given, rest)
        placed += count
    return queue[::-1].copy()
