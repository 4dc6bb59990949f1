"""Carry other columns of a transaction along as items, such as ``Country=UK``; dates are rounded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from covey.data.calendar import dates_of
from covey.errors import CoveyWarning, InputError, ParameterError
from covey.io.arrow import decoded
from covey.io.baskets.columns import find

#: What dates are rounded to.
ROUNDED = ("day", "month", "quarter", "year")
#: Above this share of different values, a kept column finds a transaction by itself.
_TELLING = 0.5


def with_columns(
    table: pa.Table,
    transaction: str,
    item: str,
    columns: Sequence[str],
    *,
    same: Sequence[str] = (),
    beside: str | None = None,
    round_dates: str | None = None,
    file: str | None = None,
) -> pa.Table:
    """The rows of a table and, for each transaction and value of `columns`, one with the item ``column=value``.

    Columns `same` are kept in the new rows, and `beside` has the item's text there, too. A missing value is no item.

    Examples
    --------
    >>> table = pa.table({"order": [1, 1], "item": ["ale", "tea"], "when": ["2011-12-09", "2011-12-09"]})
    >>> with_columns(table, "order", "item", ["when"])["item"].to_pylist()
    ['ale', 'tea', 'when=2011-12']
    """
    labels = {item, *([] if beside is None else [beside])}
    names = list(dict.fromkeys((transaction, item, *same, *([] if beside is None else [beside]))))
    parts = [table.select(names)]
    dated = False
    for wanted in columns:
        name = table.column_names[find(table.column_names, wanted, file)]
        if name in names:
            raise ParameterError(f"The column '{name}' is used already: leave it out of --keep.")
        texts, dates = _texts(table.column(name), name, round_dates or "month", file)
        dated = dated or dates
        held = pc.binary_join_element_wise(
            pa.scalar(f"{name}=", pa.large_string()), texts, pa.scalar("", pa.large_string())
        )
        part = pa.table({one: held if one in labels else table.column(one) for one in names})
        part = part.filter(pc.is_valid(held)).group_by(names, use_threads=False).aggregate([])
        rows, values = part.num_rows, len(pc.unique(part.column(item)))
        if rows > 1 and values > _TELLING * rows:
            warnings.warn(
                f"The column '{name}' has {values:,} values in {rows:,} transactions: whoever knows one finds the "
                "transaction by it alone. Leave it out of --keep, or make it coarser with --query.",
                CoveyWarning,
                stacklevel=3,
            )
        parts.append(part)
    if round_dates is not None and not dated:
        raise ParameterError(
            f"--round-dates {round_dates}: no column of --keep has dates whose day and month are certain, such as "
            "2011-12-31 or 31.12.2011."
        )
    return pa.concat_tables([_as_text(part, labels) for part in parts], promote_options="permissive")


def _texts(column: pa.ChunkedArray, name: str, coarse: str, file: str | None) -> tuple[pa.Array, bool]:
    """A column as text, null where a value is missing, and whether it has dates, which are then rounded."""
    whole = column.combine_chunks()
    if pa.types.is_dictionary(whole.type):
        whole = whole.cast(whole.type.value_type)
    if pa.types.is_nested(whole.type):
        raise InputError("the column holds lists", file=file, column=name, remedy="Leave it out of --keep.")
    coded = pc.cast(whole, pa.large_string()).dictionary_encode()
    values = coded.dictionary.to_pylist()
    try:
        dates = dates_of([value.removesuffix("Z") for value in values], name)
    except InputError:
        dates = None
    if dates is not None:
        values = [_rounded(date, coarse) for date in dates]
    return pa.array(values, pa.large_string()).take(coded.indices), dates is not None


def _rounded(date: str, coarse: str) -> str:
    if coarse == "quarter":
        return f"{date[:4]}-Q{(int(date[5:7]) + 2) // 3}"
    return date[: {"day": 10, "month": 7, "year": 4}[coarse]]


def _as_text(table: pa.Table, labels: set[str]) -> pa.Table:
    """The table with text in some columns; whole numbers stored as floats are written as integers."""
    for name in labels:
        column = decoded(table.column(name).combine_chunks())
        if pa.types.is_floating(column.type) and bool(pc.all(pc.equal(pc.floor(column), column)).as_py()):
            column = pc.cast(column, pa.int64())
        table = table.set_column(table.column_names.index(name), name, pc.cast(column, pa.large_string()))
    return table
