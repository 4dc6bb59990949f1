"""Suppression scenarios kept up to date while a cut changes (Liu & Wang 2010, section 3.2).

The inner loop keeps labels in descending suppression cost, each unless it completes a threat among those kept.
So a threat can only ever suppress its last member in that order: it does so iff all its others are kept. For
every threat we count its others that are not kept (`open_others`), and for every label the threats that close on
it (`closing`); a label is kept iff none does. Replacing a label by its children touches only what depends on them.
"""

from __future__ import annotations

import heapq

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.kernels.methods.growing import larger
from covey.kernels.shared.jit import kernel


@kernel
def add_threats(
    offsets: Ints, members: Ids, rank: Ints, kept: Mask, closing: Ints,
    first: Ids, link: Ids, entry_threat: Ids, last: Ids, open_others: Ids, threats: int, entries: int,
) -> int:  # fmt: skip
    """Append threats behind the `threats` (`entries`) that are stored; return the new number of entries.

    Precondition: the stores have room. `first` and `link` list, per label, the entries in which it is not the last
    member. O(members).
    """
    for t in range(len(offsets) - 1):
        end = members[offsets[t]]
        for e in range(offsets[t] + 1, offsets[t + 1]):
            if rank[members[e]] > rank[end]:
                end = members[e]
        missing = np.int64(0)
        for e in range(offsets[t], offsets[t + 1]):
            x = members[e]
            if x != end:
                link[entries] = first[x]
                first[x] = entries
                entry_threat[entries] = threats + t
                entries += 1
                if not kept[x]:
                    missing += 1
        last[threats + t] = end
        open_others[threats + t] = missing
        if missing == 0:
            closing[end] += 1
    return entries


@kernel
def drop_threats(
    offsets: Ints, members: Ids, closing: Ints, first: Ids, link: Ids, last: Ids, open_others: Ids,
    threats: int, entries: int,
) -> None:  # fmt: skip
    """Take back the threats that `add_threats` appended behind `threats` and `entries`. O(members)."""
    e = entries
    for t in range(len(offsets) - 1):
        e += offsets[t + 1] - offsets[t] - 1
    for t in range(len(offsets) - 2, -1, -1):
        for q in range(offsets[t + 1] - 1, offsets[t] - 1, -1):
            x = members[q]
            if x != last[threats + t]:
                e -= 1
                first[x] = link[e]
        if open_others[threats + t] == 0:
            closing[last[threats + t]] -= 1


@kernel
def flip(
    x: int, keep: bool, kept: Mask, closing: Ints, first: Ids, link: Ids, entry_threat: Ids, last: Ids,
    open_others: Ids, changed: Ids,
) -> int:  # fmt: skip
    """Keep or suppress x, and return how many labels now have another number of closing threats.

    They are listed in `changed`, some perhaps twice. O(threats in which x is not the last member).
    """
    kept[x] = keep
    found = np.int64(0)
    e = first[x]
    while e >= 0:
        t = entry_threat[e]
        before = open_others[t]
        open_others[t] = before - 1 if keep else before + 1
        if before == 0 or open_others[t] == 0:
            end = last[t]
            if closing[end] == 0 or (closing[end] == 1 and not keep):
                # Only a change between none and some matters to the label.
                changed[found] = end
                found += 1
            closing[end] += 1 if keep else -1
        e = link[e]
    return found


@kernel
def replace_label(
    x: int, children: Ids, rank: Ints, by_rank: Ids, price: Floats, in_cut: Mask, kept: Mask, closing: Ints,
    first: Ids, link: Ids, entry_threat: Ids, last: Ids, open_others: Ids, fresh: Ids, changed: Ids,
) -> tuple[float, Ids]:  # fmt: skip
    """Put the children of x into the cut in its place; return what suppression costs more, and the flipped labels.

    `fresh` are the last members of threats that were added for the children; `price` is O(x)·IL_S(x). Labels are
    looked at in the order of the inner loop, so each is decided once. O(threats of the labels that flip).
    """
    flipped = np.empty(16, np.int32)
    count = np.int64(0)
    waiting = [np.int64(0) for _ in range(0)]
    more = -price[x] if in_cut[x] and not kept[x] else 0.0
    in_cut[x] = False
    found = np.int64(0)
    if kept[x]:
        found = flip(x, False, kept, closing, first, link, entry_threat, last, open_others, changed)
        flipped[count] = x
        count += 1
    for i in range(found):
        heapq.heappush(waiting, rank[changed[i]])
    listed = np.zeros(len(rank), np.bool_)
    for i in range(len(fresh)):
        # Many threats may have one last member, which is looked at once.
        if not listed[fresh[i]]:
            listed[fresh[i]] = True
            heapq.heappush(waiting, rank[fresh[i]])
    for i in range(len(children)):
        in_cut[children[i]] = True
        more += price[children[i]]
        heapq.heappush(waiting, rank[children[i]])
    done = np.int64(-1)
    while len(waiting) > 0:
        r = heapq.heappop(waiting)
        if r == done:
            continue
        done = r
        y = by_rank[r]
        if not in_cut[y] or kept[y] == (closing[y] == 0):
            continue
        more += price[y] if kept[y] else -price[y]
        flipped = larger(flipped, count + 1)
        flipped[count] = y
        count += 1
        found = flip(y, not kept[y], kept, closing, first, link, entry_threat, last, open_others, changed)
        for i in range(found):
            heapq.heappush(waiting, rank[changed[i]])
    return more, flipped[:count]


@kernel
def restore_label(
    x: int, children: Ids, flipped: Ids, in_cut: Mask, kept: Mask, closing: Ints, first: Ids, link: Ids,
    entry_threat: Ids, last: Ids, open_others: Ids, changed: Ids,
) -> None:  # fmt: skip
    """Undo `replace_label`. O(threats of the labels that were flipped)."""
    for i in range(len(flipped) - 1, -1, -1):
        y = flipped[i]
        flip(y, not kept[y], kept, closing, first, link, entry_threat, last, open_others, changed)
    for i in range(len(children)):
        in_cut[children[i]] = False
    in_cut[x] = True
