"""Hilbert: rows along a space-filling curve, cut optimally into groups (Ghinita et al., VLDB 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from covey.data import Table
from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.methods.extents import extents_of, merged
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.table import publish as publish_table
from covey.release.table.model import TableRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Hilbert:
    """Order the rows along a Hilbert curve and cut the line into groups of k to 2k-1 rows with least loss.

    Parameters
    ----------
    bits : int
        Resolution of the curve in each column, 1 to 32.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> people = Table.of({"age": [21, 40, 23, 44], "sex": ["f", "m", "f", "m"]})
    >>> Hilbert(seed=0).anonymize(people, guarantee("k-anonymity(k=2)")).distinct_rows()
    [('[21-23]', 'f'), ('[40-44]', 'm')]
    """

    name: ClassVar[str] = "hilbert"

    bits: int = 8
    seed: int | None = None

    def __post_init__(self) -> None:
        if integer(self.name, "bits", self.bits, minimum=1) > 32:
            raise ParameterError(
                f"The 'bits' parameter of {self.name} must be an integer <= 32. Got {self.bits} instead."
            )
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"bits": self.bits}

    def anonymize(self, data: Table, guarantee: Guarantee, *, progress: Progress = silent) -> TableRelease:
        """Return a release of `data` whose rows are alike in groups that keep `guarantee`."""
        from covey.kernels.methods.hilbert import hilbert_keys, optimal_cuts

        guarantee.require_feasible(data)  # type: ignore[arg-type]
        progress("ordering", 0.0)
        keys = hilbert_keys(grid(data, self.bits), self.bits)
        order = np.lexsort(keys.T[::-1])
        progress("grouping", 0.0)
        e = extents_of(data, guarantee)
        group, groups = merged(e, optimal_cuts(e.codes, order, e.scale, e.k), order)
        progress("publishing", 0.0)
        return publish_table.table(
            data,
            group,
            groups,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )


def grid(data: Table, bits: int) -> NDArray[np.uint32]:
    """The rows as points of a grid with 2**bits lines in each direction; missing numbers on the last line."""
    columns = []
    for column in data.of_role("quasi"):
        if column.numeric:
            places = np.minimum(column.positions(), 1.0)
        else:
            places = np.arange(len(column.values)) / max(len(column.values) - 1, 1)
        columns.append((places * (2**bits - 1)).astype(np.uint32)[column.codes])
    return np.stack(columns, axis=1)
