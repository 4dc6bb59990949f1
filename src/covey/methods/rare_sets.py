"""The rare sets around one node of a cut, mined in the transactions below it alone (Liu & Wang 2010, section 4.1).

For m = 2 rare pairs of labels are counted rather than searched. Used by methods only; the checkers have loops of their
own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.arrays import Ids, Ints, Words, offsets_of, places_of
from covey.data.csr import NEAR, bring_near, canonicalize, count_items, take_rows
from covey.data.jit import kernel, larger
from covey.data.tree import rows_below
from covey.methods import threats
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit

#: Members of the sets around one node that are held at once, by default.
MEMBERS = 20_000_000

#: No private items: every mole is a threat.
NO_SECRETS: threats.Secrets = (np.zeros(1, np.int64), np.empty(0, np.int32), 0, 1.0)


class RareSets:
    """Minimal sets of labels that are in fewer than k transactions, though each of them is in k.

    A search ends early when the `limit` of steps is spent, or when more than so many `members` of sets are to be held.
    """

    def __init__(self, view: TreeView, k: int, limit: WorkLimit, *, members: int = MEMBERS) -> None:
        size = view.tree.size
        self.view, self.k, self.limit, self.members = view, k, limit, members
        # How full the table of known sets is, and how many steps are left.
        self._known, self._used = np.zeros(4096, np.int64), np.zeros(2, np.int64)
        self._marks = view.marks()
        self._count = np.zeros(size, np.int64)

    def around(self, x: int, instead: Ids, cut_of: Ids, m: int) -> tuple[bool, Ints, Ids]:
        """The sets of 2 to m labels of a cut with one of the nodes `instead` of x: all?, offsets, nodes.

        ``cut_of[leaf]`` is the label of each leaf that is not below x.
        """
        view = self.view
        heads = instead[view.support[instead] >= self.k]
        if m < 2 or not len(heads):
            return True, np.zeros(1, np.int64), np.empty(0, np.int32)
        allowed = self.limit.allowance()
        if allowed <= 0:
            self.limit.hit = True
            return False, np.zeros(1, np.int64), np.empty(0, np.int32)
        self._used[1] = allowed
        if m == 2:
            complete, offsets, members = rare_pairs(
                heads, x, view.tree.last, view.indptr, view.leaf, view.leaf_ptr, view.leaf_rows, cut_of, instead,
                view.support, self.k, self._count, self._marks, self._used, self.members,
            )  # fmt: skip
        else:
            complete, offsets, members = self._mined(x, heads, instead, cut_of, m)
        self.limit.spend(allowed - int(self._used[1]), complete=bool(complete))
        return bool(complete), offsets, members

    def _mined(self, x: int, heads: Ids, instead: Ids, cut_of: Ids, m: int) -> tuple[bool, Ints, Ids]:
        """The sets of any size, depth-first in the rows below x."""
        view = self.view
        last = int(view.tree.last[x])
        label = cut_of.copy()
        label[instead[0] : last + 1] = np.repeat(instead, np.diff(instead, append=last + 1))
        below = rows_below(x, view.tree.last, view.leaf_ptr, view.leaf_rows, self._marks)
        ptr, leaves = take_rows(view.indptr, view.leaf, below)
        # Labels with fewer than k rows are left out: alone they are threats already. Those of a row stand together.
        row, nodes = np.repeat(np.arange(len(below)), np.diff(ptr)), label[leaves]
        kept = (nodes >= 0) & (view.support[nodes] >= self.k)
        kept[1:] &= (nodes[1:] != nodes[:-1]) | (row[1:] != row[:-1])
        ptr, nodes = offsets_of(np.bincount(row[kept], minlength=len(below))), nodes[kept]
        names = numbered(nodes, heads, view.tree.size)
        words = view.words[names]
        canonicalize(ptr, nodes, places_of(names, view.tree.size))
        ptr, local, weight = merge_rows(ptr, nodes, words)
        complete, offsets, members, self._known = threats.mine(
            ptr, local, weight, len(names), len(heads), NO_SECRETS, self.k, m, words, self._known, self._used,
            self.members,
        )  # fmt: skip
        return complete, offsets, names[members]


class RareInClasses:
    """As `RareSets`, but of sets that are in fewer than k transactions of one of several classes."""

    def __init__(self, classes: Sequence[TreeView], k: int, limit: WorkLimit) -> None:
        self._classes = [RareSets(view, k, limit) for view in classes]

    def around(self, x: int, instead: Ids, cut_of: Ids, m: int) -> tuple[bool, Ints, Ids]:
        """As `RareSets.around`; a set that is rare in several classes is there several times."""
        found = [one.around(x, instead, cut_of, m) for one in self._classes if one.view.support[x]]
        if len(found) == 1:
            return found[0]
        lengths = [np.diff(offsets) for _, offsets, _ in found]
        return (
            all(complete for complete, _, _ in found),
            offsets_of(np.concatenate([np.empty(0, np.int64), *lengths])),
            np.concatenate([np.empty(0, np.int32), *(nodes for _, _, nodes in found)]),
        )


def numbered(nodes: Ids, heads: Ids, size: int) -> Ids:
    """The `heads`, then the other nodes that occur, by ascending frequency and then as first seen. O(nodes + size)."""
    count, seen = count_items(nodes, size), np.empty(size, np.int64)
    seen[nodes[::-1]] = np.arange(len(nodes) - 1, -1, -1)
    count[heads] = 0
    others = np.flatnonzero(count)
    order = np.lexsort((seen[others], count[others]))
    return np.concatenate([heads, others[order].astype(np.int32)])


@kernel
def count_labels(rows: Ids, indptr: Ints, leaf: Ids, label: Ids, count: Ints, met: Ids) -> int:
    """Count in how many of the rows each label is; return how many labels are listed in `met`, as first seen.

    Precondition: rows hold leaves in tour order, so those of one label stand together. O(entries of the rows).
    """
    found, near = np.int64(0), np.empty((3, NEAR), np.int64)
    for done in range(0, len(rows), NEAR):
        some = rows[done : done + NEAR]
        bring_near(indptr, leaf, some, near)
        for i in range(len(some)):
            previous = np.int32(-1)
            for e in range(near[0, i], near[1, i]):
                y = label[leaf[e]]
                if y != previous:
                    if count[y] == 0:
                        met[found] = y
                        found += 1
                    count[y] += 1
                    previous = y
    return found


@kernel
def rare_pairs(
    heads: Ids, x: int, last: Ids, indptr: Ints, leaf: Ids, leaf_ptr: Ints, leaf_rows: Ids, cut_of: Ids, instead: Ids,
    support: Ints, k: int, count: Ints, marks: Words, used: Ints, limit: int,
) -> tuple[bool, Ints, Ids]:  # fmt: skip
    """Return the pairs of a head and a label of the cut that occur, but in fewer than k rows: all?, offsets, nodes.

    The cut has the nodes `instead` of x, and heads are those of them with k rows. Labels with fewer than k rows are
    left out. Precondition: `count` and `marks` are all 0, and are left so. As `threats.mine`, it ends early beyond
    `limit` members, or ``used[1]`` steps. The pairs of a head come by ascending count, and then as first seen.
    O(entries of the rows of every head).
    """
    own = cut_of[x : last[x] + 1].copy()
    for i in range(len(instead)):
        cut_of[instead[i] : last[instead[i]] + 1] = instead[i]
    met, start = np.empty(len(cut_of), np.int32), np.empty(k + 1, np.int64)
    out, write, spare = np.empty(1024, np.int32), np.int64(0), used[1]
    for i in range(len(heads) - 1, -1, -1):
        h = heads[i]
        rows = rows_below(h, last, leaf_ptr, leaf_rows, marks)
        found = count_labels(rows, indptr, leaf, cut_of, count, met)
        start[:] = 0
        for j in range(found):
            y = met[j]
            spare -= count[y]
            if count[y] < k and support[y] >= k and not x <= y <= h:
                start[count[y] + 1] += 1
        for c in range(k):
            start[c + 1] += start[c]
        more = start[k]
        out = larger(out, write + 2 * more)
        for j in range(found):
            y = met[j]
            if count[y] < k and support[y] >= k and not x <= y <= h:
                at = write + 2 * start[count[y]]
                out[at], out[at + 1] = h, y
                start[count[y]] += 1
            count[y] = 0
        write += 2 * more
        spare -= found
        if write > limit or spare <= 0:
            break
    cut_of[x : last[x] + 1] = own
    used[1] = max(spare, 0)
    return write <= limit and spare > 0, np.arange(0, write + 1, 2), out[:write]


@kernel
def merge_rows(ptr: Ints, items: Ids, words: Ints) -> tuple[Ints, Ids, Ints]:
    """Return the distinct rows and how often each occurs. O(entries), expected.

    Rows are told apart by their items, not only by the hash (the exclusive or of `words`).
    """
    n = len(ptr) - 1
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, np.int64)
    out_ptr, out, weight = np.zeros(n + 1, np.int64), np.empty(len(items), np.int32), np.zeros(n, np.int64)
    kept, write = np.int64(0), np.int64(0)
    for r in range(n):
        name = np.int64(0)
        for e in range(ptr[r], ptr[r + 1]):
            name ^= words[items[e]]
        length = ptr[r + 1] - ptr[r]
        slot = (name ^ (name >> 17)) & (size - 1)
        while True:
            other = slots[slot]
            if other < 0:
                slots[slot] = kept
                for e in range(length):
                    out[write + e] = items[ptr[r] + e]
                write += length
                weight[kept] = 1
                kept += 1
                out_ptr[kept] = write
                break
            same = out_ptr[other + 1] - out_ptr[other] == length
            e = np.int64(0)
            while same and e < length:
                same = out[out_ptr[other] + e] == items[ptr[r] + e]
                e += 1
            if same:
                weight[other] += 1
                break
            slot = (slot + 1) & (size - 1)
    return out_ptr[: kept + 1], out[:write], weight[:kept]
