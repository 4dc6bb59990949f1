"""Which original rows could have been published as which sets of labels; used to check releases only."""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data.jit import kernel, larger


@kernel
def covers(labels: Ids, leaves: Ids, last: Ids) -> bool:
    """Whether every leaf lies below a label and every label above a leaf.

    Precondition: both ascending, in tour order. O(labels + leaves, times the labels nested in each other).
    """
    for i in range(len(labels)):
        at = np.searchsorted(leaves, labels[i])
        if at == len(leaves) or leaves[at] > last[labels[i]]:
            return False
    for e in range(len(leaves)):
        inside = False
        for i in range(np.searchsorted(labels, leaves[e], side="right") - 1, -1, -1):
            if leaves[e] <= last[labels[i]]:
                inside = True
                break
        if not inside:
            return False
    return True


@kernel
def rarest_label(labels: Ids, node_ptr: Ints) -> int:
    """Return the label that the fewest rows hold; only those rows can be covered. O(labels)."""
    rarest = int(labels[0])
    for x in labels:
        if node_ptr[x + 1] - node_ptr[x] < node_ptr[rarest + 1] - node_ptr[rarest]:
            rarest = int(x)
    return rarest


@kernel
def first_uncovered(
    label_ptr: Ints, labels: Ids, leaf_ptr: Ints, leaves: Ids, last: Ids, whole: bool
) -> int:  # fmt: skip
    """Return the first row with a label that stands above none of its leaves, or -1.

    If `whole`, also one with labels that do not stand above all of its leaves. Cost as for `covers`, for each row.
    """
    for row in range(len(label_ptr) - 1):
        own, below = labels[label_ptr[row] : label_ptr[row + 1]], leaves[leaf_ptr[row] : leaf_ptr[row + 1]]
        if whole:
            if len(own) > 0 and not covers(own, below, last):
                return row
            continue
        for label in own:
            at = np.searchsorted(below, label)
            if at == len(below) or below[at] > last[label]:
                return row
    return -1


@kernel
def fitting_pairs(
    set_ptr: Ints, sets: Ids, row_ptr: Ints, leaf: Ids, node_ptr: Ints, node_rows: Ids, last: Ids, limit: int
) -> tuple[bool, Ids, Ids]:  # fmt: skip
    """Return (complete?, set, row) for every row of leaves that a set of labels covers.

    Candidates are the rows of the set's rarest label. Stops after `limit` pairs. Sets without labels and rows without
    leaves fit each other and are left out.
    """
    found = np.int64(0)
    out_set, out_row = np.empty(1024, np.int32), np.empty(1024, np.int32)
    for s in range(len(set_ptr) - 1):
        if set_ptr[s] == set_ptr[s + 1]:
            continue
        rarest = rarest_label(sets[set_ptr[s] : set_ptr[s + 1]], node_ptr)
        for q in range(node_ptr[rarest], node_ptr[rarest + 1]):
            r = node_rows[q]
            if covers(sets[set_ptr[s] : set_ptr[s + 1]], leaf[row_ptr[r] : row_ptr[r + 1]], last):
                out_set, out_row = larger(out_set, int(found + 1)), larger(out_row, int(found + 1))
                out_set[found], out_row[found] = s, r
                found += 1
        if found > limit:
            return False, out_set[:found], out_row[:found]
    return True, out_set[:found], out_row[:found]


@kernel
def pair_losses(
    pair_set: Ids, pair_row: Ids, set_ptr: Ints, sets: Ids, row_ptr: Ints, leaf: Ids, loss: Floats
) -> Floats:  # fmt: skip
    """Return what publishing each row as its set costs: the loss of the label above each leaf. O(leaves · log labels).

    Precondition: the set covers the row, and no label of it stands above another.
    """
    out = np.zeros(len(pair_set), np.float64)
    for i in range(len(pair_set)):
        labels = sets[set_ptr[pair_set[i]] : set_ptr[pair_set[i] + 1]]
        for e in range(row_ptr[pair_row[i]], row_ptr[pair_row[i] + 1]):
            out[i] += loss[labels[np.searchsorted(labels, leaf[e], side="right") - 1]]
    return out


@kernel
def deal_out(
    order: Ints, pair_set: Ids, pair_row: Ids, cost: Floats, set_left: Ints, row_left: Ints
) -> float:  # fmt: skip
    """Deal sets out to rows, pair after pair in the given order; return the summed cost. O(pairs).

    `set_left` and `row_left` say how often each is still to be dealt, and are counted down.
    """
    total = 0.0
    for i in range(len(order)):
        p = order[i]
        dealt = min(set_left[pair_set[p]], row_left[pair_row[p]])
        set_left[pair_set[p]] -= dealt
        row_left[pair_row[p]] -= dealt
        total += dealt * cost[p]
    return total
