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
from covey.methods.effort import Effort
from covey.methods.rare_sets import NO_SECRETS

#: Members of moles that are held at once, and entries read to find them, for each of these.
BUDGET = 50_000_000
READS = 80

#: The same for the pairs and the triples behind the bound, which needs not all of them: a second's work.
BOUND = ((2, 8_000_000, 400_000_000), (3, 2_000_000, 100_000_000))


def moles_suppressed(
    public: Baskets,
    private: Baskets | None,
    k: int,
    largest: float,
    h: float,
    *,
    budget: int,
    effort: Effort,
) -> tuple[Mask, bool]:
    """Which public items MM suppresses, so that no mole of at most `largest` items is left.

    All moles are mined at once where they fit into `budget` members, which is the second answer; if not, they are
    taken by size. `effort` is what it and other searches may do in all.

    Raises
    ------
    ParameterError
        The moles of one size cannot all be found within budget and effort.
    """
    p = max(1, int(min(largest, int(public.lengths().max(initial=0)))))
    gone = public.supports() < k
    complete, more = _round(public, private, gone, k, p, h, budget, effort)
    if complete:
        return gone | more, True
    for size in range(1, p + 1):
        effort.reach(size / (p + 1))
        complete = False
        while not complete:
            complete, more = _round(public, private, gone, k, size, h, budget, effort)
            spent = effort.allowance() <= 0
            if not complete and (spent or not more.any()):
                raise ParameterError(
                    f"The moles of up to {counted(size, 'item')} cannot all be found within the "
                    f"{'effort' if spent else 'budget'} of mm. Lower the set size of the guarantee (now {largest:g}), "
                    f"leave out very long transactions, or raise the {'effort' if spent else 'budget'} of mm."
                )
            gone = gone | more
    return gone, False


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
    for size, budget, work in BOUND:
        if size <= m:
            _, offsets, members = _moles(left, None, k, size, 1.0, budget, work)
            least += packed(offsets, members, price)
    return least


def _round(
    public: Baskets,
    private: Baskets | None,
    gone: Mask,
    k: int,
    p: int,
    h: float,
    budget: int,
    effort: Effort | None,
) -> tuple[bool, Mask]:
    """One mining with items `gone`: whether it was complete, and what its moles make one suppress."""
    left = public.only(~gone)
    complete, offsets, members = _moles(left, private, k, p, h, budget, READS * max(budget, BUDGET), effort)
    more = np.zeros(public.d, np.bool_)
    more[np.flatnonzero(~gone)] = suppress_greedily(offsets, members, left.supports())
    return complete, more


def _moles(
    public: Baskets,
    private: Baskets | None,
    k: int,
    p: int,
    h: float,
    budget: int,
    work: int,
    effort: Effort | None = None,
) -> tuple[bool, Ints, Ids]:
    """Minimal moles of at most p public items: all of them?, offsets, items. Every item is in at least k rows."""
    words = np.random.default_rng(20080).integers(1, 2**63 - 1, public.d, np.int64)
    secrets = NO_SECRETS if private is None else (private.indptr, private.indices, private.d, h)
    used = np.zeros(1, np.int64) if effort is None else np.array([0, effort.allowance()], np.int64)
    complete, offsets, members, _ = mine(
        public.indptr, public.indices, np.ones(public.n, np.int64), public.d, public.d, secrets, k, p, words,
        np.zeros(4096, np.int64), used, budget, work,
    )  # fmt: skip
    if effort is not None:
        effort.leave(int(used[1]))
    return bool(complete), offsets, members
