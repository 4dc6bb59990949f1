"""Exchanges between groups that make estimates better without changing what the groups count.

Rows without sensitive items change places between groups as long as that brings what equal shares tell of the holders
of each sensitive item closer to the truth: how many of them hold each item, each pair of frequent items, how long their
baskets are and how likely they were to be holders. Sizes and counts stay, and with them the privacy degree. What few
holders have is never fitted: to tell what single holders bought is to give them away. Of that, what the groups told
before the exchanges is kept as far as it goes. The attack `grey` audits the release before and after, and exchanges
that help it too much are made again more carefully, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets, Records
from covey.data.propensity import propensities
from covey.guarantees.degree import Degree
from covey.lazy import load
from covey.methods.base import Groups, GroupsBaskets
from covey.parameters import parameter
from covey.progress import Progress
from covey.release.base import Release
from covey.release.kinds import release_kind

#: Baskets that the models of propensity learn from, about, where there are more.
LEARNED_FROM = 200_000
#: How much more often `grey` may be right after exchanges than before.
ALLOWED = 0.03
#: From bold to careful: what fewer holders than this have is not fitted, but left as the groups tell it; and how far
#: the rest is brought towards the truth. Deviance is much like a square: half of the way takes most of it away, and
#: tells much less of what single holders have.
STEPS = ((2, 1.0), (2, 0.5), (3, 0.5), (3, 0.25))
#: Frequent items of which pairs are fitted, and how much a pair counts.
FREQUENT, PAIR = 30, 0.5
#: Classes of length; classes of propensity, and how much each of these counts.
LENGTHS, LEVELS, LEVEL = 4, 10, 4.0
#: Sweeps over the rows, others tried for each, and the share of rows that must move for another sweep.
SWEEPS, TRIES, ENOUGH = 8, 32, 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangesBaskets(GroupsBaskets):
    """A method that can exchange baskets between its groups when they are made."""

    swaps: bool = parameter(
        False,
        says="Exchange baskets without sensitive items between groups for better estimates; only as far as the attack "
        "grey gains next to nothing by it.",
        cut_short="No baskets were exchanged between groups, as swaps asks for: the attack grey gains too much by it.",
    )

    def release(self, data: Baskets | Records, promise: Degree, progress: Progress) -> Release:
        """Put the transactions into groups, exchange some if that is wanted and does no harm, and publish them."""
        made = self.arranged(data, promise, progress)
        plain = self.published(data, made, promise)
        return self._exchanged(data, made, plain, promise, progress) if self.swaps else plain

    def _exchanged(
        self, data: Baskets | Records, made: Groups, plain: Release, promise: Degree, progress: Progress
    ) -> Release:
        """The release after the boldest exchanges that do no harm."""
        named = data.as_baskets().person
        person = np.arange(data.n) if named is None else named
        public, secret = data.to_group().split()
        home = np.empty(public.n, np.int64)
        home[person] = made.group
        # Persons with equally many transactions: then groups keep their sizes in either.
        often = np.bincount(person, minlength=public.n)
        seed = None if self.seed is None else [self.seed, 3]
        odds = self.log_odds(public, secret)
        right = grey_finds(plain, data.as_baskets())
        for number, (few, way) in enumerate(STEPS):
            progress("exchanging", number / len(STEPS))
            moved = exchanged(home, made.number, public, secret, odds, often, seed, few=few, way=way)
            swapped = self.published(data, made._replace(group=moved[person]), promise)
            if grey_finds(swapped, data.as_baskets()) <= right + ALLOWED:
                return swapped
        return self.published(data, made._replace(notes=(*made.notes, "swaps")), promise)

    def log_odds(self, public: Baskets, secret: Baskets) -> Floats:
        """How likely each row is to hold each sensitive item."""
        seed = None if self.seed is None else [self.seed, 2]
        return propensities(public, secret, seed=seed, rounds=5, suffice=LEARNED_FROM)


def exchanged(
    group: Ints,
    groups: int,
    public: Baskets,
    secret: Baskets,
    odds: Floats,
    alike: Ints,
    seed: Any,
    *,
    few: int,
    way: float,
) -> Ints:
    """The group of each row after exchanges.

    Parameters
    ----------
    group, groups
        The group of each row, and how many there are.
    public, secret : Baskets
        Ordinary and sensitive items of the same rows.
    odds : float array
        Rows x sensitive items: the log odds that a row holds an item.
    alike : int64 array
        Only rows with the same number change places.
    seed : int, list of int or None
        Draws who may change places with whom.
    few, way
        One of `STEPS`.
    """
    from covey.kernels.methods.swaps import sweep, told_by_groups
    from covey.kernels.shared.csr import transpose

    rng, group = np.random.default_rng(seed), group.copy()
    cells, count = np.unique(np.repeat(group, secret.lengths()) * secret.d + secret.indices, return_counts=True)
    counting, shared = np.divmod(cells, secret.d)
    share_ptr = np.searchsorted(counting, np.arange(groups + 1))
    shares = share_ptr, shared.astype(np.int32), count / np.bincount(group, minlength=groups)[counting]
    suspects = [np.isin(group, counting[shared == s]) for s in range(secret.d)]
    has, weight, aim = features(public, secret, odds, suspects)
    guess = np.zeros(aim.shape)
    told_by_groups(group, *shares, *has, guess)
    aim = np.where(aim >= few, guess + way * (aim - guess), np.where(aim >= 0, guess, aim))
    plain = secret.lengths() == 0
    holders = np.flatnonzero(~plain)
    holders = holders[np.argsort(group[holders], kind="stable")]
    holder_ptr = np.searchsorted(group[holders], np.arange(groups + 1))
    by_item = transpose(public.indptr, public.indices, public.d)
    for _ in range(SWEEPS):
        among = rng.permutation(np.flatnonzero(plain & (np.diff(share_ptr) > 0)[group]))
        who = among, plain, alike, group, holder_ptr, holders.astype(np.int32), *by_item
        moved, _ = sweep(*who, TRIES, rng, *shares, *has, aim, guess, weight)
        if moved <= ENOUGH * len(among):
            break
    return group


def grey_finds(release: Release, original: Baskets) -> float:
    """How often the attack `grey` is right."""
    kind = release_kind(release.kind)
    attacked = (release, original) if kind.by_person is None else load(kind.by_person)(release, original)
    return float(load(kind.attacks["grey"])(*attacked).success_rate)


def features(
    public: Baskets, secret: Baskets, odds: Floats, suspects: list[Any]
) -> tuple[tuple[Ints, Ids], Floats, Floats]:
    """What each row has, ascending, as sparse rows; how much it counts; and how many holders have it.

    The last, sensitive items x features, is -1 where a feature is about another sensitive item.
    """
    from scipy.sparse import csr_array, hstack

    n, m = odds.shape
    items = public.to_scipy().astype(np.float64)
    often = np.argsort(-public.supports(), kind="stable")[:FREQUENT]
    first, second = np.triu_indices(len(often), 1)
    top = items[:, often].tocsc()
    long = classes(public.lengths(), np.ones(n, np.bool_), LENGTHS)
    likely = [classes(odds[:, s], suspects[s], LEVELS) for s in range(m)]
    blocks = [items, top[:, first].multiply(top[:, second]), long, *likely]
    table = csr_array(hstack(blocks, format="csr"))
    table.sort_indices()
    sizes = [block.shape[1] for block in blocks]
    weight = np.repeat([1.0, PAIR, 1.0, *[LEVEL] * m], sizes)
    weight[: public.d] += 100 * public.supports() / max(n, 1)
    aim = (secret.to_scipy().astype(np.float64).T @ table).toarray()
    owner = np.repeat([-1, -1, -1, *range(m)], sizes)
    aim[(owner >= 0) & (owner != np.arange(m)[:, None])] = -1
    return (table.indptr.astype(np.int64), table.indices.astype(np.int32)), weight, aim


def classes(values: Any, among: Any, number: int) -> Any:
    """Rows x classes: which of so many quantiles, those of the rows `among` some, a row's value is in."""
    from scipy.sparse import csr_array

    cuts = np.quantile(values[among], np.arange(1, number) / number) if among.any() else np.zeros(number - 1)
    n = len(values)
    return csr_array((np.ones(n), np.searchsorted(cuts, values), np.arange(n + 1)), shape=(n, number))
