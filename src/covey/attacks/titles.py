"""What the attacks are called in pages and reports, by what someone does."""

from __future__ import annotations

from collections.abc import Mapping

TITLES: Mapping[str, str] = {
    "linkage": "Looking up what is known",
    "pivot": "Guessing whom a group was built around",
    "longest": "Guessing those with the most items",
    "hub": "Guessing whose lookalikes are all in the group",
    "learned": "Learning which items go together",
    "strong": "Knowing the population",
    "grey": "Knowing half of the truth",
    "whole": "Knowing all that is published about the target",
    "inference": "Guessing what is not known",
}


def title_of(attack: str) -> str:
    """What an attack is called; its own name where nothing else is said.

    Examples
    --------
    >>> title_of("linkage"), title_of("mine")
    ('Looking up what is known', 'mine')
    """
    return TITLES.get(attack, attack)
