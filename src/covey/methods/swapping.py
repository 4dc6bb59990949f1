"""Exchanges between groups that make estimates better without changing what the groups count.

Rows without sensitive items change places between groups as long as that brings what equal shares tell of the holders
of each sensitive item closer to the truth: how many of them hold each item, each pair of frequent items, how long their
baskets are and how likely they were to be holders. Sizes and counts stay, and with them the privacy degree. What few
holders have is never fitted: to tell what single holders bought is to give them away. Of that, what the groups told
before the exchanges is kept as far as it goes. What no holder has is fitted half of the way. The attack `grey` audits
the release before and after, and exchanges that help it too much are made again more carefully, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets, Records
from covey.data.propensity import propensities
from covey.guarantees.degree import Degree
from covey.kernels.methods.swaps import sweep, told_by_groups
from covey.kernels.shared.csr import transpose
from covey.lazy import load
from covey.methods.base import Groups, GroupsBaskets
from covey.parameters import parameter
from covey.progress import Progress
from covey.release.base import Release
from covey.release.kinds import release_kind

#: Baskets that the models of propensity learn from, about, where there are more.
LEARNED_FROM = 200_000
#: How much more often `grey` may be right after exchanges than before, on average over `AUDITS` seeds. One audit errs
#: by a point or two, so that a release that seems to gain 2 points seldom gains more than 3.
ALLOWED, AUDITS = 0.02, 2
#: From bold to careful: what fewer holders than this have is not fitted, but left as the groups tell it; and how far
#: the rest is brought towards the truth. Deviance is much like a square: half of the way takes most of it away, and
#: tells much less of what single holders have.
STEPS = ((2, 1.0), (2, 0.5), (3, 0.25), (5, 0.125))
#: How much of that way is gone for what no holder has, if there are not fewer holders than that.
NOBODY = 0.5
#: Groups that tell less of holders than this share of what the clearest tells: nothing is fitted there.
FAINT = 0.2
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
        most = grey_finds(plain, data.as_baskets()) + ALLOWED
        for number, (few, way) in enumerate(STEPS):
            progress("exchanging", number / len(STEPS))
            moved = exchanged(home, made.number, public, secret, odds, often, seed, few=few, way=way)
            swapped = self.published(data, made._replace(group=moved[person]), promise)
            if grey_finds(swapped, data.as_baskets()) <= most:
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
    rng, group = np.random.default_rng(seed), group.copy()
    cells, count = np.unique(np.repeat(group, secret.lengths()) * secret.d + secret.indices, return_counts=True)
    counting, shared = np.divmod(cells, secret.d)
    share_ptr = np.searchsorted(counting, np.arange(groups + 1))
    shares = share_ptr, shared.astype(np.int32), count / np.bincount(group, minlength=groups)[counting]
    suspects = [np.isin(group, counting[shared == s]) for s in range(secret.d)]
    has, weight, aim = features(public, secret, odds, suspects)
    guess = np.zeros(aim.shape)
    told_by_groups(group, *shares, *has, guess)
    nobody = (aim == 0) & (secret.supports() >= few)[:, None]
    aim = guess + way * np.where(aim >= few, 1.0, np.where(nobody, NOBODY, 0.0)) * (aim - guess)
    # Where few of many are holders, a row more or less says next to nothing: such groups only give and take.
    highest = np.zeros(groups)
    np.maximum.at(highest, counting, shares[2])
    telling = highest >= FAINT * highest.max(initial=0.0)
    clear = telling[counting]
    shares = np.searchsorted(counting[clear], np.arange(groups + 1)), shares[1][clear], shares[2][clear]
    plain = secret.lengths() == 0
    holders = np.flatnonzero(~plain)
    holders = holders[np.argsort(group[holders], kind="stable")]
    holder_ptr = np.searchsorted(group[holders], np.arange(groups + 1))
    by_item = transpose(public.indptr, public.indices, public.d)
    for _ in range(SWEEPS):
        among = rng.permutation(np.flatnonzero(plain & telling[group]))
        who = among, plain, alike, group, holder_ptr, holders.astype(np.int32), *by_item
        moved, _ = sweep(*who, TRIES, rng, *shares, *has, aim, guess, weight)
        if moved <= ENOUGH * len(among):
            break
    return group


def grey_finds(release: Release, original: Baskets) -> float:
    """How often the attack `grey` is right, on average over some seeds."""
    kind = release_kind(release.kind)
    attacked = (release, original) if kind.by_person is None else load(kind.by_person)(release, original)
    grey = load(kind.attacks["grey"])
    return sum(float(grey(*attacked, seed=seed).success_rate) for seed in range(AUDITS)) / AUDITS


def features(
    public: Baskets, secret: Baskets, odds: Floats, suspects: list[Any]
) -> tuple[tuple[Ints, Ids, Ids], Floats, Floats]:
    """What each row has, as kernels take it; how much it counts; and how many holders have it.

    The last two are sensitive items x features.
    """
    from scipy.sparse import csr_array, hstack

    n, m = odds.shape
    items = public.to_scipy().astype(np.float64)
    often = np.argsort(-public.supports(), kind="stable")[:FREQUENT]
    first, second = np.triu_indices(len(often), 1)
    top = items[:, often].tocsc()
    length = classes(public.lengths(), np.ones(n, np.bool_), LENGTHS)
    long = csr_array((np.ones(n), length, np.arange(n + 1)), shape=(n, LENGTHS))
    blocks = [items, top[:, first].multiply(top[:, second]), long]
    table = csr_array(hstack(blocks, format="csr"))
    table.sort_indices()
    level = np.array([classes(odds[:, s], suspects[s], LEVELS) for s in range(m)], np.int64).reshape(m, n)
    likely = np.zeros((m, LEVELS))
    np.add.at(likely, (secret.indices, level[secret.indices, np.repeat(np.arange(n), secret.lengths())]), 1)
    weight = np.repeat([1.0, PAIR, 1.0, LEVEL], [*(block.shape[1] for block in blocks), LEVELS])
    # An item counts once as one of all, and once more by how frequent it is, on average; a holder of a rare sensitive
    # item more than one of many: as in errors of queries, which are about shares.
    weight[: public.d] += public.supports() * public.d / max(public.entries, 1)
    weight = weight / np.maximum(secret.supports(), 1)[:, None]
    aim = np.hstack([(secret.to_scipy().astype(np.float64).T @ table).toarray(), likely])
    has = table.indptr.astype(np.int64), table.indices.astype(np.int32), (level + table.shape[1]).astype(np.int32)
    return has, weight, aim


def classes(values: Any, among: Any, number: int) -> Ints:
    """Which of so many quantiles, those of the rows `among` some, each value is in."""
    cuts = np.quantile(values[among], np.arange(1, number) / number) if among.any() else np.zeros(number - 1)
    found: Ints = np.searchsorted(cuts, values)
    return found
