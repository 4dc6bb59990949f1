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
from covey.release.chunks.cut import Cut


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
    row, complete = cut.row, True
    cluster = cut.cluster[row]
    left = np.flatnonzero((cut.level < 0) & ~pinned)
    fixed = np.ones(len(row), np.bool_)
    fixed[left] = False
    claimed = np.unique(cluster[fixed] * d + cut.item[fixed])
    for level in range(1, max(cut.clusters - 1, 0).bit_length() + 1):
        if not len(left):
            break
        claimed = np.unique((claimed // d >> 1) * d + claimed % d)
        keys = (cluster[left] >> level) * d + cut.item[left]
        distinct, number, often = np.unique(keys, return_inverse=True, return_counts=True)
        frequent = often >= k
        repeated = np.isin(distinct, claimed, assume_unique=True)
        alone = left[(frequent & repeated)[number]]
        cut.level[alone], cut.chunk[alone] = level, d + cut.item[alone]
        together = left[(frequent & ~repeated)[number]]
        complete &= _share(cut, together, row, cluster >> level, d, k, m, work)
        cut.level[together] = level
        claimed = np.union1d(claimed, distinct[frequent])
        left = left[~frequent[number]]
    return complete


def _share(cut: Cut, chosen: Ints, row: Ints, joint: Ints, d: int, k: int, m: int, work: int) -> bool:
    """Deal the items of `chosen` entries, which stand by joint and record, into chunks of their joints."""
    rows, lengths = np.unique(row[chosen], return_counts=True)
    row_ptr = np.concatenate([[0], np.cumsum(lengths)])
    joint_of_row = joint[chosen[row_ptr[:-1]]]
    block_ptr = np.append(np.flatnonzero(np.diff(joint_of_row, prepend=-1)), len(rows))
    cut.chunk[chosen], complete = deal_items(block_ptr, row_ptr, cut.item[chosen], d, k, m, work)
    return bool(complete)
