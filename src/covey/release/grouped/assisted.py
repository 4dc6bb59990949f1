"""A second estimate of counts: who in a group holds a sensitive item, judged by what all groups together tell.

The estimate of Ghinita et al. takes every member of a group as equally likely to hold the group's sensitive items.
Where groups were mixed by chance, their counts say more: items that are frequent wherever a sensitive item is counted
speak for a holder (Kifer, Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009; here it serves an analyst, who must
not be denied what an attacker has). The shares of a group are then a mixture of equal ones and of those of naive Bayes,
and groups that were held out of the fit choose the weight of the mixture.

Held-out groups can only say *where* an item is counted, never who holds it. That is the same question where groups were
mixed by chance, and another one where a method put similar transactions together: there all members look like holders,
and a model would be sure of the wrong thing. So it is used only where groups are hardly more alike than chance makes
them (`LIKENESS`), and otherwise says that it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from covey.arrays import Floats, Ints, Mask
from covey.kernels.shared.groups import sums_by_group, sums_by_member, sums_over_groups
from covey.plain import Plain

if TYPE_CHECKING:
    from covey.release.grouped.model import GroupedRelease

#: Parts into which groups are cut, each held out once; fewer groups than this with the item allow no choice.
FOLDS = 5
#: Weights of the model in the mixture that are tried, and pseudo-holders with ordinary items that smooth it.
WEIGHTS, SMOOTHING = np.linspace(0.1, 1.0, 10), (1.0, 10.0)
#: No member is taken for more than e^4 times as likely, or unlikely, as an average one.
MOST = 4.0
#: By how many standard errors the held-out groups must prefer the mixture over equal shares.
CLEARLY = 2.0
#: The largest share of the model's variance that may lie between groups (the intraclass correlation of its scores).
LIKENESS = 0.06


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Assisted:
    """How a model shares a sensitive item out.

    Attributes
    ----------
    weight : float
        Of the model in the mixture; 0 where it is not used, and shares are equal.
    likeness : float
        How much more alike the members of a group are than those of different groups, to the model: 0 as chance has
        it, 1 all alike.
    expected : float array
        For each transaction, how many of the item it is expected to hold.
    """

    weight: float
    likeness: float
    expected: Floats

    @property
    def reason(self) -> str:
        """Why the model is not used, in words; nothing where it is."""
        if self.weight > 0:
            return ""
        if self.likeness > LIKENESS:
            return "the groups were made of similar members, and groups held out of its fit could not confirm it"
        return "groups held out of the fit were not predicted better by it"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistedEstimate(Plain):
    """The answer to a count query with the help of a model.

    Attributes
    ----------
    estimate : float
        The expected count; that of equal shares where the model is not used.
    weight : float
        Of the model in the mixture with equal shares, from 0 (not used) to 1.
    reason : str
        Why the model is not used; "" where it is.
    """

    estimate: float
    weight: float
    reason: str


class Fitting:
    """What a release tells about one sensitive item; O(entries) per smoothing."""

    def __init__(self, release: GroupedRelease, item: int) -> None:
        self.sizes, self.starts, self.rows = release.group_sizes(), release.group_ptr, release.transactions
        self.size = self.sizes.astype(np.float64)
        self.count = np.zeros(release.groups)
        here = release.count_item == item
        self.count[release.count_group[here]] = release.count[here]
        self.usual = release.transactions.supports() / max(release.transactions.n, 1)

    def scores(self, learned: Mask, smoothing: float, asked: Ints) -> Floats:
        """How strongly each member of some groups speaks for a holder, learned from others with equal shares."""
        share, rows = np.where(learned, self.count / self.size, 0.0), self.rows
        held = sums_over_groups(rows.indptr, rows.indices, self.starts, share, rows.d) + smoothing * self.usual
        speaks: Floats = np.log(held / ((self.per_member(share).sum() + smoothing) * self.usual))
        found = sums_by_member(rows.indptr, rows.indices, self.starts, asked, speaks)
        return np.clip(found, -MOST, MOST, out=found)

    def per_group(self, values: Floats) -> Floats:
        """Sums over the rows of each group."""
        return sums_by_group(self.sizes, values)

    def per_member(self, values: Floats) -> Floats:
        """The value of its group for each row."""
        return np.repeat(values, self.sizes)

    def likeness(self, scores: Floats) -> float:
        """The intraclass correlation of scores (one-way analysis of variance, groups of unequal size)."""
        n, groups = len(scores), len(self.size)
        if groups < 2 or n <= groups:
            return 1.0
        between = float((self.per_group(scores) ** 2 / self.size).sum() - scores.sum() ** 2 / n)
        within = (float((scores**2).sum() - scores.sum() ** 2 / n) - between) / (n - groups)
        typical = (n - float((self.size**2).sum()) / n) / (groups - 1)
        variance = max(between / (groups - 1) - within, 0.0) / typical
        return variance / (variance + within) if variance + within > 0 else 0.0

    def gains(self, smoothing: float) -> Floats:
        """Per weight and group with the item, how much likelier than by size the mixture finds the item there."""
        fold = np.arange(len(self.size)) % FOLDS  # groups are numbered at random
        gains = []
        for part in range(FOLDS):
            out = fold == part
            found = self.scores(~out, smoothing, np.flatnonzero(out))
            odds = sums_by_group(self.sizes[out], np.exp(found, out=found))
            by_size = self.size[out] / self.size[out].sum()
            mixture = (1 - WEIGHTS[:, None]) + WEIGHTS[:, None] * (odds / odds.sum() / by_size)
            held = self.count[out]
            gains.append((held * np.log(mixture))[:, held > 0])
        return np.concatenate(gains, axis=1)

    def choose(self) -> tuple[float, float]:
        """The weight and the smoothing that held-out groups clearly prefer; weight 0 where they prefer none."""
        best, chosen = 0.0, (0.0, SMOOTHING[0])
        if np.count_nonzero(self.count) < FOLDS:
            return chosen
        for smoothing in SMOOTHING:
            for weight, gain in zip(WEIGHTS, self.gains(smoothing), strict=True):
                total, error = float(gain.sum()), float(gain.std()) * np.sqrt(len(gain))
                if total > max(best, CLEARLY * error):
                    best, chosen = total, (float(weight), smoothing)
        return chosen


def assist(release: GroupedRelease, item: int) -> Assisted:
    """Share a sensitive item out with a model where that helps, equally where it does not.

    Parameters
    ----------
    release : GroupedRelease
        What was published; nothing else is used.
    item : int
        Position among its sensitive items.
    """
    fitting = Fitting(release, item)
    learned, asked = np.ones(release.groups, np.bool_), np.arange(release.groups)
    likeness = fitting.likeness(fitting.scores(learned, SMOOTHING[0], asked))
    weight, smoothing = fitting.choose() if likeness <= LIKENESS else (0.0, SMOOTHING[0])
    if weight == 0:
        return Assisted(weight=weight, likeness=likeness, expected=equal_shares(release, item))
    odds = fitting.scores(learned, smoothing, asked)
    np.exp(odds, out=odds)
    share = weight * odds / fitting.per_member(fitting.per_group(odds))
    share += fitting.per_member((1 - weight) * (1 / fitting.size))
    return Assisted(weight=weight, likeness=likeness, expected=share * fitting.per_member(fitting.count))


def equal_shares(release: GroupedRelease, item: int) -> Floats:
    """For each transaction, how many of a sensitive item it is expected to hold if all of its group are alike."""
    here = release.count_item == item
    counts = np.zeros(release.groups)
    counts[release.count_group[here]] = release.count[here]
    sizes = release.group_sizes()
    return np.repeat(counts * (1 / sizes), sizes)
