"""Mondrian: multidimensional k-anonymity of tables by halving at medians (LeFevre et al., ICDE 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data import Table
from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.methods.extents import extents_of
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.table import publish as publish_table
from covey.release.table.model import TableRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Mondrian:
    """Halve the rows at the median of the widest column for as long as both halves keep the guarantee.

    Parameters
    ----------
    relaxed : bool
        When no cut between two values is possible any more, also cut between rows with equal values.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> people = Table.of({"age": [21, 23, 40, 44], "sex": ["f", "f", "m", "m"]})
    >>> Mondrian(seed=0).anonymize(people, guarantee("k-anonymity(k=2)")).distinct_rows()
    [('[21-23]', 'f'), ('[40-44]', 'm')]
    """

    name: ClassVar[str] = "mondrian"

    relaxed: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.relaxed not in (True, False):
            raise ParameterError(
                f"The 'relaxed' parameter of {self.name} must be true or false. Got {self.relaxed!r} instead."
            )
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"relaxed": bool(self.relaxed)}

    def anonymize(self, data: Table, guarantee: Guarantee, *, progress: Progress = silent) -> TableRelease:
        """Return a release of `data` whose rows are alike in groups that keep `guarantee`."""
        from covey.kernels.methods.mondrian import mondrian

        guarantee.require_feasible(data)  # type: ignore[arg-type]
        progress("grouping", 0.0)
        e = extents_of(data, guarantee)
        ptr, rows = mondrian(e.codes, e.scale, e.k, bool(self.relaxed), e.secret, e.ell, e.frequency)
        group = np.empty(data.n, np.int64)
        group[rows] = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        progress("publishing", 0.0)
        return publish_table.table(
            data,
            group,
            len(ptr) - 1,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )
