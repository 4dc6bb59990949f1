"""How many of an item were bought: a column that baskets have no use for, which is said rather than passed over."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Bytes, Floats, Ints
from covey.errors import IgnoredQuantities
from covey.io.baskets.columns import usual
from covey.io.interning import Interner

QUANTITY_NAMES = (
    "quantity", "qty", "quantity_sold", "quantity_ordered", "order_quantity", "units", "units_sold", "pieces", "menge",
    "anzahl", "cantidad", "quantite", "quantité",
)  # fmt: skip


class QuantityColumn:
    """Counts the rows of a column whose quantity is not 1, and those where it is below 0.

    A column with a value that is no number is no quantity, and nothing is said of it.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        self.rows = self.others = self.negative = 0
        self._numeric = True

    def add_cells(self, buffer: Bytes, starts: Ints, stops: Ints) -> None:
        """Take the cells of a portion of text; each distinct one is read once."""
        ids = Interner("quantities", 64)
        codes = np.empty(len(starts), np.int32)
        ids.add(buffer, starts, stops, np.zeros(len(starts), np.int64), codes)
        values = [_number(ids.token(known)) for known in range(len(ids))]
        if None in values:
            self._numeric = False
            return
        self._count(np.array(values, np.float64)[codes])

    def add_array(self, array: pa.Array) -> None:
        """Take the values of a batch; none that Arrow does not take for numbers."""
        try:
            values = pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            self._numeric = False
            return
        self._count(values)

    def _count(self, values: Floats) -> None:
        self.rows += len(values)
        self.others += int(((values != 1) & ~np.isnan(values)).sum())
        self.negative += int((values < 0).sum())

    def tell(self) -> None:
        """Warn if an item was bought more or less than once."""
        if self._numeric and self.others:
            warnings.warn(IgnoredQuantities(self.column, self.rows, self.others, self.negative), stacklevel=2)


def quantity_columns(columns: Sequence[str], taken: Iterable[str | None]) -> list[QuantityColumn]:
    """The column that says how many, if there is one that has no other part.

    Examples
    --------
    >>> [one.column for one in quantity_columns(["InvoiceNo", "StockCode", "Quantity"], ["InvoiceNo", "StockCode"])]
    ['Quantity']
    """
    used = set(taken)
    free = [name for name in columns if name not in used]
    place = usual(free, QUANTITY_NAMES)
    return [] if place is None else [QuantityColumn(free[place])]


def _number(raw: bytes) -> Any:
    """The number a cell holds, NaN for an empty one, None for one that holds something else."""
    try:
        return float(raw) if raw.strip() else float("nan")
    except ValueError:
        return None
