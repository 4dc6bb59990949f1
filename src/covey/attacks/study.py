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

from covey.arrays import Floats, Ints
from covey.attacks.population import Population, population
from covey.attacks.result import AttackResult, claimed, compared
from covey.attacks.truth import find_truth
from covey.data import Baskets
from covey.kernels.measure.attack import expected_hits
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """The members of all groups that count one sensitive item.

    Attributes
    ----------
    item : int
        The sensitive item.
    groups, count : int64 arrays
        The groups that count it, and how often.
    ptr, rows : int64 arrays
        ``rows[ptr[i] : ptr[i + 1]]`` are the members of ``groups[i]``.
    share : float array
        How likely each of `rows` is to hold the item in truth.
    """

    item: int
    groups: Ints
    count: Ints
    ptr: Ints
    rows: Ints
    share: Floats


#: What an attack makes of the suspects: a number for each of them, the likeliest holder the highest.
Scores = Callable[[Suspects], Floats]


class Study:
    """A grouped release and its original, with what several attacks need worked out once.

    Parameters
    ----------
    release, original, seed
        As for `covey.attacks.run_attacks`.
    """

    def __init__(self, release: GroupedRelease, original: Baskets, seed: int = 0) -> None:
        self.release, self.seed = release, seed
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
            ptr = np.concatenate([[0], np.cumsum(sizes[groups])])
            shift = np.repeat(release.group_ptr[groups] - ptr[:-1], sizes[groups])
            rows = np.arange(ptr[-1]) + shift
            share = self.truth.of(np.repeat(entries, sizes[groups]), rows)
            found.append(Suspects(item=s, groups=groups, count=release.count[entries], ptr=ptr, rows=rows, share=share))
        return found

    def hits(self, scores: Scores) -> float:
        """How many occurrences of sensitive items are guessed rightly."""
        return sum(float(expected_hits(who.ptr, scores(who), who.share, who.count).sum()) for who in self.suspects)

    @property
    def floor(self) -> float:
        """What the model of the population achieves on the original: the N likeliest rows for N occurrences."""
        return self.population.floor

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
            floor=self.floor,
            floor_error=self.population.floor_error,
            targets=occurrences,
            explanation=(
                f"{does} Right for {{right}} of {self._guessed(occurrences)}. "
                + compared(rate, claim, self.floor, self.population.floor_error)
            ),
            details=details or {},
        )
