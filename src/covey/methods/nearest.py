"""nearest: each sensitive basket with the baskets that are most like it (Ghinita, Kalnis, Tao, TKDE 2011).

A rival of CAHD. Data flow: split off the sensitive items → items numbered by rising support, with the list of each
item's rows → sensitive rows in random order, each with its nearest free neighbours, O(entries of its items' lists) →
the rest, where few find neighbours, as one group → publication. Oracle: `tests/oracles/cahd.py`; page:
`docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, places_of
from covey.data import Baskets
from covey.data.csr import canonicalize, transpose
from covey.data.jit import kernel, sort_ids
from covey.guarantees.degree import Degree
from covey.methods.anatomy import shuffled_rows
from covey.methods.base import Groups, GroupsBaskets
from covey.methods.remaining import Left, Rows, all_left, conflicts, mark, with_rest, withdraw
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest(GroupsBaskets):
    """Groups of a sensitive basket and its nearest neighbours.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Nearest(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by nearest: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "nearest"

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`; who comes first is drawn from the seed."""
        progress("grouping", 0.0)
        public, secret = data.split()
        rarest_first = np.argsort(public.supports(), kind="stable")
        indptr, indices = public.indptr.copy(), public.indices.copy()
        canonicalize(indptr, indices, places_of(rarest_first, public.d))
        by_item = transpose(indptr, indices, public.d)
        order = shuffled_rows(data.n, self.seed)
        group, groups = nearest_groups((indptr, indices), by_item, secret.csr, secret.d, order, promise.p)
        return Groups(*with_rest(group, groups, promise.p))


#: After so many entries of items' lists, rarest items first, no other list is read for a sensitive basket.
REACH = 1_000_000
#: A neighbour's key: how far it is, in steps of 1 / NEAR, in the high bits, and its row in the low `PLACE` bits.
NEAR, PLACE = 1_000_000, 33


@kernel
def count_common(t: int, public: Rows, by_item: Rows, group: Ints, common: Ids, found: Ints) -> int:
    """Count the items that each ungrouped row shares with `t`: write the rows to `found`, the counts to `common`.

    Lists are read from the rarest item on; after `REACH` entries no other list is begun. Returns how many rows were
    found. Precondition: `common` is all zero; item numbers ascend with the length of their lists. O(entries read).
    """
    count, read = np.int64(0), np.int64(0)
    (qid_ptr, qid), (item_ptr, in_row) = public, by_item
    for e in range(qid_ptr[t], qid_ptr[t + 1]):
        if read >= REACH:
            break
        j = qid[e]
        read += item_ptr[j + 1] - item_ptr[j]
        for x in range(item_ptr[j], item_ptr[j + 1]):
            u = in_row[x]
            if group[u] < 0 and u != t:
                if common[u] == 0:
                    found[count] = u
                    count += 1
                common[u] += 1
    return count


@kernel
def take_nearest(t: int, p: int, qid_ptr: Ints, common: Ids, found: Ints, left: Left, chosen: Ints) -> int:
    """Write to `chosen` row `t` and up to p - 1 of `found`, the nearest first, none with a sensitive item twice.

    The nearest share most of the items of both (Jaccard); ties: the first row. Returns how many were chosen.
    O(found · log(found)).
    """
    chosen[0] = t
    count, length = np.int64(1), qid_ptr[t + 1] - qid_ptr[t]
    mark(t, t, left)
    keys = np.empty(len(found), np.int64)
    for i in range(len(found)):
        u = found[i]
        union = length + qid_ptr[u + 1] - qid_ptr[u] - common[u]
        keys[i] = ((NEAR - NEAR * common[u] // union) << PLACE) + u
    sort_ids(keys)
    for key in keys:
        if count == p:
            break
        u = key & ((np.int64(1) << PLACE) - 1)
        if not conflicts(u, t, left):
            mark(u, t, left)
            chosen[count] = u
            count += 1
    return count


@kernel
def nearest_groups(public: Rows, by_item: Rows, secret: Rows, m: int, order: Ints, p: int) -> tuple[Ints, int]:
    """Return the group of each row, and the number of groups.

    The sensitive rows take their neighbours in `order`; who finds fewer than p - 1, or whose group would leave a rest
    that does not keep the degree, stays for the rest. Rows left over carry -1. Precondition: every sensitive item is
    in at most n / p rows; item numbers ascend with the length of their lists. O(entries of the lists that are read).
    """
    n = len(order)
    group, common, left = np.full(n, -1, np.int64), np.zeros(n, np.int32), all_left(secret, m)
    found, chosen, groups = np.empty(n, np.int64), np.empty(p, np.int64), np.int64(0)
    for t in order:
        if group[t] >= 0 or left.ptr[t] == left.ptr[t + 1]:
            continue
        count = count_common(t, public, by_item, group, common, found)
        size = take_nearest(t, p, public[0], common, found[:count], left, chosen)
        common[found[:count]] = 0
        if size == p and withdraw(chosen, p, left):
            group[chosen] = groups
            groups += 1
    return group, groups
