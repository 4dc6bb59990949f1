"""Suppression alone: what MM takes away, and what any suppression would have to take away at least.

Both rest on minimal moles, which are mined depth-first (Xu et al. 2008; Liu & Wang 2010, section 5).
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.errors import ParameterError
from covey.kernels.methods.moles import packed, suppress_greedily
from covey.kernels.methods.threats import mine
from covey.methods.rare_sets import NO_SECRETS
from covey.methods.work import WorkLimit

#: Members of moles that are held at once.
MEMBERS = 50_000_000

#: Members and millions of steps for the pairs, and the triples, behind the bound, which needs not all of them.
BOUND = ((2, 8_000_000, 1_200), (3, 2_000_000, 300))


def moles_suppressed(
    public: Baskets,
    private: Baskets | None,
    k: int,
    largest: float,
    h: float,
    limit: WorkLimit,
) -> Mask:
    """Which public items MM suppresses, so that no mole of at most `largest` items is left.

    All moles are mined at once where memory and `limit` allow it; if not, they are taken by size.

    Raises
    ------
    ParameterError
        The moles of one size cannot all be found.
    """
    p = max(1, int(min(largest, int(public.lengths().max(initial=0)))))
    gone = public.supports() < k
    complete, more = _round(public, private, gone, k, p, h, limit)
    if complete:
        return gone | more
    for size in range(1, p + 1):
        limit.reach(size / (p + 1))
        complete = False
        while not complete:
            complete, more = _round(public, private, gone, k, size, h, limit)
            if not complete and (limit.allowance() <= 0 or not more.any()):
                raise ParameterError(
                    f"The moles of up to {counted(size, 'item')} cannot all be found within the work of mm. Lower the "
                    f"set size of the guarantee (now {largest:g}), leave out very long transactions, or allow mm more "
                    "work."
                )
            gone = gone | more
    return gone


def least_suppression(data: Baskets, k: int, m: int) -> float:
    """A number of occurrences that every suppression of items must take away for km-anonymity, at least.

    One item of every rare set has to go. If each rare set is given a share of its items' occurrences, so that no
    item gives away more than it has, then the shares add up to no more than what goes: the dual of the cheapest
    hitting set. Any of the rare sets will do for that, so pairs are used and as many triples as are found soon.
    """
    supports = data.supports()
    gone = supports < k
    least = float(supports[gone].sum())
    left = data.only(~gone)
    price = left.supports().astype(np.float64)
    for size, most, work in BOUND:
        if size <= m:
            _, offsets, members = _moles(left, None, k, size, 1.0, WorkLimit(work, parts=1), most)
            least += packed(offsets, members, price)
    return least


def _round(
    public: Baskets,
    private: Baskets | None,
    gone: Mask,
    k: int,
    p: int,
    h: float,
    limit: WorkLimit,
) -> tuple[bool, Mask]:
    """One mining with items `gone`: whether it was complete, and what its moles make one suppress."""
    left = public.only(~gone)
    complete, offsets, members = _moles(left, private, k, p, h, limit, MEMBERS)
    more = np.zeros(public.d, np.bool_)
    more[np.flatnonzero(~gone)] = suppress_greedily(offsets, members, left.supports())
    return complete, more


def _moles(
    public: Baskets,
    private: Baskets | None,
    k: int,
    p: int,
    h: float,
    limit: WorkLimit,
    most: int,
) -> tuple[bool, Ints, Ids]:
    """Minimal moles of at most p public items: all of them?, offsets, items. Every item is in at least k rows."""
    words = np.random.default_rng(20080).integers(1, 2**63 - 1, public.d, np.int64)
    secrets = NO_SECRETS if private is None else (*private.csr, private.d, h)
    used = np.array([0, limit.allowance()], np.int64)
    complete, offsets, members, _ = mine(
        *public.csr, np.ones(public.n, np.int64), public.d, public.d, secrets, k, p, words,
        np.zeros(4096, np.int64), used, most,
    )  # fmt: skip
    limit.spend(limit.allowance() - int(used[1]), complete=bool(complete))
    return bool(complete), offsets, members
