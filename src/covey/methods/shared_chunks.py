"""Refining: items too rare for the chunks of single clusters are counted in chunks that neighbouring clusters share.

Clusters are joined in pairs, pairs of pairs and so on. In the first joint in which at least k records hold an item that
its clusters would only name, the item goes into a shared chunk (Terrovitis et al. 2012, section 4.3). One that is in
no narrower chunk of the joint shares a chunk with others of its kind; one that is stands alone, so that nobody can
tell its occurrences apart by what they come with.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints, Mask
from covey.kernels.methods.disassociation import deal_items
from covey.release.chunks.publish import Cut


def refine(cut: Cut, pinned: Mask, d: int, k: int, m: int, work: int) -> bool:
    """Move what can be counted from term chunks to shared chunks; whether the search for them was complete.

    Parameters
    ----------
    cut : Cut
        Changed in place.
    pinned : bool array
        Entries that must stay where they are.
    d, k, m, work
        As for `deal_items`.
    """
    waiting, complete = (cut.level < 0) & ~pinned, True
    claimed = np.concatenate([_claimed(cut, *piece, waiting, d) for piece in cut.pieces()] or [np.zeros(0, np.int64)])
    for level in range(1, max(cut.clusters - 1, 0).bit_length() + 1):
        if not waiting.any():
            break
        renewed = []
        for records, entries in cut.pieces(level):
            joints = cut.cluster[records] >> level
            within = np.searchsorted(claimed, 2 * d * np.array([joints[0], joints[-1] + 1]))
            before = claimed[within[0] : within[1]]
            before = np.unique((before // d >> 1) * d + before % d)
            left = entries.start + np.flatnonzero(waiting[entries])
            row = cut.row_of(left)
            joint = cut.cluster[row] >> level
            distinct, number, often = np.unique(joint * d + cut.item[left], return_inverse=True, return_counts=True)
            frequent = often >= k
            repeated = np.isin(distinct, before, assume_unique=True)
            alone = left[(frequent & repeated)[number]]
            cut.level[alone], cut.chunk[alone] = level, d + cut.item[alone]
            shared = (frequent & ~repeated)[number]
            complete &= _share(cut, left[shared], row[shared], joint[shared], d, k, m, work)
            cut.level[left[shared]] = level
            renewed.append(np.union1d(before, distinct[frequent]))
            waiting[left[frequent[number]]] = False
        claimed = np.concatenate(renewed)
    return complete


def _claimed(cut: Cut, records: slice, entries: slice, waiting: Mask, d: int) -> Ints:
    """The items of each cluster that are no longer waiting, as ascending cluster · d + item."""
    fixed = entries.start + np.flatnonzero(~waiting[entries])
    return np.unique(cut.cluster[cut.row_of(fixed)] * d + cut.item[fixed])


def _share(cut: Cut, chosen: Ints, row: Ints, joint: Ints, d: int, k: int, m: int, work: int) -> bool:
    """Deal the items of `chosen` entries, which stand by joint and record, into chunks of their joints."""
    rows, lengths = np.unique(row, return_counts=True)
    row_ptr = np.concatenate([[0], np.cumsum(lengths)])
    joint_of_row = joint[row_ptr[:-1]]
    block_ptr = np.append(np.flatnonzero(np.diff(joint_of_row, prepend=-1)), len(rows))
    cut.chunk[chosen], complete = deal_items(block_ptr, row_ptr, cut.item[chosen], d, k, m, work)
    return bool(complete)
