"""CAHD: groups around sensitive transactions, from neighbours in a band matrix (Ghinita et al. 2008, section IV).

Data flow: split off the sensitive items → band order of the rest (O(entries)) → both parts in band order →
groups on linked lists (O(alpha · p) rows per sensitive transaction) → publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ids, Ints
from covey.contracts import Guarantee, Progress, silent
from covey.data import Baskets
from covey.methods.ordering import DEGREES, ORDERS, order_rows
from covey.parameters import choice, integer
from covey.release.grouped import publish
from covey.release.grouped.model import GroupedRelease

Rows = tuple[Ints, Ids]

SCORES = ("overlap", "jaccard", "coverage")


@dataclass(frozen=True, slots=True, kw_only=True)
class CAHD:
    """Correlation-aware anonymization of high-dimensional data.

    Parameters
    ----------
    alpha : int
        Candidates looked at on each side of a sensitive transaction, in multiples of p.
    order : {"rcm", "none", "random"}
        How transactions are laid out first; all but ``rcm`` are for experiments.
    score : {"overlap", "jaccard", "coverage"}
        What makes a candidate similar: the number of common items, as in the paper; their share among the
        items of both; or how much it adds to what the group already tells about the items of the sensitive
        transaction. ``coverage`` can lower errors on rare items and gives much
        more away to the attack `pivot`.
    degrees : {"proxy", "exact"}
        Vertex degrees in the ordering: the sum of the supports of a transaction's items, or the number of
        transactions that share an item with it, which costs the sum of the squared supports.
    seed : int or None
        For the publication's shuffle (and the random order). None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> CAHD(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by cahd: 4 transactions, 2 groups, 1 sensitive items)
    """

    name: ClassVar[str] = "cahd"

    alpha: int = 3
    order: str = "rcm"
    score: str = "overlap"
    degrees: str = "proxy"
    seed: int | None = None

    def __post_init__(self) -> None:
        integer(self.name, "alpha", self.alpha, minimum=1)
        choice(self.name, "order", self.order, ORDERS)
        choice(self.name, "score", self.score, SCORES)
        choice(self.name, "degrees", self.degrees, DEGREES)
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"alpha": self.alpha, "order": self.order, "score": self.score, "degrees": self.degrees}

    def anonymize(
        self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent
    ) -> GroupedRelease:
        """Return a grouped release of `data` with the privacy degree of `guarantee`."""
        guarantee.require_feasible(data)
        p: int = guarantee.p  # type: ignore[attr-defined]
        progress("ordering", 0.0)
        public, secret = data.split()
        order = order_rows(public, self.order, self.seed, self.degrees)
        progress("grouping", 0.0)
        group_of_row, groups = self.group_rows(
            (public.indptr, public.indices), public.d, (secret.indptr, secret.indices), secret.d, p, order
        )
        progress("publishing", 0.0)
        return publish.grouped(
            data,
            group_of_row,
            groups,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )

    def group_rows(self, public: Rows, d: int, secret: Rows, m: int, p: int, order: Ints) -> tuple[Ints, int]:
        """The group of each row and the number of groups, from rows given as arrays.

        Parameters
        ----------
        public, secret : pairs of arrays (indptr, indices)
            The quasi-identifier items, among `d`, and the sensitive items, among `m`, of the same rows.
        p : int
            The privacy degree; no sensitive item may be in more than 1 / p of the rows.
        order : int64 array
            The rows in band order.
        """
        from covey.kernels.methods.cahd import form_groups, place_rest
        from covey.kernels.shared.csr import take_rows

        qid, sens = take_rows(*public, order), take_rows(*secret, order)
        group, groups = form_groups(*qid, d, *sens, m, p, self.alpha, SCORES.index(self.score))
        groups = place_rest(group, groups, *qid, d, p, self.alpha, self.score == "jaccard")
        group_of_row = np.empty(len(order), np.int64)
        group_of_row[order] = group
        return group_of_row, groups
