"""Rows between a file and the reader of a kind: SQL queries, rows without a value, and columns kept as items.

A query sees the columns of text with the types that their values have. It cannot read or write files, reach the
network or change settings.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Mask
from covey.data.calendar import dates_of
from covey.data.kinds import MISSING_CHOICES, MISSING_MARKERS, ROW_OPTIONS
from covey.data.labels import plain as plain_text
from covey.errors import CleanedRows, CoveyWarning, InputError, ParameterError
from covey.io.columns import find
from covey.io.loading import open_rows, other_format
from covey.io.rows import Rows, column_kind, encoded, is_text, numbered, plain
from covey.parameters import choice, did_you_mean
from covey.progress import Progress, silent

#: What the first file is called in a query.
TABLE = "data"
#: What a missing item is called when it is kept.
UNKNOWN = "(missing)"
#: What dates are rounded to.
ROUNDED = ("day", "month", "quarter", "year")
#: Above this share of different values, a kept column finds a transaction by itself.
_TELLING = 0.5
_SETTINGS = {
    "temp_directory": "",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "threads": "1",  # sums of floats must not depend on how rows are split
    "lock_configuration": "true",
}
#: Types of text, the strictest first: what every value must look like, and the Arrow type.
_TYPES: tuple[tuple[str, pa.DataType], ...] = (
    (r"^(0|-?[1-9][0-9]{0,17})$", pa.int64()),
    (r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$", pa.float64()),
    (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", pa.date32()),
    (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?$", pa.timestamp("us")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a kind of data does with columns."""

    #: Columns in which a cell must not be missing.
    needed: tuple[str, ...] = ()
    #: Those of them with names of things, which may be unknown; the others say which rows belong together.
    labels: tuple[str, ...] = ()
    #: Whether a missing value is a value, which is kept when nobody has said what becomes of it.
    is_value: bool = False


def asked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some reading options that are about preparing rows, and are given."""
    known = [option.name for option in ROW_OPTIONS]
    for option in options:
        if option not in known:
            raise ParameterError(f"There is no reading option '{option}'.{did_you_mean(option, known)}")
    return {name: options[name] for name in known if options.get(name) not in (None, False, [], ())}


def prepared(
    source: Any,
    used: Callable[[pa.Table], Used],
    options: Mapping[str, Any],
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **file: Any,
) -> Rows:
    """Read a source, run a query on it, and treat rows without a value as was asked.

    `used` returns which columns of the rows the reader uses; `options` are those of `covey.data.kinds.ROW_OPTIONS`, and
    `file` those of `covey.io.loading.open_rows`.
    """
    given = asked(options)
    about = {name: given.pop(name) for name in ("sheet", "no_header") if name in given}
    rows = open_rows(source, separator=separator, encoding=encoding, progress=progress, **about, **file)
    if not given:
        return rows
    query, also, missing = given.get("query"), given.get("also", ()), given.get("missing")
    if also and query is None:
        raise ParameterError("Several files are read together by --query 'SELECT …', in which each is a table.")
    if missing is not None:
        choice("read", "missing", missing, MISSING_CHOICES)
    markers = given.get("missing_marker") or (MISSING_MARKERS if query is not None or missing is not None else ())
    markers = [markers] if isinstance(markers, str) else markers
    table, why = without_markers(rows.table(progress), markers), dict[str, int]()
    before = table.num_rows
    if query is not None:
        tables = {} if rows.file is None else {table_name(rows.file): table}
        for one in also:
            more = open_rows(one, format=other_format(one), separator=separator, encoding=encoding).table()
            tables[table_name(one)] = without_markers(more, markers)
        table = Rows.of(run_query(query, {**tables, TABLE: table})).table()
        if table.num_rows < before:
            why[f"not in the result of {query}"] = before - table.num_rows
    table = _filled(table, used(table), missing, rows.file, why)
    if not table.num_rows:
        lost = ", ".join(f"{count:,} {reason}" for reason, count in why.items()) or "there were none"
        problem = f"none of {before:,} rows is left: {lost}"
        raise InputError(problem, file=rows.file, remedy="Check --query and --missing.")
    if why:
        warnings.warn(CleanedRows(before, table.num_rows, why), stacklevel=3)
    return Rows.of(table, rows.file, text=rows.line is not None)


def without_markers(table: pa.Table, markers: Iterable[str] = ()) -> pa.Table:
    """Return the table with null for NaN and for texts that mean that nothing is known, whatever their case."""
    meant = {"", *(marker.strip().casefold() for marker in markers)}
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if pa.types.is_floating(column.type):
            table = table.set_column(place, name, pc.if_else(pc.is_nan(column), None, column))
        elif is_text(column.type) or (pa.types.is_dictionary(column.type) and is_text(column.type.value_type)):
            codes, texts = encoded(column)
            empty = [text is None or text.strip().casefold() in meant for text in texts.to_pylist()]
            lacking = np.array([*empty, True])[codes]  # the last one for -1
            coded = numbered(np.where(lacking, np.int32(-1), codes), pc.cast(texts, pa.large_string()))
            table = table.set_column(place, name, coded.array())
    return table


def _filled(table: pa.Table, used: Used, missing: str | None, file: str | None, why: dict[str, int]) -> pa.Table:
    """Return the table without rows that lack a value they need, or with such values named; count reasons in `why`."""
    todo = missing or ("keep" if used.is_value else "error")
    lacking: dict[str, Mask] = {}
    for name in used.needed:
        here = np.asarray(table.column(name).is_null().to_numpy())
        if here.any() and not (todo == "keep" and name in used.labels):
            lacking[name] = here
    if todo == "drop" and lacking:
        why |= {f"without '{name}'": int(here.sum()) for name, here in lacking.items()}
        return table.filter(pa.array(~np.logical_or.reduce([*lacking.values()])))
    if lacking:
        keep = "Rows without it cannot be kept: --missing drop."
        name = min(lacking, key=lambda one: int(lacking[one].argmax()) if todo != "keep" else 0)
        more = [f"{int(mask.sum()):,} in '{other}'" for other, mask in lacking.items() if other != name]
        also = f" (and {', '.join(more)})" if more else ""
        here = lacking[name]
        raise InputError(
            f"the cell is empty in {int(here.sum()):,} of {table.num_rows:,} rows, first in row "
            f"{int(here.argmax()) + 1:,}{also}",
            file=file,
            column=name,
            remedy=keep if todo == "keep" else "Fill it in, or leave such rows out with --missing drop.",
        )
    for name in used.labels if todo == "keep" and not used.is_value else ():
        if table.column(name).null_count:
            texts = pc.fill_null(pc.cast(table.column(name), pa.large_string()), UNKNOWN)
            table = table.set_column(table.column_names.index(name), name, texts)
    return table


def run_query(sql: str, tables: Mapping[str, pa.Table]) -> pa.Table:
    """Return the sorted result of a SELECT over tables; values that it did not change are written as before.

    Text such as ``007`` stays text: a type is used only if no two texts of the column have the same value. The
    function ``plain(text)`` gives spellings that differ only in case or spaces the same text.

    Examples
    --------
    >>> table = pa.table({"who": ["007", "7", "7"], "n": ["10", "9", "-1"]})
    >>> run_query("SELECT who, n FROM data WHERE n > 0", {"data": table}).to_pylist()
    [{'who': '007', 'n': 10}, {'who': '7', 'n': 9}]
    """
    import duckdb

    written: dict[str, tuple[pa.Array, pa.Array]] = {}
    try:
        with duckdb.connect(config={"autoload_known_extensions": "false"}) as base:
            base.create_function("plain", plain_text, ["VARCHAR"], "VARCHAR")
            for name, table in tables.items():
                base.register(name, _typed(table, written))
            for setting, value in _SETTINGS.items():
                base.execute(f"SET {setting} = '{value}'")
            parsed = base.extract_statements(sql)
            if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
                raise ParameterError(f"The query must be one SELECT. Got {sql!r} instead.")
            result = base.sql(f"SELECT * FROM ({sql.strip().rstrip(';')}\n) ORDER BY ALL").to_arrow_table()
    except duckdb.Error as error:
        known = ", ".join(repr(name) for name in tables)
        raise ParameterError(f"The query {sql!r} failed: {error} Tables of the query: {known}.") from None
    names = result.column_names
    return pa.table([_restored(result.column(name), written.get(name)) for name in names], names=names)


def table_name(file: str) -> str:
    """Return what a file is called in a query."""
    return re.sub(r"\W", "_", PurePath(file).name.split(".")[0])


def _typed(table: pa.Table, written: dict[str, tuple[pa.Array, pa.Array]]) -> pa.Table:
    """Return the table with types for columns of text; collect in `written` the values of each and their texts."""
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if is_text(column.type):
            coded = column.combine_chunks().dictionary_encode()
            values = _values_of(coded.dictionary)
            if values is not None:
                if pa.types.is_floating(values.type) or pa.types.is_temporal(values.type):
                    written.setdefault(name, (values, coded.dictionary))
                column = values.take(coded.indices)
        table = table.set_column(place, name, column)
    return table


def _values_of(texts: pa.Array) -> pa.Array | None:
    """Return distinct texts as values of the strictest type that all of them have; None for text."""
    for pattern, kind in _TYPES if len(texts) else ():
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            try:
                values = pc.cast(texts, kind)
            except pa.ArrowInvalid:  # 2011-02-30
                return None
            finite = not pa.types.is_floating(kind) or bool(np.isfinite(values.to_numpy()).all())
            return values if finite and len(pc.unique(values)) == len(texts) else None
    return None


def _restored(column: Any, written: tuple[pa.Array, pa.Array] | None) -> Any:
    """Return a column of the result, with the texts of the file where it holds values of the file."""
    if pa.types.is_decimal(column.type):  # what DuckDB makes of the sum of whole numbers
        return pc.cast(column, pa.int64() if column.type.scale == 0 else pa.float64())
    if written is None or written[0].type != column.type:
        return column
    found = pc.take(written[1], pc.index_in(column, written[0]))
    return pc.coalesce(pc.cast(found, pa.large_string()), pc.cast(column, pa.large_string()))


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
    """Return the rows of a table and, for each transaction and value of `columns`, one with the item ``column=value``.

    Columns `same` are kept in the new rows, and `beside` has the item's text there, too. A missing value is no item.

    Examples
    --------
    >>> table = pa.table({"order": [1, 1], "item": ["ale", "tea"], "when": ["2011-12-09", "2011-12-09"]})
    >>> with_columns(table, "order", "item", ["when"])["item"].to_pylist()
    ['ale', 'tea', 'when=2011-12']
    """
    choice("read", "round_dates", round_dates or "month", ROUNDED)
    labels = [item] if beside is None else [item, beside]
    names = list(dict.fromkeys((transaction, item, *same, *labels)))
    first = table.select(names)
    for name in labels:
        first = _as_text(first, name)
    parts, dated = [first], False
    for wanted in columns:
        name = table.column_names[find(table.column_names, wanted, file)]
        if name in names:
            raise ParameterError(f"The column '{name}' is used already: leave it out of --keep.")
        if pa.types.is_nested(table.column(name).type):
            raise InputError("the column holds lists", file=file, column=name, remedy="Leave it out of --keep.")
        texts, dates = _rounded(table.column(name), name, round_dates or "month")
        dated = dated or dates
        held = pc.binary_join_element_wise(pa.scalar(f"{name}=", texts.type), texts, pa.scalar("", texts.type))
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
    return pa.concat_tables(parts, promote_options="permissive")


def _rounded(column: pa.ChunkedArray, name: str, coarse: str) -> tuple[pa.Array, bool]:
    """Return a column as text, null where a value is missing, and whether it has dates, which are then rounded."""
    coded = pc.cast(_decoded(column), pa.large_string()).dictionary_encode()
    values = coded.dictionary.to_pylist()
    try:
        dates = dates_of([value.removesuffix("Z") for value in values], name)
    except InputError:
        dates = None
    if dates is not None and coarse == "quarter":
        values = [f"{date[:4]}-Q{(int(date[5:7]) + 2) // 3}" for date in dates]
    elif dates is not None:
        values = [date[: {"day": 10, "month": 7, "year": 4}[coarse]] for date in dates]
    return pa.array(values, pa.large_string()).take(coded.indices), dates is not None


def _as_text(table: pa.Table, name: str) -> pa.Table:
    """Return the table with text in a column; whole numbers stored as floats are written as integers."""
    column = _decoded(table.column(name))
    if pa.types.is_floating(column.type) and bool(pc.all(pc.equal(pc.floor(column), column)).as_py()):
        column = pc.cast(column, pa.int64())
    return table.set_column(table.column_names.index(name), name, pc.cast(column, pa.large_string()))


def _decoded(column: pa.ChunkedArray) -> pa.Array:
    return plain(column.combine_chunks())


def elsewhere(table: pa.Table, names: Sequence[str], labels: Sequence[str]) -> tuple[str, str, str] | None:
    """Return one of some names that is in another column than the one of `labels`, that column, and the latter."""
    for column in table.column_names if labels else ():
        if column != labels[0] and is_text(column_kind(table.column(column))):
            cells = set(_decoded(table.column(column)).unique().to_pylist())
            found = next((name for name in names if name in cells), None)
            if found is not None:
                return found, column, labels[0]
    return None
