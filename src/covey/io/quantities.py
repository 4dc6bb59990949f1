"""How many of an item were bought: a column that is used, as classes of amounts, or said to be ignored."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Bytes, Floats, Ids, Ints
from covey.data import Baskets
from covey.data.amounts import SIGN
from covey.data.csr import rows_from_pairs
from covey.errors import IgnoredQuantities, InputError, ParameterError, ReturnedItems
from covey.io.arrow import Place
from covey.io.baskets.columns import find, usual
from covey.io.interning import Growing, Interner

QUANTITY_NAMES = (
    "quantity", "qty", "quantity_sold", "quantity_ordered", "order_quantity", "units", "units_sold", "pieces", "menge",
    "anzahl", "cantidad", "quantite", "quantité",
)  # fmt: skip


NO_QUANTITIES = (
    "Only a table with a row per transaction and item says how many of an item there were: leave --quantity out."
)

#: Where classes of amounts begin, unless someone says otherwise: 1, 2 to 5, 6 and more.
USUAL_CLASSES = (1, 2, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """That a column says how many, and the classes into which this is put."""

    column: str
    #: The least amount of each class, the first of which is 1.
    starts: tuple[int, ...] = USUAL_CLASSES

    @classmethod
    def of(cls, column: str | None, classes: str | Sequence[int] | None) -> Amounts | None:
        """What was said of quantities; None when nothing was.

        Examples
        --------
        >>> Amounts.of("Quantity", "1,2,10").names()
        ['1', '2-9', '10+']
        """
        if column is None:
            if classes is not None:
                raise ParameterError("Classes of quantities need the column with the quantity: give --quantity COLUMN.")
            return None
        if classes is None:
            return cls(column=column)
        given = classes.split(",") if isinstance(classes, str) else list(classes)
        try:
            starts = tuple(int(part) for part in given)
        except (TypeError, ValueError):
            starts = ()
        if not starts or starts[0] != 1 or any(one >= other for one, other in pairwise(starts)):
            raise ParameterError(
                "Classes of quantities are given by the least quantity of each, from 1 upwards, such as 1,2,6 for 1, "
                f"2 to 5, and 6 or more. Got {classes!r} instead."
            )
        return cls(column=column, starts=starts)

    def among(self, columns: Sequence[str], file: str | None) -> Amounts:
        """The same with the column as a table writes it."""
        return replace(self, column=columns[find(columns, self.column, file)])

    def names(self) -> list[str]:
        """What the classes are called, behind the item."""
        ends = [start - 1 for start in self.starts[1:]]
        spans = zip(self.starts, ends, strict=False)
        return [*(f"{a}" if a == b else f"{a}-{b}" for a, b in spans), f"{self.starts[-1]}+"]


class UsedQuantities:
    """Collects the quantity of each row, which must be a whole number, and puts items into classes by it.

    The rows of one item in one transaction are added up; if nothing is left, because it was returned, the item is not
    in the transaction, and this is said.
    """

    def __init__(self, amounts: Amounts, file: str | None) -> None:
        self.column, self.amounts, self.file = amounts.column, amounts, file
        self._quantity = Growing(np.float64)

    def add_cells(self, buffer: Bytes, starts: Ints, stops: Ints, lines: Ints) -> None:
        """Take the cells of a portion of text; each distinct one is read once."""
        ids, codes, values = _numbers(buffer, starts, stops, lines)
        for known, value in enumerate(values):
            if value is None or not float(value).is_integer():
                problem, remedy = _no_quantity(ids.token(known).decode("utf-8", "replace"))
                raise InputError(problem, file=self.file, line=ids.line(known), column=self.column, remedy=remedy)
        self._quantity.room(len(codes))[:] = np.array(values, np.float64)[codes]

    def add_array(self, array: pa.Array, place: Place) -> None:
        """Take the values of a batch, which stands at `place`."""
        try:
            values = pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            values = np.array([_number(str(value).encode()) for value in array.to_pylist()], np.float64)  # None is NaN
        odd = np.flatnonzero(~(values == np.rint(values)) | ~np.isfinite(values))
        if len(odd):
            raise place.wrong(int(odd[0]), *_no_quantity(array[int(odd[0])].as_py()))
        self._quantity.room(len(values))[:] = values

    def baskets(self, row_of: Ids, item_of: Ids, labels: Sequence[str], count: int) -> Baskets:
        """The baskets of `count` transactions, whose rows hold these items, with a label for each class of an item."""
        names = self.amounts.names()
        pair, place = np.unique(row_of.astype(np.int64) * len(labels) + item_of, return_inverse=True)
        total = np.bincount(place.reshape(-1), weights=self._quantity.finish(), minlength=len(pair))
        kept = total >= 1
        self._tell_returns(pair // len(labels), kept, count)
        pair, total = pair[kept], total[kept]
        kind = np.searchsorted(self.amounts.starts, total, side="right") - 1
        distinct, code = np.unique((pair % len(labels)) * len(names) + kind, return_inverse=True)
        split = [f"{labels[one // len(names)]}{SIGN}{names[one % len(names)]}" for one in distinct.tolist()]
        indptr, indices = rows_from_pairs(
            (pair // len(labels)).astype(np.int32), code.reshape(-1).astype(np.int32), count
        )
        return Baskets.build(indptr, indices, split)

    def _tell_returns(self, row: Ints, kept: Any, count: int) -> None:
        gone = int((~kept).sum())
        if gone:
            left = np.zeros(count, np.bool_)
            left[row[kept]] = True
            warnings.warn(ReturnedItems(self.column, gone, count - int(left.sum())), stacklevel=2)


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
        _, codes, values = _numbers(buffer, starts, stops, np.zeros(len(starts), np.int64))
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


def _no_quantity(value: Any) -> tuple[str, str]:
    """What is wrong with a quantity, and what to do."""
    missing = value is None or value != value or not str(value).strip()
    return (
        "the quantity is missing" if missing else f"'{value}' is not a whole number",
        "Correct it, or leave --quantity out: an item then counts once, however many there were.",
    )


def _numbers(buffer: Bytes, starts: Ints, stops: Ints, lines: Ints) -> tuple[Interner, Ids, list[Any]]:
    """The distinct cells of a portion of text, which of them each cell is, and the number that each holds."""
    ids, codes = Interner("quantities", 64), np.empty(len(starts), np.int32)
    ids.add(buffer, starts, stops, lines, codes)
    return ids, codes, [_number(ids.token(known)) for known in range(len(ids))]


def _number(raw: bytes) -> Any:
    """The number a cell holds, NaN for an empty one, None for one that holds something else."""
    try:
        return float(raw) if raw.strip() else float("nan")
    except ValueError:
        return None
