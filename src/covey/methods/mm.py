"""MM: total suppression of public items until no mole is left (Xu et al. 2008, section 4, for (h, k, p)-coherence).

Data flow: public and private part → minimal moles, mined once, depth-first → greedily suppress the item with most
minimal moles per occurrence → publication. If that takes too much memory or work, they are taken by size. The cost is
that of mining the moles, which `work` limits. Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets, Taxonomy
from covey.data.jit import kernel
from covey.errors import ParameterError
from covey.guarantees.coherence import Coherence
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.rare_sets import NO_SECRETS
from covey.methods.threats import mine
from covey.methods.work import WORK, WORK_HELP, WorkLimit
from covey.parameters import parameter
from covey.progress import Progress

#: One search for all moles, and if that fails one for each size: the first may take half of what all may.
PARTS = 2
#: Members of moles that are held at once.
MEMBERS = 50_000_000

#: Members and millions of steps for the pairs, and the triples, behind the bound, which needs not all of them.
BOUND = ((2, 8_000_000, 1_200), (3, 2_000_000, 300))


@dataclass(frozen=True, slots=True, kw_only=True)
class MM(RecodesSets):
    """Suppression of whole items; keeps ``coherence`` and, as its special case, ``km-anonymity``.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> MM(seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'ale'}
    """

    name = "mm"

    taxonomy: Taxonomy | None = parameter(
        None, expert=True, says="Only checked to hold all items of the data; nothing is generalized."
    )
    work: int = parameter(
        2 * WORK,
        at_least=1,
        label="Work for the search",
        says=f"{WORK_HELP} If the moles of one size take more, there is no release: all of them must be found.",
        cut_short="There were too many moles to choose among all of them at once, so they were handled by size; more "
        "work, or a smaller set size, may keep more items.",
    )

    def recode(self, data: Baskets, promise: Coherence | KmAnonymity, progress: Progress) -> Recoded:
        """Items as they are, without those that make moles."""
        progress("suppressing", 0.0)
        public, private, k, p, h = as_coherence(data, promise)
        if self.taxonomy is not None:
            self.taxonomy.bind(public.items)
        guarded = private if h < 1 else None
        limit = WorkLimit(self.work, progress, stage="suppressing", parts=PARTS)
        gone = moles_suppressed(public, guarded, k, p, h, limit)
        published = public.only(~gone).with_sensitive([])
        return Recoded(
            published,
            recoding={item: item for item in published.items},
            private=private,
            notes=("work",) if limit.hit else (),
        )


def as_coherence(data: Baskets, promise: Coherence | KmAnonymity) -> tuple[Baskets, Baskets | None, int, float, float]:
    """Return the public items, the private ones to publish beside them, and k, p and h of a promise as coherence."""
    if isinstance(promise, Coherence):
        return (*data.split(), promise.k, promise.p, promise.h)
    return data, None, promise.k, promise.m, 1.0


def moles_suppressed(
    public: Baskets, private: Baskets | None, k: int, largest: float, h: float, limit: WorkLimit
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
    public: Baskets, private: Baskets | None, gone: Mask, k: int, p: int, h: float, limit: WorkLimit
) -> tuple[bool, Mask]:
    """One mining with items `gone`: whether it was complete, and what its moles make one suppress."""
    left = public.only(~gone)
    complete, offsets, members = _moles(left, private, k, p, h, limit, MEMBERS)
    more = np.zeros(public.d, np.bool_)
    more[np.flatnonzero(~gone)] = suppress_greedily(offsets, members, left.supports())
    return complete, more


def _moles(
    public: Baskets, private: Baskets | None, k: int, p: int, h: float, limit: WorkLimit, most: int
) -> tuple[bool, Ints, Ids]:
    """Minimal moles of at most p public items: all of them?, offsets, items. Every item is in at least k rows."""
    words = np.random.default_rng(20080).integers(1, 2**63 - 1, public.d, np.int64)
    # Copies, because kernels are compiled once more for arrays that cannot be written to.
    indptr, indices = (part.copy() for part in public.csr)
    secrets = NO_SECRETS
    if private is not None:
        secrets = private.indptr.copy(), private.indices.copy(), private.d, h
    used = np.array([0, limit.allowance()], np.int64)
    complete, offsets, members, _ = mine(
        indptr, indices, np.ones(public.n, np.int64), public.d, public.d, secrets, k, p, words,
        np.zeros(4096, np.int64), used, most,
    )  # fmt: skip
    limit.spend(limit.allowance() - int(used[1]), complete=bool(complete))
    return bool(complete), offsets, members


@kernel
def suppress_greedily(offsets: Ints, members: Ids, support: Ints) -> Mask:
    """Return the items to suppress so that no mole is left: always the one with most moles per occurrence.

    A tie goes to the last item. Precondition: fewer than 2^32 moles. O(items suppressed · items + members).
    """
    d, sets = len(support), len(offsets) - 1
    gone, alive = np.zeros(d, np.bool_), np.ones(sets, np.bool_)
    moles, begin = np.zeros(d, np.int64), np.zeros(d + 1, np.int64)
    for e in range(len(members)):
        moles[members[e]] += 1
    begin[1:] = np.cumsum(moles)
    holder, cursor = np.empty(len(members), np.uint32), begin[:-1].copy()
    for s in range(sets):
        for e in range(offsets[s], offsets[s + 1]):
            holder[cursor[members[e]]] = s
            cursor[members[e]] += 1
    left = sets
    while left > 0:
        worst = np.int64(-1)
        for x in range(d):
            if moles[x] > 0 and (worst < 0 or moles[x] * support[worst] >= moles[worst] * support[x]):
                worst = x
        gone[worst] = True
        for q in range(begin[worst], begin[worst + 1]):
            s = holder[q]
            if alive[s]:
                alive[s] = False
                left -= 1
                for e in range(offsets[s], offsets[s + 1]):
                    moles[members[e]] -= 1
    return gone


@kernel
def packed(offsets: Ints, members: Ids, price: Floats) -> float:
    """Return what hitting every one of the sets costs at least, and lower `price` by what that accounts for.

    Each set in turn takes from all its members the price of the one that has least left: a feasible dual of the
    cheapest hitting set, so its value is a lower bound. Going on with more sets adds to the bound. O(members).
    """
    total = 0.0
    for s in range(len(offsets) - 1):
        least = np.inf
        for e in range(offsets[s], offsets[s + 1]):
            least = min(least, price[members[e]])
        total += least
        for e in range(offsets[s], offsets[s + 1]):
            price[members[e]] -= least
    return total
