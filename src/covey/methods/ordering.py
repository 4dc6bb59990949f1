"""Orders of the transactions: the band order of reverse Cuthill-McKee, Gray order, and two to compare them with.

Band ordering: reverse Cuthill-McKee on A·Aᵀ without ever forming it (Ghinita et al. 2008, section III).

Two transactions are adjacent when they share an item, so every item is a clique. A breadth-first search
walks transaction → items → transactions and expands each item once, which makes one search O(nnz) where the
explicit graph would have up to n² edges.

Rows are renamed by rank of their degree beforehand: "sort by increasing degree" is then a sort of the ids.

Rows in the order of their Gray codes (Ghinita, Kalnis, Tao, TKDE 2011): neighbours differ in few frequent items.

Seen as binary numbers whose first digit is the most frequent item, rows are visited as a Gray code visits all numbers:
from one to the next a single digit changes. The place of a row in that sequence is the number whose k-th digit is the
parity of the row's first k digits; so of two rows that agree up to an item, the one that holds it comes later if both
held an even number of items before it, and earlier if an odd number.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, places_of
from covey.data import Baskets
from covey.data.csr import NEAR, bring_near, canonicalize, count_items, transpose
from covey.data.jit import kernel
from covey.errors import ParameterError

ORDERS = ("rcm", "gray", "none", "random")
DEGREES = ("proxy", "exact")

#: Exact degrees read the sum of the squared supports; beyond this many reads they are refused.
MOST_READS = 10**10


def band_order(public: Baskets, degrees: str = "proxy") -> Ints:
    """Rows such that neighbours share items: reverse Cuthill-McKee on A·Aᵀ, in O(entries).

    Parameters
    ----------
    public : Baskets
        Quasi-identifier items only.
    degrees : {"proxy", "exact"}
        Row sums of A·Aᵀ, or the number of rows that share an item with each.

    Returns
    -------
    int64 array
        ``order[i]`` is the row at position i of the band matrix.

    Examples
    --------
    >>> from covey.data import Baskets
    >>> band_order(Baskets.of([["a", "b"], ["y", "z"], ["b", "c"], ["x", "y"]])).tolist()
    [3, 1, 2, 0]
    """
    return band_of_rows(*public.csr, public.d, degrees)


def band_of_rows(indptr: Ints, indices: Ids, d: int, degrees: str = "proxy") -> Ints:
    """The band order of rows given as arrays, for who has no list of labels; as `band_order` otherwise."""
    supports = count_items(indices, d)
    if degrees == "exact":
        reads = int((supports.astype(np.float64) ** 2).sum())
        if reads > MOST_READS:
            raise ParameterError(
                f"Exact degrees would read {reads:.2g} entries (the sum of the squared supports), more than "
                f"{MOST_READS:.2g}. Use degrees=proxy, which gives nearly the same order."
            )
        by_item = transpose(indptr, indices, d)
        vertex_degrees = exact_degrees(indptr, indices, *by_item)
    else:
        vertex_degrees = degree_proxies(indptr, indices, supports)
    by_degree = np.argsort(vertex_degrees, kind="stable")
    return reverse_cuthill_mckee(by_degree, indptr, indices, d)


def by_gray_code(public: Baskets) -> Ints:
    """Rows by their Gray code over the items, the most frequent one first (Ghinita, Kalnis, Tao, TKDE 2011).

    Examples
    --------
    >>> by_gray_code(Baskets.of([["a", "b"], ["a"], ["b"], []])).tolist()
    [3, 2, 0, 1]
    """
    frequent_first = np.argsort(-public.supports(), kind="stable")
    indptr, ranks = public.indptr.copy(), public.indices.copy()
    canonicalize(indptr, ranks, places_of(frequent_first, public.d))
    return gray_order(indptr, ranks)


def order_rows(public: Baskets, order: str, seed: int | None, degrees: str = "proxy") -> Ints:
    """The rows in one of the `ORDERS`; ``random`` is drawn from `seed`."""
    if order == "rcm":
        return band_order(public, degrees)
    if order == "gray":
        return by_gray_code(public)
    if order == "random":
        return np.random.default_rng(seed).permutation(public.n)
    return np.arange(public.n)


@kernel
def degree_proxies(indptr: Ints, indices: Ids, supports: Ints) -> Ints:
    """Return each row sum of A·Aᵀ: the sum of the supports of the row's items. O(nnz)."""
    n = len(indptr) - 1
    degrees = np.zeros(n, np.int64)
    for row in range(n):
        for e in range(indptr[row], indptr[row + 1]):
            degrees[row] += supports[indices[e]]
    return degrees


@kernel
def exact_degrees(indptr: Ints, indices: Ids, item_ptr: Ints, item_rows: Ids) -> Ints:
    """Return for each row how many other rows share an item with it: the degrees in the graph of A·Aᵀ.

    `item_ptr`/`item_rows` are the transposed rows. O(sum of the squared supports).
    """
    n = len(indptr) - 1
    degrees = np.zeros(n, np.int64)
    seen = np.full(n, -1, np.int64)
    for row in range(n):
        seen[row] = row
        for e in range(indptr[row], indptr[row + 1]):
            j = indices[e]
            for f in range(item_ptr[j], item_ptr[j + 1]):
                if seen[item_rows[f]] != row:
                    seen[item_rows[f]] = row
                    degrees[row] += 1
    return degrees


@kernel
def transpose_in(order: Ints, indptr: Ints, indices: Ids, d: int) -> tuple[Ints, Ids]:
    """Return for each item the ascending ranks of its rows, rank r being row ``order[r]``. O(nnz + d)."""
    ptr = np.zeros(d + 1, np.int64)
    for e in range(len(indices)):
        ptr[indices[e] + 1] += 1
    for j in range(d):
        ptr[j + 1] += ptr[j]
    cursor = ptr[:-1].copy()
    ranks = np.empty(len(indices), np.int32)
    near = np.empty((3, NEAR), np.int64)
    for rank in range(len(order)):
        if rank % NEAR == 0:
            bring_near(indptr, indices, order[rank : rank + NEAR], near)
        for e in range(near[0, rank % NEAR], near[1, rank % NEAR]):
            j = indices[e]
            ranks[cursor[j]] = rank
            cursor[j] += 1
    return ptr, ranks


@kernel
def search(
    start: int,
    epoch: int,
    sort: bool,
    order: Ints,
    indptr: Ints,
    indices: Ids,
    item_ptr: Ints,
    item_ranks: Ids,
    row_epoch: Ids,
    item_epoch: Ids,
    queue: Ids,
) -> tuple[int, int, int]:
    """Search one component breadth first from rank `start`, filling `queue` with the ranks met.

    With `sort`, the new neighbours of each row are queued by increasing degree (Cuthill-McKee). Returns
    (rows met, number of levels, where the last level starts in `queue`). Everything met is marked with
    `epoch`, which must be new. O(entries of the component), plus sorting.
    """
    queue[0] = start
    row_epoch[start] = epoch
    head, tail = np.int64(0), np.int64(1)
    level_start, level_end, levels = np.int64(0), np.int64(1), np.int64(1)
    near, rows = np.empty((3, NEAR), np.int64), np.empty(NEAR, np.int64)
    begin, end = np.int64(0), np.int64(0)
    while head < tail:
        if head == level_end:
            level_start, level_end = level_end, tail
            levels += 1
        if head == end:
            begin, end = head, min(head + NEAR, tail)
            for i in range(begin, end):
                rows[i - begin] = order[queue[i]]
            bring_near(indptr, indices, rows[: end - begin], near)
        low, high = near[0, head - begin], near[1, head - begin]
        head += 1
        first = tail
        for e in range(low, high):
            j = indices[e]
            if item_epoch[j] == epoch:
                continue
            item_epoch[j] = epoch
            for f in range(item_ptr[j], item_ptr[j + 1]):
                rank = item_ranks[f]
                if row_epoch[rank] != epoch:
                    row_epoch[rank] = epoch
                    queue[tail] = rank
                    tail += 1
        if sort and tail - first > 1:
            queue[first:tail].sort()
    return tail, levels, level_start


@kernel
def reverse_cuthill_mckee(order: Ints, indptr: Ints, indices: Ids, d: int) -> Ints:
    """Return the rows in band order, given the rows by increasing degree in `order`.

    Components are placed one after another. Each is searched from its row of least degree, then from the
    row of least degree in the last level while that adds levels (a pseudo-peripheral row, George and Liu),
    at most eight times. O(nnz + n log n), the logarithm only from sorting neighbours.
    """
    n = len(order)
    item_ptr, item_ranks = transpose_in(order, indptr, indices, d)
    row_epoch = np.zeros(n, np.int32)
    item_epoch = np.zeros(d, np.int32)
    queue = np.empty(n, np.int32)
    epoch = np.int32(0)
    placed = np.int64(0)
    for least in range(n):
        if row_epoch[least] != 0:
            continue
        epoch += np.int32(1)
        rest = queue[placed:]
        row = order[least]
        if indptr[row] == indptr[row + 1]:
            rest[0] = least
            row_epoch[least] = epoch
            placed += 1
            continue
        start = np.int64(least)
        count, levels, last = search(
            start, epoch, False, order, indptr, indices, item_ptr, item_ranks, row_epoch, item_epoch, rest
        )
        for _ in range(8):
            candidate = np.int64(rest[last:count].min())
            epoch += np.int32(1)
            count, deeper, last = search(
                candidate,
                epoch,
                False,
                order,
                indptr,
                indices,
                item_ptr,
                item_ranks,
                row_epoch,
                item_epoch,
                rest,
            )
            if deeper <= levels:
                break
            start, levels = candidate, deeper
        epoch += np.int32(1)
        count, levels, last = search(
            start, epoch, True, order, indptr, indices, item_ptr, item_ranks, row_epoch, item_epoch, rest
        )
        placed += count
    band = np.empty(n, np.int64)
    for i in range(n):
        band[n - 1 - i] = order[queue[i]]
    return band


@kernel
def comes_first(a: int, b: int, indptr: Ints, ranks: Ids) -> bool:
    """Whether row `a` comes before row `b`, or is equal to it. O(items that both begin with)."""
    x, y = indptr[a], indptr[b]
    odd = False
    while x < indptr[a + 1] and y < indptr[b + 1] and ranks[x] == ranks[y]:
        odd = not odd
        x += 1
        y += 1
    if x == indptr[a + 1] and y == indptr[b + 1]:
        return True
    holds = y == indptr[b + 1] or (x < indptr[a + 1] and ranks[x] < ranks[y])
    return bool(holds == odd)


@kernel
def gray_order(indptr: Ints, ranks: Ids) -> Ints:
    """Return the rows in Gray order; equal rows keep theirs.

    Precondition: `ranks` ascend within a row; rank 0 is the most frequent item. A merge sort:
    O(rows · log(rows) · items that neighbours begin with).
    """
    n = len(indptr) - 1
    order, sorted_rows = np.arange(n), np.empty(n, np.int64)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            i, j = start, min(start + width, n)
            middle, end = j, min(start + 2 * width, n)
            for write in range(start, end):
                if j == end or (i < middle and comes_first(order[i], order[j], indptr, ranks)):
                    sorted_rows[write] = order[i]
                    i += 1
                else:
                    sorted_rows[write] = order[j]
                    j += 1
        order, sorted_rows = sorted_rows, order
        width *= 2
    return order
