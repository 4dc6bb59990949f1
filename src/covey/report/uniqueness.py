"""How well exact ratings still tell people apart, in words."""

from __future__ import annotations

from typing import NamedTuple

from covey.counting import percent
from covey.tabular import Figures

#: A larger share of records that can be told apart must not be overlooked.
FEW = 0.05


class Telling(NamedTuple):
    """How well exact ratings tell records apart, in words; `warns` where that must not be overlooked."""

    text: str
    warns: bool


def telling(found: Figures, *, whose: str = "published records") -> Telling | None:
    """Return the figures of `covey.measure.uniqueness.before_and_after` in words; None where there are none.

    Examples
    --------
    >>> one = {"unique": 0.97, "singled_out": [{"known": 2, "share": 0.94}]}
    >>> telling({"after": one}).text
    'By exact ratings, 97 % of the published records are unique; 2 known ratings fit only one record in 94 % of cases.'
    """
    if not found:
        return None
    after, before = single_shares(found["after"]), single_shares(found.get("before"))
    few = [known for known in after if known != "all"]
    shown = next((known for known in few if after[known] > FEW), few[-1] if few else None)
    text = f"By exact ratings, {percent(after['all'])} of the {whose} are unique"
    if shown is not None:
        known = "1 known rating fits" if shown == "1" else f"{shown} known ratings fit"
        text += f"; {known} only one record in {percent(after[shown])} of cases"
    if before:
        both = f" and {percent(before[shown])}" if shown in before else ""
        text += f". In the original it was {percent(before['all'])}{both}"
    return Telling(f"{text}.", max(after.values()) > FEW)


def single_shares(one: Figures | None) -> dict[str, float]:
    """Return how often what is known of a record fits one record only, by what is known, from little to all."""
    if one is None:
        return {}
    return {**{str(risk["known"]): float(risk["share"]) for risk in one["singled_out"]}, "all": float(one["unique"])}
