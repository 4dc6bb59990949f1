"""PatternKa: rows that share a long frequent pattern are published as that pattern (PatternKa 2020, Alg. 1).

Data flow for sets: distinct rows over frequent items → from the longest patterns to the shortest, groups of all
rows that hold one → rows move where more of their items can be published → publication. Nothing is random but the
order in which rows are published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from covey.data import Baskets
from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.sets import publish

if TYPE_CHECKING:
    from covey.release.sets.model import SetsRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternKa:
    """k-anonymity by frequent patterns, of sets and of tables.

    Parameters
    ----------
    raising : bool
        Move rows to longer centers after the greedy, where every group keeps k rows.
    leftovers : bool
        Find groups for rows that share no pattern with k - 1 others that are left, with rows that other groups
        can spare. Without it they are published empty.
    effort : int
        Millions of entries that one search for patterns may read before it settles for what it has found. Only
        data in which very many sets are frequent comes near it.
    buckets : int
        Tables only: into how many equal ranges a numeric column is cut to look for patterns.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["beer", "chips", "wine"], ["beer", "chips"], ["soap"], ["soap", "rice"]])
    >>> release = PatternKa(seed=0).anonymize(baskets, guarantee("k-anonymity(k=2)"))
    >>> sorted(release.transactions.basket(row) for row in range(4))
    [['beer', 'chips'], ['beer', 'chips'], ['soap'], ['soap']]
    """

    name: ClassVar[str] = "pattern-ka"

    raising: bool = True
    leftovers: bool = True
    effort: int = 1000
    buckets: int = 20
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("raising", "leftovers"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(
                    f"The '{name}' parameter of {self.name} must be true or false. "
                    f"Got {getattr(self, name)!r} instead."
                )
        integer(self.name, "effort", self.effort, minimum=1)
        integer(self.name, "buckets", self.buckets, minimum=1)
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how a release of sets was made; never the seed."""
        return {"raising": self.raising, "leftovers": self.leftovers, "effort": self.effort}

    def anonymize(self, data: Any, guarantee: Guarantee, *, progress: Progress = silent) -> Any:
        """Return a release of `data` in which every row is published like k - 1 others.

        Sets give a `SetsRelease`, tables a table release. Items marked as sensitive are treated like all
        others: somebody who knows them finds no fewer than k rows either.
        """
        if not isinstance(data, Baskets):
            from covey.methods.pattern_ka_table import anonymize_table

            return anonymize_table(self, data, guarantee, progress)
        guarantee.require_feasible(data)
        return self._publish(data, guarantee, progress)

    def _publish(self, data: Baskets, guarantee: Guarantee, progress: Progress) -> SetsRelease:
        from covey.kernels.shared.csr import take_rows
        from covey.methods.set_groups import Rows, Search, greedy, improve, spare_rows

        k: int = guarantee.k  # type: ignore[attr-defined]
        progress("grouping", 0.0)
        rows = Rows.of(data, k)
        search = Search(rows, self.effort * 1_000_000)
        groups = greedy(rows, search, progress)
        improve(rows, groups, search, raising=self.raising, leftovers=self.leftovers)
        group = spare_rows(groups.group[rows.number], np.diff(groups.center_ptr), k)
        progress("publishing", 0.0)
        # Row -1 of the offsets is the empty center.
        center_ptr = np.append(groups.center_ptr, groups.center_ptr[-1])
        indptr, indices = take_rows(center_ptr, groups.centers, group % (groups.count + 1))
        published = Baskets.build(indptr, rows.items[indices].astype(np.int32), data.items)
        return publish.generalized(
            published, guarantee=guarantee.text, method=self.name, options=self.options(), seed=self.seed
        )
