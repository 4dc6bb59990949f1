"""Drawing sensitive items at random, as the papers' evaluations do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from covey.counting import counted
from covey.data import Baskets
from covey.errors import Infeasible, InputError
from covey.parameters import integer, number


def draw_sensitive(baskets: Baskets, *, random: int, seed: int = 0, share: float = 0.05, least: int = 1) -> Baskets:
    """Mark `random` items, drawn uniformly among those that can be protected, as the sensitive ones.

    Parameters
    ----------
    baskets : Baskets
        Marks it has are dropped.
    random : int
        How many items.
    seed : int
        For the drawing.
    share : float
        An item in more than this share of the transactions is not drawn: 0.05 keeps degree(p) feasible for
        p up to 20.
    least : int
        Nor is an item in fewer transactions than this.

    Examples
    --------
    >>> baskets = Baskets.of([["a", "b"], ["a", "c"], ["a", "d"]])
    >>> draw_sensitive(baskets, random=1, seed=0, share=0.5).sensitive_items()[0] in "bcd"
    True
    """
    if not hasattr(baskets, "supports"):
        raise InputError(
            f"sensitive items are drawn by how many have them; this is {baskets.kind}, not baskets",
            remedy="Name the sensitive issues or columns.",
        )
    integer("sensitive", "random", random, minimum=1)
    integer("sensitive", "seed", seed, minimum=0)
    integer("sensitive", "least", least, minimum=1)
    number("sensitive", "share", share, minimum=0, maximum=1)
    people = baskets.by_person()
    supports = people.supports()
    able = np.flatnonzero((supports >= least) & (supports <= share * people.n))
    if len(able) < random or random >= baskets.d:
        raise Infeasible(
            f"{counted(random, 'sensitive item')} cannot be drawn: {len(able):,} of {baskets.d:,} items are in "
            f"at least {least:,} and at most {share:.3g} of the {baskets.unit}. Draw fewer, or raise share.",
            witness=counted(len(able), "item"),
            best=min(len(able), baskets.d - 1),
        )
    drawn = np.random.default_rng(seed).choice(able, random, replace=False)
    mask = np.zeros(baskets.d, np.bool_)
    mask[drawn] = True
    return replace(baskets, sensitive=mask)
