"""What an attack achieved next to the claim and to guessing without the release, in figures and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from covey.counting import counted, give_or_take
from covey.parameters import parse_call
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.tabular import Figures

TITLES: Mapping[str, str] = {
    "linkage": "Looking up what is known",
    "pivot": "Guessing whom a group was built around",
    "longest": "Guessing those with the most items",
    "volume": "Guessing those with the most baskets",
    "hub": "Guessing whose lookalikes are all in the group",
    "learned": "Learning which items go together",
    "strong": "Knowing the population",
    "grey": "Knowing half of the truth",
    "half known": "Knowing half of the truth, and taking it out of the sums",
    "all others known": "Knowing everything about everyone else",
    "whole": "Knowing all that is published about the target",
    "inference": "Guessing what is not known",
}

#: An attack that is right more than so many times as often as is claimed, or known without the release, is pointed out.
LIMIT = 1.3
#: A success rate is shown with its 95 % interval if that is wider than this.
WIDE = 0.1


def title_of(attack: str) -> str:
    """Return what an attack is called; its own name where nothing else is stated."""
    return TITLES.get(attack, attack)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """How often an attacker was right.

    Attributes
    ----------
    success_rate : float
        Share of the guesses that were right, 0 to 1. Against groups there are as many guesses as occurrences of
        sensitive items: where a group counts c, its c likeliest members are guessed.
    low, high : float
        95 % confidence interval of the success rate (Wilson).
    claim : float or None
        What the guarantee states that no attacker exceeds, under its assumptions; None where it states nothing.
    chance : float
        What guessing at random inside the group would give.
    baseline : float or None
        What someone who knows the population achieves without the release; None where that was not worked out. In
        expectation, no useful release can be below it.
    baseline_error : float or None
        Standard error of `baseline`, where it depends on what was drawn.
    targets : int
        Guesses made.
    explanation : str
        What the attacker knew and did, and how it came out.

    Examples
    --------
    >>> result = AttackResult.of("pivot", 0.3, claim=0.1, chance=0.1, baseline=0.2, targets=900, explanation="")
    >>> result.beats_claim, round(result.lift, 9)
    (True, 1.5)
    """

    attack: str
    success_rate: float
    low: float
    high: float
    claim: float | None
    chance: float
    baseline: float | None = None
    baseline_error: float | None = None
    targets: int
    explanation: str
    details: Figures = field(default_factory=dict)

    @classmethod
    def of(cls, attack: str, rate: float, *, targets: int, explanation: str, **figures: Any) -> AttackResult:
        """Return what came of so many guesses.

        ``{right}`` in the explanation becomes how often they were right, ``{interval}`` how far that may be off.
        """
        low, high = wilson(rate * targets, targets)
        around = f"the 95 % confidence interval is {100 * low:.1f}–{100 * high:.1f} %"
        text = explanation.replace("{right}", share_right(rate, low, high)).replace("{interval}", around)
        return cls(attack=attack, success_rate=rate, low=low, high=high, targets=targets, explanation=text, **figures)

    @property
    def right(self) -> str:
        """The success rate for people."""
        return share_right(self.success_rate, self.low, self.high)

    @property
    def beats_claim(self) -> bool:
        """Whether the attacker is right more often than claimed, beyond the error of measurement."""
        claim = self.baseline if self.claim is None else self.claim
        return claim is not None and self.low > claim

    @property
    def beats_bar(self) -> bool:
        """Whether the attacker is right more often than both claim and baseline, beyond the error of measurement."""
        bar = bar_of(self.claim, self.baseline)
        return bar is not None and self.low > bar

    @property
    def lift(self) -> float:
        """Success over claim or baseline, whichever is higher; 1 is ideal, 0 if there is neither."""
        return lift_of(self.success_rate, self.claim, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        figures = {name: getattr(self, name) for name in self.__slots__}
        derived = {"beats_claim": self.beats_claim, "beats_bar": self.beats_bar, "lift": self.lift}
        return {**figures, **derived, "details": dict(self.details)}


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a proportion (Wilson); (0, 1) when nothing was tried.

    Examples
    --------
    >>> low, high = wilson(0, 10)
    >>> low, round(high, 3)
    (0.0, 0.278)
    """
    if trials == 0:
        return 0.0, 1.0
    share, z = min(successes / trials, 1.0), 1.96
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)


def promised(release: Release, parameter: str) -> float | None:
    """Return 1 / the value of a parameter of the release's guarantee, such as k; None without such a parameter."""
    value = parse_call(release.guarantee)[2].get(parameter)
    return 1 / value if isinstance(value, int) and value > 0 else None


def claimed(release: GroupedRelease) -> float:
    """Return the probability that the release's guarantee claims no attacker exceeds: 1/p for ``degree(p)``."""
    return promised(release, "p") or worst_share(release)


def worst_share(release: GroupedRelease) -> float:
    """Return the largest count of a sensitive item in a group, as a share of the group."""
    return float((release.count / release.members()[release.count_group]).max(initial=0.0))


def percent(share: float) -> str:
    """Return a share for people: one decimal, in percent; nearly all is not all.

    Examples
    --------
    >>> percent(0.1234), percent(0.9999), percent(1)
    ('12.3 %', '99.9 %', '100.0 %')
    """
    return f"{min(100 * share, 99.9) if share < 1 else 100:.1f} %"


def share_right(success: float, low: float, high: float) -> str:
    """Return a success rate for people, with its 95 % interval where guesses are few.

    Examples
    --------
    >>> share_right(0.4, 0.39, 0.41), share_right(0.4, 0.234, 0.593)
    ('40.0 %', '40.0 % (23–59 %)')
    """
    return percent(success) + (f" ({100 * low:.0f}–{100 * high:.0f} %)" if high - low > WIDE else "")


def right_of(attack: Figures) -> str:
    """Return `share_right` of the figures of `AttackResult.to_dict`."""
    return share_right(attack["success_rate"], attack["low"], attack["high"])


def guesses_of(attack: Figures) -> str:
    """Return how often an attack is right, and in how many guesses."""
    return f"{right_of(attack)} of its {counted(attack['targets'], 'guess')}"


def baseline_of(baseline: float, error: float | None) -> str:
    """Return what is possible without the release, for people, with its standard error where there is one.

    Examples
    --------
    >>> baseline_of(0.107, 0.0052), baseline_of(0.107, None)
    ('10.70 ± 0.52 %', '10.7 %')
    """
    return f"{give_or_take(100 * baseline, 100 * error)} %" if error else percent(baseline)


def bar_of(claim: float | None, baseline: float | None) -> float | None:
    """Return what is claimed, or what is possible without the release if that is more; None where neither is known."""
    return max((bar for bar in (claim, baseline) if bar is not None), default=None)


def lift_of(success: float, claim: float | None, baseline: float | None) -> float:
    """Return a success rate relative to `bar_of`; 0 where there is no such thing."""
    bar = bar_of(claim, baseline)
    return success / bar if bar else 0.0


def compared(success: float, claim: float | None, baseline: float | None, error: float | None = None) -> str:
    """Return one sentence that sets a success rate beside the claim and the baseline with its standard error.

    Examples
    --------
    >>> compared(0.44, 0.1, 0.37)
    'Claimed: 10.0 %; without the release: 37.0 %; lift: 1.19.'
    >>> compared(0.44, 0.2, None), compared(0.44, None, None)
    ('Claimed: 20.0 %; lift: 2.20.', 'Nothing is claimed of this.')
    """
    first = "Nothing is claimed of this" if claim is None else f"Claimed: {percent(claim)}"
    known = "" if baseline is None else f"; without the release: {baseline_of(baseline, error)}"
    lift = f"; lift: {lift_of(success, claim, baseline):.2f}" if bar_of(claim, baseline) else ""
    return f"{first}{known}{lift}."


def ratios_of(attack: Figures) -> tuple[float | None, float | None]:
    """Return how many times as often an attack is right as is claimed, and as is possible without the release.

    Examples
    --------
    >>> ratios_of({"success_rate": 0.5, "claim": 0.1, "baseline": 0.4})
    (5.0, 1.25)
    """
    rate, claim, baseline = attack["success_rate"], attack.get("claim"), attack.get("baseline")
    return (rate / claim if claim else None), (rate / baseline if baseline else None)


def exceeds(attack: Figures, limit: float = LIMIT) -> bool:
    """Return whether an attack is right more than `limit` times as often as is claimed or known without the release."""
    return any(ratio is not None and ratio > limit for ratio in ratios_of(attack))


PROMISED = f"more than {LIMIT:g} times as often as promised"
WITHOUT = f"more than {LIMIT:g} times as often as someone who knows the population does without the release"
#: The sentence where `gains` returns nothing.
NO_GAINS = f"None of them guesses right {PROMISED}, or {WITHOUT}."


def gains(attacks: Sequence[Figures]) -> str:
    """Return what each attack exceeds that `exceeds` points out, from `AttackResult.to_dict`; "" if none does.

    Examples
    --------
    >>> gains([{"attack": "pivot", "claim": 0.1, "baseline": None, "success_rate": 0.2}])
    '“Guessing whom a group was built around” guesses right more than 1.3 times as often as promised.'
    """
    beyond: dict[str, list[str]] = {}
    for attack in filter(exceeds, attacks):
        both = zip((PROMISED, WITHOUT), ratios_of(attack), strict=True)
        than = ", and ".join(words for words, ratio in both if ratio is not None and ratio > LIMIT)
        beyond.setdefault(than, []).append(f"“{title_of(attack['attack'])}”")
    sentences = []
    for than, (*most, last) in beyond.items():
        subject = f"{', '.join(most)} and {last} guess" if most else f"{last} guesses"
        sentences.append(f"{subject} right {than}.")
    return " ".join(sentences)


def unpromised(attacks: Sequence[Figures]) -> str:
    """Return how often those attacks are right of which nothing is promised, nor known without the release.

    Examples
    --------
    >>> one = {"attack": "whole", "claim": None, "success_rate": 0.5, "low": 0.49, "high": 0.51, "targets": 900}
    >>> unpromised([one])
    'Nothing is promised of “Knowing all that is published about the target”, right in 50.0 % of its 900 guesses.'
    """
    found = [one for one in attacks if one["targets"] and bar_of(one["claim"], one.get("baseline")) is None]
    named = [f"“{title_of(one['attack'])}”, right in {guesses_of(one)}" for one in found]
    return f"Nothing is promised of {', nor of '.join(named)}." if named else ""
