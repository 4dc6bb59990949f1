"""Generators that a comparison may name: what they make, and the taxonomy that comes with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from covey.data import Taxonomy
from covey.errors import CoveyError, InputError
from covey.io.baskets.journey import complete_journey, journey_taxonomy
from covey.parameters import did_you_mean, parse_call
from covey.synth.people import people
from covey.synth.queries import queries
from covey.synth.quest import quest
from covey.synth.shop import shop
from covey.synth.survey import survey


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """One generator."""

    #: ``(**parameters) -> made``.
    make: Callable[..., Any]
    #: ``(made) -> data``.
    data: Callable[[Any], Any] = lambda made: made
    #: ``(made) -> Taxonomy`` for data that bring their own.
    taxonomy: Callable[[Any], Taxonomy] | None = None
    #: Whether it draws items from a taxonomy that it must be given.
    along: bool = False


GENERATORS = {
    "journey": Generator(
        make=complete_journey,
        taxonomy=lambda _: journey_taxonomy(),
    ),
    "queries": Generator(make=queries, along=True),
    "quest": Generator(make=quest),
    "shop": Generator(
        make=shop,
        data=attrgetter("baskets"),
        taxonomy=lambda made: Taxonomy.from_pairs(made.taxonomy),
    ),
    "people": Generator(make=people),
    "survey": Generator(make=survey),
}


def brings_taxonomy(text: str | None) -> bool:
    """Whether the data of a generator's call come with a taxonomy of their own.

    Examples
    --------
    >>> brings_taxonomy("shop(seed=1)"), brings_taxonomy("quest()"), brings_taxonomy(None)
    (True, False, False)
    """
    generator = GENERATORS.get((text or "").partition("(")[0].strip())
    return generator is not None and generator.taxonomy is not None


def generate(text: str, taxonomy: Taxonomy | None) -> tuple[Any, Callable[[], Taxonomy | None]]:
    """The data of a generator's call such as ``quest(transactions=1000, seed=1)``, and how to get their own taxonomy.

    Parameters
    ----------
    text : str
        The call.
    taxonomy : Taxonomy or None
        For generators that draw from one.
    """
    name, positional, named = parse_call(text)
    if name not in GENERATORS or positional:
        raise InputError(
            f"there is no generator {text!r}",
            remedy="Write quest(transactions=1000, seed=1), shop(…), people(…), survey(…), queries(…) or journey()."
            + did_you_mean(name, GENERATORS),
        )
    generator = GENERATORS[name]
    make = generator.make
    known = [key for key in inspect.signature(make).parameters if key not in ("progress", "taxonomy")]
    for key in named:
        if key not in known:
            raise InputError(
                f"the generator {name} has no parameter '{key}'",
                remedy=f"It takes {', '.join(known) or 'none'}.",
            )
    if generator.along and taxonomy is None:
        raise InputError(
            f"the generator {name} draws from a taxonomy, and there is none",
            remedy="Add taxonomy = FILE to the data set.",
        )
    try:
        made = make(**({"taxonomy": taxonomy} if generator.along else {}), **named)
    except CoveyError as error:
        raise InputError(f"the generator {text!r} refuses: {error}") from None
    return generator.data(made), lambda: None if generator.taxonomy is None else generator.taxonomy(made)
