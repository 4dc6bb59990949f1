"""CAHD: groups around sensitive transactions, from neighbours in a band matrix (Ghinita et al. 2008, section IV).

Data flow: split off the sensitive items → band order of the rest, O(entries) → groups on linked lists (Fig. 8),
O(alpha · p) rows per sensitive transaction → publication. Oracle: `tests/oracles/cahd.py`; page:
`docs/methods.md`.

Kernels see all matrices in band order, so the rows that a scan reads lie next to each other in memory. Their row
numbers are positions in band order; `previous` and `following` link the rows that are not yet in a group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.csr import take_rows
from covey.data.jit import kernel, sort_ids
from covey.errors import ParameterError
from covey.guarantees.degree import Degree
from covey.methods.base import Groups, GroupsBaskets
from covey.methods.ordering import band_of_rows, band_order, by_gray_code
from covey.methods.remaining import Left, Rows, all_left, conflicts, mark, ring, unlink, withdraw
from covey.parameters import parameter
from covey.progress import Progress

ORDERS = {"rcm": band_order, "gray": by_gray_code}


@dataclass(frozen=True, slots=True, kw_only=True)
class CAHD(GroupsBaskets):
    """Correlation-aware anonymization of high-dimensional data.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> CAHD(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by cahd: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "cahd"

    alpha: int = parameter(
        3,
        at_least=1,
        label="Width of the search (alpha)",
        says="Candidates considered on each side of a sensitive transaction, in multiples of p.",
        cut_short="Some sensitive transactions found too few others near them and share one last, large group; a "
        "larger alpha may group them better.",
    )
    order: str = parameter(
        "rcm",
        one_of=tuple(ORDERS),
        expert=True,
        label="Order of the baskets",
        says="How transactions are laid out before they are grouped: in the band order of reverse Cuthill-McKee (rcm, "
        "as in the paper), or by their Gray code over the items, most frequent first (gray).",
    )

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`."""
        progress("ordering", 0.0)
        public, secret = data.split()
        order = ORDERS[self.order](public)
        progress("grouping", 0.0)
        return self.group_rows(public.csr, public.d, secret.csr, secret.d, promise.p, order)

    def require_able_in_parts(self) -> None:
        """Refuse orders that are those of all rows."""
        if self.order != "rcm":
            raise ParameterError(
                f"The engine spark lays rows out by order=rcm only. Got {self.order!r} instead; use the engine local."
            )

    def group_part(self, public: Rows, d: int, secret: Rows, m: int, p: int) -> Groups:
        """Groups of the rows of a part, in its own band order."""
        return self.group_rows(public, d, secret, m, p, band_of_rows(*public, d))

    def group_rows(self, public: Rows, d: int, secret: Rows, m: int, p: int, order: Ints) -> Groups:
        """Groups of rows with `public` items among d, and `secret` ones among m, laid out in band `order`.

        No sensitive item may be in more than 1 / p of the rows.
        """
        public, secret = take_rows(*public, order), take_rows(*secret, order)
        group, groups, stranded = form_groups(public, d, secret, m, p, self.alpha)
        groups = place_rest(group, groups, public, d, p, self.alpha)
        return Groups.of(order, group, groups, ("alpha",) if stranded else ())


#: Scans give up after this many times the candidates they look for, so that a long run of rows that share
#: one sensitive item cannot make the whole quadratic.
PATIENCE = 64
#: A candidate's key: overlap (negated) in the high bits, distance and side in the low `PLACE` bits.
PLACE = 33


@kernel
def collect(t: int, link: Ints, reach: int, left: Left, found: Ints, count: int) -> tuple[int, bool]:
    """Append up to `reach` ungrouped rows along `link` from `t` that conflict with nothing listed for `t`.

    Returns the new length of `found`, and whether the scan gave up before it had enough. O(reach) unless rows conflict.
    """
    n, limit, steps, u = len(link) - 1, count + reach, np.int64(0), link[t]
    while u < n and count < limit and steps < PATIENCE * reach:
        if not conflicts(u, t, left):
            mark(u, t, left)
            found[count] = u
            count += 1
        steps += 1
        u = link[u]
    return count, u < n and count < limit


@kernel
def rank_by_overlap(t: int, public: Rows, marked: Ints, rows: Ints, keys: Ints) -> None:
    """Order `rows` by shared quasi-identifier items with `t`, ties by distance, in place.

    O(entries of the rows + len(rows) log len(rows)).
    """
    ptr, items = public
    for e in range(ptr[t], ptr[t + 1]):
        marked[items[e]] = t
    for c in range(len(rows)):
        u = rows[c]
        common = np.int64(0)
        for e in range(ptr[u], ptr[u + 1]):
            if marked[items[e]] == t:
                common += 1
        place = 2 * (t - u) if u < t else 2 * (u - t) + 1
        keys[c] = (((np.int64(1) << 29) - common) << PLACE) + place
    sort_ids(keys[: len(rows)])
    for c in range(len(rows)):
        place = keys[c] & ((np.int64(1) << PLACE) - 1)
        rows[c] = t + (place >> 1) if place & 1 else t - (place >> 1)


@kernel
def form_groups(public: Rows, d: int, secret: Rows, m: int, p: int, alpha: int) -> tuple[Ints, int, bool]:
    """Return the group of each row, the number of groups, and whether scans that gave up left a row over.

    Rows left over carry -1. Precondition: every sensitive item is in at most n / p rows. Then p · held[s] <= remaining
    holds for every s throughout, so the rows left over satisfy the degree as one group. O(alpha · p · n) item reads.
    """
    n, reach = len(public[0]) - 1, alpha * p
    group, marked, left = np.full(n, -1, np.int64), np.full(d, -1, np.int64), all_left(secret, m)
    previous, following = ring(n)
    found, keys = np.empty(2 * reach + 1, np.int64), np.empty(2 * reach + 1, np.int64)
    groups, stranded = np.int64(0), False
    for t in range(n):
        if left.ptr[t] == left.ptr[t + 1] or group[t] >= 0:
            continue
        mark(t, t, left)
        count, short = collect(t, previous, reach, left, found, np.int64(0))
        count, shorter = collect(t, following, reach, left, found, count)
        if count < p - 1:
            stranded |= short or shorter
            continue
        rank_by_overlap(t, public, marked, found[:count], keys)
        found[p - 1] = t
        if withdraw(found[:p], p, left):
            unlink(found[:p], previous, following)
            group[found[:p]] = groups
            groups += 1
    return group, groups, stranded


@kernel
def place_rest(group: Ints, groups: int, public: Rows, d: int, p: int, alpha: int) -> int:
    """Give every row left over a group, in place, and return the number of groups.

    p or more rows form one group. Fewer hold no sensitive item (see `form_groups`), so each may join any
    group without lowering its degree: it joins the group of the most similar row among the alpha · p before
    and after it, as Ellen joins Bob and David in Fig. 1c. O(n), plus O(alpha · p²) for fewer than p rows.
    """
    rest, reach = np.flatnonzero(group < 0), alpha * p
    if len(rest) == 0:
        return groups
    if len(rest) >= p or groups == 0:
        group[rest] = groups
        return groups + 1
    marked, keys, homes = np.full(d, -1, np.int64), np.empty(2 * reach + 1, np.int64), np.empty(len(rest), np.int64)
    for i in range(len(rest)):
        first = max(0, rest[i] - reach)
        near = first + np.flatnonzero(group[first : rest[i] + reach + 1] >= 0)
        rank_by_overlap(rest[i], public, marked, near, keys)
        homes[i] = group[near[0]]
    group[rest] = homes
    return groups
