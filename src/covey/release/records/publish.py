"""Publishing records without leaking: attributes and items of a person are shuffled together."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Table
from covey.release.base import Statement
from covey.release.records.model import RecordsRelease
from covey.release.table.publish import table


def records(
    attributes: Table, items: Baskets, group: Ints, groups: int, *, made: Statement, seed: int | None
) -> RecordsRelease:
    """Make a release from the class of each person, and from the items that each is to be published with.

    Parameters
    ----------
    attributes : Table
        Those of the original; each class is published as what covers it.
    items : Baskets
        What each person is published with; labels that nobody has are dropped.
    group : int64 array
        The class of each person, in ``range(groups)``, none of them unused.
    groups : int
        How many classes there are.
    made : Statement
        How it was made.
    seed : int or None
        For the order of the persons; None draws from the system's entropy.
    """
    order = np.random.default_rng(seed).permutation(attributes.n)
    return RecordsRelease(
        attributes=table(attributes, group, groups, made=made, order=order),
        baskets=items.only(items.supports() > 0).take(order),
        made=made,
    )
