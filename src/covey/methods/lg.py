"""LG: transactional k-anonymity by top-down local generalization (He & Naughton 2009, section 4, "Partition").

Data flow: rows of leaves → one partition labelled with the root → split at the node that gains most, by which of its
children the members hold → labels of each final partition → publication. Transactions are recoded one by one, so a
label and its ancestor may both be published: domain exclusiveness is given up. O(entries · labels · depth).
Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats, Ids, Ints, offsets_of
from covey.data import Baskets, Taxonomy
from covey.data.csr import take_rows
from covey.data.jit import kernel, larger, stable_order
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.tree_view import TreeView, baskets_of_nodes
from covey.parameters import parameter
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class LG(RecodesSets):
    """Local generalization: at least k transactions are published as exactly the same set of labels.

    Data without any item is published as it is, also if it has fewer than k transactions.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"], ["tea"]])
    >>> LG(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)"))
    SetsRelease(km-anonymity(k=2, m=2) by lg: 4 transactions, 2 labels)
    """

    name = "lg"
    recoded = "local"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, a transaction is published whole or as one label."
    )

    def recode(self, data: Baskets, promise: KAnonymity | KmAnonymity, progress: Progress) -> Recoded:
        """Every basket as labels that k - 1 others have too."""
        view = TreeView.of(data, self.taxonomy)
        progress("generalizing", 0.0)
        return Recoded(baskets_of_nodes(view, *self.label_rows(view, promise.k)))

    def label_rows(self, view: TreeView, k: int) -> tuple[Ints, Ids]:
        """The nodes each transaction is published as, in the order of the data.

        Empty transactions are published empty. If there are some but fewer than k, the shortest others are emptied
        too; and if fewer than k others are left, all of them.
        """
        lengths = np.diff(view.indptr)
        empty = int((lengths == 0).sum())
        order = np.argsort(lengths, kind="stable")
        emptied = max(empty, min(k, len(order))) if 0 < empty < k else empty
        if len(order) - emptied < k:
            emptied = len(order)
        rest = np.sort(order[emptied:])
        counts, labels = np.zeros(len(order), np.int64), np.empty(0, np.int32)
        if len(rest):
            tree = view.tree
            rows, begin, ptr, nodes = partition(
                *take_rows(view.indptr, view.leaf, rest),
                tree.last,
                tree.child_ptr,
                view.chain_end[tree.child],
                tree.loss(),
                view.words,
                int(view.chain_end[0]),
                k,
            )
            part = np.empty(len(rest), np.int64)
            part[rows] = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
            counts[rest] = np.diff(ptr)[part]
            _, labels = take_rows(ptr, nodes, part)
        return offsets_of(counts), labels


@kernel
def fingerprint_rows(
    rows: Ids, lo: int, hi: int, x: int, stop: int, indptr: Ints, leaf: Ids, children: Ids, loss: Floats,
    words: Ints, key: Ints, gain: Floats,
) -> None:  # fmt: skip
    """Set, for rows ``lo..hi``, a key for the set of children of x each holds, and what naming them gains.

    The key is the exclusive or of the children's words; a row's gain is its drop in loss. Precondition: rows of
    ascending leaves. O(entries of the rows, times log of the children).
    """
    for i in range(lo, hi):
        key[i], gain[i] = 0, 0.0
        first, end = indptr[rows[i]], indptr[rows[i] + 1]
        e = first + np.searchsorted(leaf[first:end], x)
        previous = np.int64(-1)
        while e < end and leaf[e] <= stop:
            c = np.int64(children[np.searchsorted(children, leaf[e], side="right") - 1])
            if c != previous:
                key[i] ^= words[c]
                previous = c
            gain[i] += loss[x] - loss[c]
            e += 1


@kernel
def equal_keys(key: Ints, gain: Floats, lo: int, hi: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Return rows ``lo..hi``, from 0, by key; where each set of equal keys begins; what it gains and its least row.

    O(rows log rows).
    """
    order, n, sets = stable_order(key[lo:hi]), hi - lo, np.int64(0)
    begin, total, least = np.zeros(n + 1, np.int64), np.zeros(n), np.full(n, np.inf)
    for i in range(n):
        if i > 0 and key[lo + order[i]] != key[lo + order[i - 1]]:
            sets += 1
            begin[sets] = i
        total[sets] += gain[lo + order[i]]
        least[sets] = min(least[sets], gain[lo + order[i]])
    begin[sets + 1] = n
    return order, begin[: sets + 2], total[: sets + 1], least[: sets + 1]


@kernel
def split_gain(key: Ints, gain: Floats, lo: int, hi: int, k: int) -> float:
    """Return what splitting by `key` gains in all, with fewer than k left over made up to k from the others.

    -1.0 when nothing of size k comes of it. O(rows log rows).
    """
    _, begin, gains, least = equal_keys(key, gain, lo, hi)
    total, left, surplus, smallest, cheapest = 0.0, np.int64(0), np.int64(0), np.inf, np.inf
    for b in range(len(gains)):
        size = begin[b + 1] - begin[b]
        if size < k:
            left += size
            continue
        total += gains[b]
        surplus += size - k
        smallest, cheapest = min(smallest, gains[b]), min(cheapest, least[b])
    if smallest == np.inf:
        return -1.0
    if 0 < left < k:
        total -= (k - left) * cheapest if surplus >= k - left else smallest
    return total


@kernel
def split_rows(key: Ints, gain: Floats, rows: Ids, lo: int, hi: int, k: int) -> int:
    """Sort rows ``lo..hi`` by key, with those left over first; return where the others begin.

    Too small a set of rows is left over. If that makes fewer than k rows, the least gaining rows of sets larger than
    k join them, or else the whole set that gains least. O(rows log rows, plus k passes in the case of joining).
    """
    order, begin, gains, _ = equal_keys(key, gain, lo, hi)
    n, worst, left, surplus = hi - lo, np.int64(-1), np.int64(0), np.int64(0)
    keep, spare, set_of = np.zeros(n, np.bool_), np.zeros(len(gains), np.int64), np.zeros(n, np.int64)
    for b in range(len(gains)):
        first, stop = begin[b], begin[b + 1]
        set_of[first:stop] = b
        if stop - first < k:
            left += stop - first
            continue
        keep[first:stop] = True
        spare[b] = stop - first - k
        surplus += spare[b]
        if worst < 0 or gains[b] < gains[worst]:
            worst = b
    if 0 < left < k and surplus < k - left:
        keep[begin[worst] : begin[worst + 1]] = False
    elif 0 < left < k:
        while left < k:
            least = np.int64(-1)
            for i in range(n):
                spared = keep[i] and spare[set_of[i]] > 0
                if spared and (least < 0 or gain[lo + order[i]] < gain[lo + order[least]]):
                    least = i
            keep[least] = False
            spare[set_of[least]] -= 1
            left += 1
    middle = n - np.int64(keep.sum())
    sorted_rows, early, late = np.empty(n, np.int64), np.int64(0), middle
    for i in range(n):
        if keep[i]:
            sorted_rows[late] = lo + order[i]
            late += 1
        else:
            sorted_rows[early] = lo + order[i]
            early += 1
    rows[lo:hi], key[lo:hi] = rows[sorted_rows], key[sorted_rows]
    return lo + middle


@kernel
def children_held(row: int, x: int, stop: int, indptr: Ints, leaf: Ids, children: Ids, out: Ids) -> int:
    """Write the children of x that one row holds to `out`; return how many. O(entries of the row · log children)."""
    first, end = indptr[row], indptr[row + 1]
    e = first + np.searchsorted(leaf[first:end], x)
    found = np.int64(0)
    while e < end and leaf[e] <= stop:
        c = children[np.searchsorted(children, leaf[e], side="right") - 1]
        if found == 0 or out[found - 1] != c:
            out[found] = c
            found += 1
        e += 1
    return found


@kernel
def partition(
    indptr: Ints, leaf: Ids, last: Ids, child_ptr: Ints, child: Ids, loss: Floats, words: Ints,
    top: int, k: int,
) -> tuple[Ids, Ints, Ints, Ids]:  # fmt: skip
    """Return rows in order of their final partitions, where these begin, and the labels of each (CSR).

    Precondition: at least k rows, none empty; the children are ends of chains, and so is `top`, the first label.
    A partition is split at the node that gains most; what is left over keeps its labels, may not be split there
    again, and is looked at like the rest. O(entries · labels · depth).
    """
    n = len(indptr) - 1
    rows, key, gain = np.arange(n).astype(np.int32), np.zeros(n, np.int64), np.zeros(n, np.float64)
    # A stack of partitions: their rows, and where their labels begin, the last of which end at `free`. A label that
    # may not be split any more is stored as -1 - label.
    low, high, label_at = np.zeros(16, np.int64), np.full(16, n), np.zeros(16, np.int64)
    stored, waiting, free = np.full(1024, top, np.int32), np.int64(1), np.int64(1)
    begin, ptr = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64)
    out, parts, held = np.empty(1024, np.int32), np.int64(0), np.empty(len(last), np.int32)
    while waiting > 0:
        waiting -= 1
        lo, hi, labels = low[waiting], high[waiting], stored[label_at[waiting] : free].copy()
        free = label_at[waiting]
        best, best_gain = np.int64(-1), 1e-12
        for i in range(len(labels)):
            x = labels[i]
            if x >= 0 and last[x] > x:
                children = child[child_ptr[x] : child_ptr[x + 1]]
                fingerprint_rows(rows, lo, hi, x, last[x], indptr, leaf, children, loss, words, key, gain)
                here = split_gain(key, gain, lo, hi, k)
                if here <= 0.0:
                    labels[i] = -1 - x
                elif here > best_gain:
                    best, best_gain = i, here
        if best < 0:
            need = ptr[parts] + len(labels)
            out = larger(out, need)
            for i in range(len(labels)):
                out[ptr[parts] + i] = labels[i] if labels[i] >= 0 else -1 - labels[i]
            begin[parts], begin[parts + 1], ptr[parts + 1] = lo, hi, need
            parts += 1
            continue
        x = labels[best]
        children = child[child_ptr[x] : child_ptr[x + 1]]
        fingerprint_rows(rows, lo, hi, x, last[x], indptr, leaf, children, loss, words, key, gain)
        middle = split_rows(key, gain, rows, lo, hi, k)
        stop = hi
        while stop > lo:
            start, found = stop - 1, np.int64(1)
            if stop > middle:
                while start > middle and key[start - 1] == key[stop - 1]:
                    start -= 1
                found = children_held(rows[start], x, last[x], indptr, leaf, children, held)
            else:  # those left over keep the label
                start, held[0] = lo, -1 - x
            stored = larger(stored, free + len(labels) - 1 + found)
            low, high = larger(low, waiting + 1), larger(high, waiting + 1)
            label_at = larger(label_at, waiting + 1)
            low[waiting], high[waiting], label_at[waiting] = start, stop, free
            waiting += 1
            stored[free : free + best], stored[free + best : free + best + found] = labels[:best], held[:found]
            free += len(labels) - 1 + found
            stored[free - (len(labels) - 1 - best) : free] = labels[best + 1 :]
            stop = start
    return rows, begin[: parts + 1], ptr[: parts + 1], out[: ptr[parts]].copy()
