"""The two loops of HgHs: top-down greedy over cuts, and a suppression scenario for each (Liu & Wang 2010, section 3).

Threats are mined when a node is about to be replaced by its children, depth-first in the transactions below that
node alone: only sets with one of the children can be new. That gives the same threats as mining all cuts in
advance and retrieving the relevant ones, without ever holding those of cuts nobody looks at.

The cheapest child cut is found lazily: gains are kept in a queue, and only the head of the queue is evaluated anew
when the cut has changed since. A last sweep makes sure that no child of the final cut is cheaper.

Suppression scenarios kept up to date while a cut changes (Liu & Wang 2010, section 3.2).

The inner loop keeps labels in descending suppression cost, each unless it completes a threat among those kept.
So a threat can only ever suppress its last member in that order: it does so iff all its others are kept. For
every threat we count its others that are not kept (`open_others`), and for every label the threats that close on
it (`closing`); a label is kept iff none does. Replacing a label by its children touches only what depends on them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.data.jit import kernel, larger
from covey.methods.rare_sets import RareInClasses
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit

#: The threats that are known: for each label the number of threats that it closes (all others in it are kept) and the
#: first of its entries; for each entry the next one of its label and its threat; for each threat the member with the
#: highest rank, which has no entry, and how many of the others are not kept.
Index = tuple[Ints, Ids, Ids, Ids, Ids, Ids]
#: Members of threats that can be numbered, which nobody has the memory for.
MOST_ENTRIES = 2**31 - 1


class CutSearch:
    """A cut with its suppression scenario, moved down the taxonomy while that lowers the cost.

    Every set of at most m labels must be in no transaction of `view` or in at least k. Nodes may be replaced by their
    children where this is `allowed`, and where the threats around them are found within the `limit`. Where sets must
    not be rare in any of several `classes`, the support of a label in `view` is the lowest of those in which it occurs.
    """

    def __init__(
        self,
        view: TreeView,
        k: int,
        m: int,
        allowed: Mask,
        *,
        limit: WorkLimit | None = None,
        classes: Sequence[TreeView] = (),
    ) -> None:
        size = view.tree.size
        self.view, self.m, self.allowed = view, m, allowed
        self._limit = limit or WorkLimit()
        self._rare = RareInClasses(classes or [view], k, self._limit)
        order = np.lexsort((_label_order(view.tree.labels), -view.suppressing))
        self._by_rank = order.astype(np.int32)
        self._rank = np.empty(size, np.int64)
        self._rank[order] = np.arange(size)
        self.in_cut = np.zeros(size, np.bool_)
        self.kept = np.zeros(size, np.bool_)
        self.expanded = np.zeros(size, np.bool_)
        self._cut_of, self._changed = np.zeros(size, np.int32), np.empty(size, np.int32)
        link, threat, last, missing = (np.empty(1024, np.int32) for _ in range(4))
        self._index = (view.support < k).astype(np.int64), np.full(size, -1, np.int32), link, threat, last, missing
        self._threats = self._entries = 0
        top = int(view.chain_end[0])
        self._cut_of[:], self.expanded[:top] = top, True
        self.in_cut[top], self.kept[top] = True, view.support[top] >= k
        self.cost = float(view.generalizing[top] + (0 if self.kept[top] else view.suppressing[top]))
        self.path: list[tuple[float, int]] = [(self.cost, -1)]
        self.largest_threat = 1

    def children(self, x: int) -> Ids:
        """The children of x that occur in the data, each as the end of its chain of only children."""
        below = self.view.chain_end[self.view.tree.children(x)]
        return np.ascontiguousarray(below[self.view.occurrences[below] > 0])

    def attempt(self, x: int, *, safe: bool = False) -> tuple[float, Callable[[], None]]:
        """Replace x by its children; return what that gains, and a function that takes it back.

        Where it is known to be `safe`, as no set with a child of x is rare, none is looked for.
        """
        view, children = self.view, self.children(x)
        complete, offsets, members = self._rare.around(x, children, self._cut_of, 1 if safe else self.m)
        self.largest_threat = max(self.largest_threat, int(np.diff(offsets).max(initial=0)))
        if not complete or self._entries + len(members) > MOST_ENTRIES:
            self._limit.hit = True
            return -np.inf, lambda: None
        threats_before, entries_before = self._threats, self._entries
        # The last member of a threat has no entry.
        self._reserve(len(offsets) - 1, len(members) - (len(offsets) - 1))
        index = self._index
        self._entries = add_threats(offsets, members, self._rank, self.kept, index, threats_before, entries_before)
        self._threats += len(offsets) - 1
        fresh = index[4][threats_before : self._threats]
        cut = self._rank, self._by_rank, view.suppressing, self.in_cut, self.kept
        more, flipped = replace_label(x, children, *cut, index, fresh, self._changed)
        gain = float(view.generalizing[x] - view.generalizing[children].sum() - more)

        def undo() -> None:
            restore_label(x, children, flipped, self.in_cut, self.kept, index, self._changed)
            drop_threats(offsets, members, index, threats_before, entries_before)
            self._threats, self._entries = threats_before, entries_before

        return gain, undo

    def run(self, allowed: Mask | None = None) -> CutSearch:
        """Move to the cheapest child cut while that lowers the cost; go on from here if called again."""
        if allowed is not None:
            self.allowed = allowed
        tiny = 1e-9 * max(float(self.view.generalizing[0]), 1.0)
        queue = [(-self._promise(x), x) for x in np.flatnonzero(self.in_cut).tolist() if self._may(x)]
        heapq.heapify(queue)
        fresh: dict[int, int] = {}
        step = 0
        while queue:
            gain, x = -queue[0][0], queue[0][1]
            if gain <= tiny:
                if not any(fresh.get(y, -1) != step and g < np.inf for g, y in queue):
                    break
                for i, (_, y) in enumerate(queue):
                    if fresh.get(y, -1) != step:
                        gain, undo = self.attempt(y)
                        if gain > -np.inf:
                            undo()
                        fresh[y] = step
                        queue[i] = (-gain, y)
                heapq.heapify(queue)
                continue
            heapq.heappop(queue)
            gain, undo = self.attempt(x)
            if gain <= tiny or (queue and gain < -queue[0][0] - tiny):
                if gain > -np.inf:
                    undo()
                fresh[x] = step
                heapq.heappush(queue, (-gain, x))
                continue
            self._commit(x, gain)
            step += 1
            for y in self.children(x).tolist():
                if self._may(y):
                    heapq.heappush(queue, (-self._promise(y), y))
        return self

    def descend(self, expanded: Mask, *, safe: bool = False) -> CutSearch:
        """Replace all the given nodes by their children, from the top down, whatever that costs.

        A node whose threats are too many for the limit is left as it is, and so is what lies below it. A cut below
        which no set of labels is rare is `safe`, and so are all above it: they are gone through without looking.
        """
        for x in np.flatnonzero(expanded):
            if self.in_cut[x]:
                gain, _ = self.attempt(int(x), safe=safe)
                if gain > -np.inf:
                    self._commit(int(x), gain)
        return self

    def _may(self, x: int) -> bool:
        return bool(self.allowed[x] and self.view.tree.last[x] > x and self.view.occurrences[x] > 0)

    def _promise(self, x: int) -> float:
        """What replacing x gains if no child has to be suppressed."""
        gain = self.view.generalizing[x] - self.view.generalizing[self.children(x)].sum()
        return float(gain + (0.0 if self.kept[x] else self.view.suppressing[x]))

    def _commit(self, x: int, gain: float) -> None:
        tree = self.view.tree
        for child in tree.children(x):
            end = self.view.chain_end[child]
            self._cut_of[child : tree.last[child] + 1] = end
            self.expanded[child:end] = True
        self.expanded[x] = True
        self.cost -= gain
        self.path.append((self.cost, x))

    def _reserve(self, threats: int, entries: int) -> None:
        """Make room for more; the system moves large arrays page by page, so that none is there twice."""
        _, _, link, threat, last, missing = self._index
        threats, entries = self._threats + threats, self._entries + entries
        for store, need in ((link, entries), (threat, entries), (last, threats), (missing, threats)):
            if need > len(store):
                store.resize(max(need, len(store) * 9 // 8), refcheck=False)

    def cut(self) -> Ids:
        """The nodes of the cut, in tour order, also those that do not occur."""
        tree = self.view.tree
        inside = ~self.expanded
        inside[1:] &= self.expanded[tree.parent[1:]]
        return np.flatnonzero(inside).astype(np.int32)

    def suppressed(self) -> Ids:
        """The labels of the cut that are removed everywhere: those that occur and are not kept."""
        return np.flatnonzero(self.in_cut & ~self.kept & (self.view.occurrences > 0)).astype(np.int32)

    def label_of(self) -> Ids:
        """What each node below the cut is published as, -1 when that is suppressed."""
        label = self._cut_of.copy()
        label[~self.kept[label] & self.in_cut[label]] = -1
        return label


@lru_cache(maxsize=4)
def _label_order(labels: tuple[str, ...]) -> Ints:
    """The place of each label in label order; remembered, since the classes of records share one taxonomy."""
    place = np.empty(len(labels), np.int64)
    place[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
    return place


@kernel
def add_threats(offsets: Ints, members: Ids, rank: Ints, kept: Mask, index: Index, threats: int, entries: int) -> int:
    """Append threats behind the `threats` (`entries`) that are stored; return the new number of entries.

    Precondition: the stores have room. O(members).
    """
    closing, first, link, threat, last, missing = index
    for t in range(len(offsets) - 1):
        end = members[offsets[t]]
        for e in range(offsets[t] + 1, offsets[t + 1]):
            if rank[members[e]] > rank[end]:
                end = members[e]
        last[threats + t], missing[threats + t] = end, 0
        for e in range(offsets[t], offsets[t + 1]):
            x = members[e]
            if x != end:
                link[entries], threat[entries] = first[x], threats + t
                first[x] = entries
                entries += 1
                missing[threats + t] += not kept[x]
        closing[end] += missing[threats + t] == 0
    return entries


@kernel
def drop_threats(offsets: Ints, members: Ids, index: Index, threats: int, entries: int) -> None:
    """Take back the threats that `add_threats` appended behind `threats` and `entries`. O(members)."""
    closing, first, link, _, last, missing = index
    e = entries + len(members) - (len(offsets) - 1)
    for t in range(len(offsets) - 2, -1, -1):
        for q in range(offsets[t + 1] - 1, offsets[t] - 1, -1):
            if members[q] != last[threats + t]:
                e -= 1
                first[members[q]] = link[e]
        closing[last[threats + t]] -= missing[threats + t] == 0


@kernel
def flip(x: int, kept: Mask, index: Index, changed: Ids) -> int:
    """Keep x, or suppress it if it is kept; return how many labels now have another number of closing threats.

    They are listed in `changed`, some perhaps twice. O(threats in which x is not the last member).
    """
    closing, first, link, threat, last, missing = index
    kept[x] = not kept[x]
    found, e = np.int64(0), first[x]
    while e >= 0:
        t = threat[e]
        before = missing[t]
        missing[t] = before - 1 if kept[x] else before + 1
        if before == 0 or missing[t] == 0:
            end = last[t]
            if closing[end] == 0 or (closing[end] == 1 and not kept[x]):
                # Only a change between none and some matters to the label.
                changed[found] = end
                found += 1
            closing[end] += 1 if kept[x] else -1
        e = link[e]
    return found


@kernel
def replace_label(
    x: int, children: Ids, rank: Ints, by_rank: Ids, price: Floats, in_cut: Mask, kept: Mask, index: Index, fresh: Ids,
    changed: Ids,
) -> tuple[float, Ids]:  # fmt: skip
    """Put the children of x into the cut in its place; return what suppression costs more, and the flipped labels.

    `fresh` are the last members of threats that were added for the children; `price` is O(x)·IL_S(x). Labels are
    looked at in the order of the inner loop, so each is decided once. O(threats of the labels that flip).
    """
    flipped, count, found = np.empty(16, np.int32), np.int64(0), np.int64(0)
    more = -price[x] if in_cut[x] and not kept[x] else 0.0
    in_cut[x] = False
    if kept[x]:
        found = flip(x, kept, index, changed)
        flipped[count] = x
        count += 1
    waiting = [rank[y] for y in changed[:found]]
    heapq.heapify(waiting)
    listed = np.zeros(len(rank), np.bool_)
    for y in fresh:
        # Many threats may have one last member, which is looked at once.
        if not listed[y]:
            listed[y] = True
            heapq.heappush(waiting, rank[y])
    for y in children:
        in_cut[y] = True
        more += price[y]
        heapq.heappush(waiting, rank[y])
    done = np.int64(-1)
    while len(waiting) > 0:
        r = heapq.heappop(waiting)
        if r == done:
            continue
        done = r
        y = by_rank[r]
        if not in_cut[y] or kept[y] == (index[0][y] == 0):
            continue
        more += price[y] if kept[y] else -price[y]
        flipped = larger(flipped, count + 1)
        flipped[count] = y
        count += 1
        found = flip(np.int64(y), kept, index, changed)
        for end in changed[:found]:
            heapq.heappush(waiting, rank[end])
    return more, flipped[:count]


@kernel
def restore_label(x: int, children: Ids, flipped: Ids, in_cut: Mask, kept: Mask, index: Index, changed: Ids) -> None:
    """Undo `replace_label`. O(threats of the labels that were flipped)."""
    for i in range(len(flipped) - 1, -1, -1):
        flip(np.int64(flipped[i]), kept, index, changed)
    in_cut[children] = False
    in_cut[x] = True
