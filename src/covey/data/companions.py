"""Ordinary items that give a sensitive one away: of the persons with them, too many hold it.

No honest release at p can keep such an association, and marking the item as sensitive too hides it. So this is what
to look at before anything is released, and what p costs: how many of the frequent associations it must destroy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from covey.data.baskets import Baskets

#: An association that fewer people share is chance or gossip, not a property of the item.
FEWEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """An ordinary item that goes with a sensitive one."""

    item: str
    sensitive: str
    #: Persons with both; baskets where no persons are named.
    together: int
    #: Persons, or baskets, with the ordinary item, and with the sensitive one.
    support: int
    holders: int
    #: Which of the two: "persons" or "baskets".
    whose: str

    @property
    def confidence(self) -> float:
        """The share of those with the ordinary item who hold the sensitive one."""
        return self.together / self.support

    def __str__(self) -> str:
        return f"{self.item} ({self.together:,} of the {self.support:,} {self.whose} with it hold {self.sensitive})"

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "confidence": self.confidence}


def companions(baskets: Baskets) -> list[Companion]:
    """Every ordinary item with every sensitive one that it shares `FEWEST` persons with, most certain first.

    Those with a confidence of at most 1/p are admissible at p: a release may tell of them. Where no persons are named,
    baskets are counted.

    Examples
    --------
    >>> rows = [["test", "vitamins"]] * 5 + [["vitamins"]] * 3 + [["beer"]] * 50
    >>> [str(found) for found in companions(Baskets.of(rows, sensitive=["test"]))]
    ['vitamins (5 of the 8 baskets with it hold test)']
    """
    public, secret = baskets.by_person().split()
    both = scipy.sparse.coo_array(public.to_scipy().astype(np.int64).T @ secret.to_scipy().astype(np.int64))
    supports, holders = public.supports(), secret.supports()
    kept = both.data >= FEWEST
    found = [
        Companion(
            item=public.items[j],
            sensitive=secret.items[s],
            together=int(together),
            support=int(supports[j]),
            holders=int(holders[s]),
            whose="baskets" if baskets.person is None else "persons",
        )
        for j, s, together in zip(both.row[kept], both.col[kept], both.data[kept], strict=True)
    ]
    return sorted(found, key=lambda one: (-one.confidence, -one.together, one.item, one.sensitive))
