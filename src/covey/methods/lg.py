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
from covey.data.jit import kernel, stable_order
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
        labels = np.empty(0, np.int32)
        counts = np.zeros(len(order), np.int64)
        if len(rest):
            part, nodes = partition(view, rest, k)
            sizes = np.array([len(some) for some in nodes])
            counts[rest] = sizes[part]
            _, labels = take_rows(offsets_of(sizes), np.concatenate(nodes), part)
        return offsets_of(counts), labels


def partition(view: TreeView, rest: Ints, k: int) -> tuple[Ints, list[Ids]]:
    """Return the final partition of each of the rows `rest`, and the labels of each partition.

    Precondition: at least k rows, none empty. A partition is split at the node that gains most; what is left over keeps
    its labels, may not be split there again, and is looked at like the rest. O(entries · labels · depth).
    """
    tree, child = view.tree, view.chain_end[view.tree.child]
    given = view.indptr, view.leaf, tree.last, tree.child_ptr, child, tree.loss(), view.words
    found = np.empty(len(view.indptr) - 1, np.int64)
    labels_of: list[Ids] = []
    # A label that may not be split any more is stored as -1 - label.
    waiting = [(rest, view.chain_end[:1])]
    while waiting:
        rows, labels = waiting.pop()
        best = best_label(rows, labels := labels.copy(), given, k)
        if best < 0:
            found[rows] = len(labels_of)
            labels_of.append(np.where(labels < 0, -1 - labels, labels))
            continue
        x = int(labels[best])
        key, gain = fingerprints(rows, x, given)
        left, others = split(key, gain, k)
        for members in others[::-1]:
            first, end = view.indptr[rows[members[0]]], view.indptr[rows[members[0]] + 1]
            leaves = view.leaf[first:end]
            inside = leaves[(leaves >= x) & (leaves <= tree.last[x])]
            children = child[tree.child_ptr[x] : tree.child_ptr[x + 1]]
            held = np.unique(children[np.searchsorted(children, inside, side="right") - 1])
            waiting.append((rows[members], np.concatenate([labels[:best], held, labels[best + 1 :]])))
        if len(left):
            labels[best] = -1 - x
            waiting.append((rows[left], labels))
    return found[rest], labels_of


def split(key: Ints, gain: Floats, k: int) -> tuple[Ints, list[Ints]]:
    """Return which rows are left over when they are split by `key`, and the others, those of one key together.

    Too small a set of rows is left over. If that makes fewer than k rows, the least gaining rows of sets larger than
    k join them, or else the whole set that gains least. O(rows log rows, plus k passes in the case of joining).
    """
    order = np.argsort(key, kind="stable")
    sets = np.split(order, np.flatnonzero(np.diff(key[order])) + 1)
    large = [some for some in sets if len(some) >= k]
    spare, stay = np.array([len(some) - k for some in large]), np.zeros(len(key), np.bool_)
    stay[np.concatenate(large)] = True
    left = len(key) - int(stay.sum())
    if 0 < left < k and spare.sum() < k - left:
        stay[min(large, key=lambda some: sum(gain[some].tolist()))] = False
    elif 0 < left < k:
        set_of = np.full(len(key), -1)
        for number, some in enumerate(large):
            set_of[some] = number
        for _ in range(k - left):
            able = order[stay[order] & (spare[set_of[order]] > 0)]
            least = able[gain[able].argmin()]
            stay[least] = False
            spare[set_of[least]] -= 1
    return order[~stay[order]], [some for one in large if len(some := one[stay[one]])]


#: Offsets and leaves of the rows; last node below, offsets of children, children, loss and word of each node.
Given = tuple[Ints, Ids, Ids, Ints, Ids, Floats, Ints]


@kernel
def fingerprints(rows: Ints, x: int, given: Given) -> tuple[Ints, Floats]:
    """Return, for each row, a key for the set of children of x that it holds, and what naming them gains.

    The key is the exclusive or of the children's words; a row's gain is its drop in loss. Precondition: rows of
    ascending leaves. O(entries of the rows, times log of the children).
    """
    indptr, leaf, last, child_ptr, child, loss, words = given
    children = child[child_ptr[x] : child_ptr[x + 1]]
    key, gain = np.zeros(len(rows), np.int64), np.zeros(len(rows))
    for i in range(len(rows)):
        first, end = indptr[rows[i]], indptr[rows[i] + 1]
        e, previous = first + np.searchsorted(leaf[first:end], x), np.int64(-1)
        while e < end and leaf[e] <= last[x]:
            c = np.int64(children[np.searchsorted(children, leaf[e], side="right") - 1])
            if c != previous:
                key[i] ^= words[c]
                previous = c
            gain[i] += loss[x] - loss[c]
            e += 1
    return key, gain


@kernel
def split_gain(key: Ints, gain: Floats, k: int) -> float:
    """Return what splitting by `key` gains in all, with fewer than k left over made up to k from the others.

    -1.0 when nothing of size k comes of it. O(rows log rows).
    """
    order, n, i = stable_order(key), len(key), np.int64(0)
    total, left, surplus, smallest, cheapest = 0.0, np.int64(0), np.int64(0), np.inf, np.inf
    while i < n:
        j, gained, least = i, 0.0, np.inf
        while j < n and key[order[j]] == key[order[i]]:
            gained += gain[order[j]]
            least = min(least, gain[order[j]])
            j += 1
        if j - i >= k:
            total += gained
            surplus += j - i - k
            smallest, cheapest = min(smallest, gained), min(cheapest, least)
        else:
            left += j - i
        i = j
    if smallest == np.inf:
        return -1.0
    if 0 < left < k:
        total -= (k - left) * cheapest if surplus >= k - left else smallest
    return total


@kernel
def best_label(rows: Ints, labels: Ids, given: Given, k: int) -> int:
    """Return the place of the label at which splitting the rows gains most, or -1.

    Labels where nothing is gained are marked as not to be split any more. O(entries of the rows · labels).
    """
    best, most = -1, 1e-12
    for i in range(len(labels)):
        x = np.int64(labels[i])
        if x >= 0 and given[2][x] > x:
            key, gain = fingerprints(rows, x, given)
            here = split_gain(key, gain, k)
            if here <= 0.0:
                labels[i] = -1 - x
            elif here > most:
                best, most = i, here
    return best
