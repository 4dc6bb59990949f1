"""What attacks on a grouped release have in common: who is suspected of what, and how guesses are counted.

Where a group counts c holders of an item, an attacker names the c members that look likeliest; the success is the
share of all occurrences that are named rightly. One guess per group and item would reward small groups: the same
attack would look stronger after groups are merged, although nobody learned anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints, offsets_of
from covey.data import Baskets
from covey.data.equal_rows import equal_rows
from covey.data.propensity import fit_propensity
from covey.errors import other_original
from covey.measure.attack_kernels import expected_hits
from covey.measure.attacks.result import AttackResult, claimed, compared
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import parts
from covey.verify.row_matching import difference

#: Rounds of fitting; the shares settle long before on all data tried.
ROUNDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """How likely each published row is to hold each sensitive item of its group."""

    #: Number of the distinct basket of each published row, and of each row of the original.
    kind: Ints
    kind_of_original: Ints
    #: How many distinct baskets there are.
    kinds: int
    #: Sorted (position in the release's counts) · kinds + kind, where that kind can hold that item.
    keys: Ints
    #: For each key, the share of the kind's members in the group that hold the item.
    share: Floats

    def of(self, entry: Ints, row: Ints) -> Floats:
        """The probability that published row ``row[i]`` holds the item that count ``entry[i]`` is of."""
        if not len(self.keys):
            return np.zeros(len(entry))
        wanted = entry * self.kinds + self.kind[row]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, self.share[at], 0.0)


def find_truth(release: GroupedRelease, public: Baskets, secret: Baskets) -> Truth:
    """Work out who holds what, given the published and the sensitive part of the original.

    A release does not say which of its rows was which original. Rows with different published items cannot be
    confused; rows with the same items can, and no attacker could tell them apart either. So holders are counted
    per *kind* of basket: of the x members of one in a group, f hold the item, and a guess at one of them is
    right with probability f/x. When several kinds in a group have holders, f is fitted to all that is known, the
    counts of the groups and the holders of each kind, assuming nothing else (iterative proportional fitting).
    """
    kind, kind_of_original, kinds = _paired(release.transactions, public)
    m = max(secret.d, 1)
    # Holders of each (kind, item), by kind.
    held, holders = np.unique(np.repeat(kind_of_original, secret.lengths()) * m + secret.indices, return_counts=True)
    first = np.searchsorted(held, np.arange(kinds + 1) * m)
    # Every published row with every item that its kind can hold and its group counts.
    able = np.flatnonzero(np.diff(first)[kind])
    options = np.diff(first)[kind[able]]
    ends = np.cumsum(options)
    of_kind = np.arange(int(options.sum())) + np.repeat(first[kind[able]] - (ends - options), options)
    group = np.searchsorted(release.group_ptr, able, side="right") - 1
    counted = release.count_group * m + release.count_item
    wanted = np.repeat(group, options) * m + held[of_kind] % m
    entry = np.searchsorted(counted, wanted)
    kept = entry < len(counted)
    kept[kept] = counted[entry[kept]] == wanted[kept]
    pairs, members = np.unique(entry[kept] * len(held) + of_kind[kept], return_counts=True)
    entry, of_kind = pairs // max(len(held), 1), pairs % max(len(held), 1)
    share = _fit(members.astype(np.float64), entry, release.count, of_kind, holders)
    keys = entry * kinds + held[of_kind] // m
    return Truth(kind=kind, kind_of_original=kind_of_original, kinds=kinds, keys=keys, share=share)


def _paired(published: Baskets, original: Baskets) -> tuple[Ints, Ints, int]:
    """The number of the distinct basket of each published and of each original row, and how many there are.

    Baskets are numbered by the original row that has each first, so that the numbers are the same in every run.
    """
    problem = difference(published, original)
    if problem:
        raise other_original(f"the release was not made from this original: {problem}")
    n = original.n
    indptr = np.concatenate([original.indptr, original.indptr[-1] + published.indptr[1:]])
    number, _, _ = equal_rows(indptr, np.concatenate([original.indices, published.indices]), original.d)
    kinds = int(number.max(initial=-1)) + 1
    first = np.full(kinds, n, np.int64)
    np.minimum.at(first, number[:n], np.arange(n))
    place = np.empty(kinds, np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(kinds)
    return place[number[n:]], place[number[:n]], kinds


def _fit(members: Floats, entry: Ints, count: Ints, of_kind: Ints, holders: Ints) -> Floats:
    """Shares f / members such that f adds up to `count` by entry and to `holders` by kind and item."""
    total = np.bincount(of_kind, members, len(holders))
    f = members * (holders / np.maximum(total, 1))[of_kind]
    for _ in range(ROUNDS):
        for label, target in ((entry, count), (of_kind, holders)):
            got = np.bincount(label, f, len(target))
            f = np.minimum(f * np.divide(target, got, out=np.zeros(len(target)), where=got > 0)[label], members)
    return f / np.maximum(members, 1)


#: Rows, about, that the model of the population learns from where there are more, and log odds held at once.
LEARNED_FROM, AT_ONCE = 1 << 18, 1 << 21
#: So often rows are divided where there are few entries, and where there are more: a report must not take much longer
#: than the release.
DIVISIONS, FEW_ENTRIES, DIVISIONS_OF_MANY = 5, 100_000, 3
#: Occurrences, about, that are guessed in all divisions together, if more divisions are needed for that.
GUESSED = 3_000
#: From so many divisions on, their own spread says how exact the mean is.
TELLING = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """What a model of the population achieves."""

    #: The share of all occurrences that it finds in the original, without the release: the mean over divisions.
    baseline: float
    #: The standard error of `baseline`: by how much it would vary if rows were divided otherwise.
    baseline_error: float
    #: How many occurrences it finds inside the groups of the release; again a mean.
    hits: float
    #: For the suspects of each item the log odds that the model gives, in the first division.
    propensity: list[Floats]


def population(study: Study) -> Population:
    """Measure what a model of the population achieves on the original and the release of `study`.

    Which rows a cross-fitted model learns from is drawn, and what it achieves varies with the draw: with few holders by
    a tenth and more. So where it is cheap, or holders are few, rows are divided several times, and means over the
    divisions are returned with their standard error.
    """
    occurrences = max(int(study.release.count.sum()), 1)
    entries = len(study.public.indices) + len(study.secret.indices)
    found = [_divided(study, division) for division in range(divisions(entries, occurrences))]
    baselines = np.array([right for right, _, _ in found]) / occurrences
    return Population(
        baseline=float(baselines.mean()),
        baseline_error=_error(baselines, occurrences),
        hits=float(np.mean([inside for _, inside, _ in found])),
        propensity=found[0][2],
    )


def divisions(entries: int, occurrences: int) -> int:
    """How often rows are divided for so much data and so many guesses.

    Examples
    --------
    >>> divisions(43_000, 600), divisions(900_000, 5_000), divisions(900_000, 29)
    (5, 1, 3)
    """
    if entries <= FEW_ENTRIES:
        return DIVISIONS
    return min(-(-GUESSED // max(occurrences, 1)), DIVISIONS_OF_MANY)


def _error(baselines: Floats, occurrences: int) -> float:
    """Return the standard error of the mean; of too few, that of as many independent guesses, which is larger."""
    if len(baselines) >= TELLING:
        return float(baselines.std(ddof=1) / np.sqrt(len(baselines)))
    mean = min(float(baselines.mean()), 1.0)
    return float(np.sqrt(mean * (1 - mean) / (occurrences * len(baselines))))


def _divided(study: Study, division: int) -> tuple[float, float, list[Floats]]:
    """Hits on the original and inside groups, and the log odds of suspects, which only the first division keeps.

    Some items at a time, for nothing may be held that is rows x items.
    """
    kind, kinds = study.truth.kind_of_original, study.truth.kinds
    seed = [study.seed, 7, *([division] if division else [])]
    model = fit_propensity(study.public, study.secret, seed=seed, suffice=LEARNED_FROM, alike=kind)
    secret, n, often = study.secret, study.secret.n, np.maximum(np.bincount(kind, minlength=kinds), 1)
    supports, holder = secret.supports(), kind[secret.row_of_entries()]
    told, right, inside, width = [], 0.0, 0.0, max(AT_ONCE // max(n, 1), 1)
    for first in range(0, secret.d, width):
        odds = model.of(np.arange(n), slice(first, first + width))
        for s in range(first, min(first + width, secret.d)):
            who = study.suspects[s]
            # Rows with the same items cannot be told apart: each is judged by the mean of its like.
            score = (np.bincount(kind, odds[:, s - first], kinds) / often)[study.truth.kind]
            suspected = score[who.rows]
            inside += float(expected_hits(who.ptr, suspected, who.share, who.count).sum())
            if not division:
                told.append(suspected)
            # The holders of each kind of basket, as in `Truth`, but over all rows at once.
            share = (np.bincount(holder[secret.indices == s], minlength=kinds) / often)[study.truth.kind]
            right += float(expected_hits(np.array([0, n]), score, share, supports[s : s + 1])[0])
            del score, share
        del odds
    return right, inside, told


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """The members of all groups that count one sensitive item."""

    item: int
    #: The groups that count it, and how often.
    groups: Ints
    count: Ints
    #: ``rows[ptr[i] : ptr[i + 1]]`` are the members of ``groups[i]``.
    ptr: Ints
    rows: Ints
    #: How likely each of `rows` is to hold the item in truth.
    share: Floats


#: What an attack makes of the suspects: a number for each of them, the likeliest holder the highest.
Scores = Callable[[Suspects], Floats]


class Study:
    """A grouped release and its original, with what several attacks need worked out once.

    Parameters
    ----------
    release, original, seed
        As for `covey.measure.attacks.run_attacks`.
    visits : int64 array or None
        How many transactions each released person has; None where a row is a transaction.
    """

    def __init__(self, release: GroupedRelease, original: Baskets, seed: int = 0, visits: Ints | None = None) -> None:
        self.release, self.seed, self.visits = release, seed, visits
        self.public, self.secret = parts(release, original)
        self.truth = find_truth(release, self.public, self.secret)

    @cached_property
    def suspects(self) -> list[Suspects]:
        """Those suspected of each sensitive item, item by item."""
        release, found = self.release, []
        by_item = np.argsort(release.count_item, kind="stable")
        edges = np.searchsorted(release.count_item[by_item], np.arange(len(release.sensitive_items) + 1))
        sizes = release.group_sizes()
        for s in range(len(release.sensitive_items)):
            entries = by_item[edges[s] : edges[s + 1]]
            groups = release.count_group[entries]
            ptr = offsets_of(sizes[groups])
            shift = np.repeat(release.group_ptr[groups] - ptr[:-1], sizes[groups])
            rows = np.arange(ptr[-1]) + shift
            share = self.truth.of(np.repeat(entries, sizes[groups]), rows)
            found.append(Suspects(item=s, groups=groups, count=release.count[entries], ptr=ptr, rows=rows, share=share))
        return found

    def hits(self, scores: Scores) -> float:
        """How many occurrences of sensitive items are guessed rightly."""
        return sum(float(expected_hits(who.ptr, scores(who), who.share, who.count).sum()) for who in self.suspects)

    @property
    def baseline(self) -> float:
        """What the model of the population achieves on the original: the N likeliest rows for N occurrences."""
        return self.population.baseline

    @cached_property
    def population(self) -> Population:
        """What a model of the population achieves, without the release and inside its groups."""
        return population(self)

    @property
    def knows(self) -> str:
        """What someone knows who has nothing but the release; released baskets do not say who is one person."""
        return (
            "Knows only the release" if self.by_row else "Knows the release, and which of its baskets are one person's"
        )

    @property
    def by_row(self) -> bool:
        """Whether baskets are attacked, and not persons with all of theirs."""
        return self.release.group_persons is None

    def _guessed(self, number: int) -> str:
        if number == 1:
            return f"1 {'occurrence of a sensitive item' if self.by_row else 'sensitive item of a person'}"
        return f"{number:,} {'occurrences of sensitive items' if self.by_row else 'sensitive items of persons'}"

    def result(
        self,
        attack: str,
        right: float,
        *,
        does: str,
        details: dict[str, Any] | None = None,
    ) -> AttackResult:
        """What an attack achieves, given its `hits`; `does` says in a sentence what it knows and does."""
        occurrences = int(self.release.count.sum())
        rate, claim = right / max(occurrences, 1), claimed(self.release)
        sizes = self.release.group_sizes()[self.release.count_group]
        chance = float((self.release.count**2 / sizes).sum()) / max(occurrences, 1)
        return AttackResult.of(
            attack,
            rate,
            claim=claim,
            chance=chance,
            baseline=self.baseline,
            baseline_error=self.population.baseline_error,
            targets=occurrences,
            explanation=(
                f"{does} Right for {{right}} of {self._guessed(occurrences)}. "
                + compared(rate, claim, self.baseline, self.population.baseline_error)
            ),
            details=details or {},
        )
