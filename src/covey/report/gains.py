"""What attacks gain from a release, in words: of each only what it was compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.attacks.result import bar_of, right_of
from covey.attacks.titles import title_of

PROMISED = "more often than promised"
WITHOUT = "more often than someone who knows the population does without the release"
#: What is said where `gains` says nothing: intervals leave open whether a rate above the promise is above it.
NONE = f"None of them can be shown to guess right {PROMISED}, or {WITHOUT.removeprefix('more often ')}."


def gains(attacks: Sequence[Mapping[str, Any]]) -> str:
    """Which attacks are right more often than what, as `AttackResult.to_dict` tells; "" if none can be shown to be.

    Examples
    --------
    >>> one = {"attack": "pivot", "claim": 0.1, "floor": None, "beats_bar": True, "lift": 2.0}
    >>> gains([one])
    '“Guessing whom a group was built around” guesses right more often than promised.'
    >>> gains([{**one, "claim": None, "floor": 0.1, "beats_bar": False}])
    ''
    """
    beyond: dict[tuple[str, ...], list[str]] = {}
    for attack in filter(gaining, attacks):
        promised = () if attack["claim"] is None else (PROMISED,)
        without = () if attack.get("floor") is None else (WITHOUT,)
        beyond.setdefault((*promised, *without), []).append(title_of(str(attack["attack"])))
    return " ".join(f"{_listed(names)} right {', and '.join(than)}." for than, names in beyond.items())


def gaining(attack: Mapping[str, Any]) -> bool:
    """Whether an attack is right more often than claim and floor allow; earlier results knew no floor."""
    return bool(attack["beats_bar"] if "beats_bar" in attack else attack["beats_claim"])


def unpromised(attacks: Sequence[Mapping[str, Any]]) -> str:
    """How often those attacks are right of which nothing is promised, nor known without the release.

    Examples
    --------
    >>> one = {"attack": "whole", "claim": None, "success_rate": 0.5, "low": 0.49, "high": 0.51, "targets": 900}
    >>> unpromised([one])
    'Nothing is promised of “Knowing all that is published about the target”, right in 50.0 % of its guesses.'
    """
    found = [one for one in attacks if one["targets"] and bar_of(one["claim"], one.get("floor")) is None]
    told = [f"“{title_of(str(one['attack']))}”, right in {right_of(one)} of its guesses" for one in found]
    return f"Nothing is promised of {', nor of '.join(told)}." if told else ""


def _listed(names: list[str]) -> str:
    """The subject and verb of a sentence about attacks.

    Examples
    --------
    >>> _listed(["pivot"]), _listed(["pivot", "learned"])
    ('“pivot” guesses', '“pivot” and “learned” guess')
    """
    quoted = [f"“{name}”" for name in names]
    if len(names) == 1:
        return f"{quoted[0]} guesses"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]} guess"
