"""Rows between a file and the reader of a kind: SQL queries, and rows without a value.

A query sees the columns of text with the types that their values have. It cannot read or write files, reach the
network or change settings.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.data.kinds import MISSING_CHOICES, MISSING_MARKERS, ROW_OPTIONS
from covey.data.labels import plain as plain_text
from covey.errors import CleanedRows, InputError, ParameterError
from covey.io.loading import open_rows
from covey.io.rows import Coded, Rows, is_text, numbered
from covey.parameters import choice, did_you_mean
from covey.progress import Progress, silent

#: What the first file is called in a query.
TABLE = "data"
#: What a missing item is called when it is kept.
UNKNOWN = "(missing)"
_SAMPLE = 1000
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


def asked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some reading options that are about preparing rows, and are given."""
    known = [option.name for option in ROW_OPTIONS]
    for option in options:
        if option not in known:
            raise ParameterError(f"There is no reading option '{option}'.{did_you_mean(option, known)}")
    if options.get("missing") is not None:
        choice("read", "missing", options["missing"], MISSING_CHOICES)
    return {name: options[name] for name in known if options.get(name) not in (None, False, [], ())}


def prepared(source: Any, options: Mapping[str, Any], *, progress: Progress = silent, **file: Any) -> Rows:
    """Return the rows of a source, or of the query on it.

    `options` are those of `covey.data.kinds.ROW_OPTIONS`, and `file` those of `covey.io.loading.open_rows`.
    """
    given = asked(options)
    about = {name: given[name] for name in ("sheet", "no_header") if name in given}
    return queried(open_rows(source, progress=progress, **about, **file), given, progress=progress, **file)


def queried(
    rows: Rows,
    given: Mapping[str, Any],
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **_: Any,
) -> Rows:
    """Return rows in which missing values are marked as such or, where there is a query, the rows of its result."""
    query, also, markers = given.get("query"), given.get("also", ()), given.get("missing_marker", ())
    if also and query is None:
        raise ParameterError("Several files are read together by --query 'SELECT …', in which each is a table.")
    if not markers and (query is not None or "missing" in given):
        markers = MISSING_MARKERS
    meant = frozenset(one.strip().casefold() for one in ([markers] if isinstance(markers, str) else markers))
    rows = replace(rows, markers=meant)
    if query is None:
        return rows
    table = rows.table(progress)
    tables = {} if rows.file is None else {table_name(rows.file): table}
    for one in also:
        more = open_rows(one, separator=separator, encoding=encoding)
        tables[table_name(one)] = replace(more, markers=meant).table()
    result = run_query(query, {**tables, TABLE: table})
    reasons = {f"not in the result of {query}": table.num_rows - result.num_rows}
    if not result.num_rows:
        raise _none_left(rows.file, table.num_rows, reasons)
    lost = {} if result.num_rows >= table.num_rows else reasons
    found = replace(Rows.of(result, rows.file), markers=meant, left_out=lost, total=result.num_rows)
    return replace(found, first=found.beginning(_SAMPLE)) if rows.first else found


def _none_left(file: str | None, before: int, reasons: Mapping[str, int]) -> InputError:
    why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    problem = f"none of {before:,} rows is left: {why}"
    return InputError(problem, file=file, remedy="Check --query and --missing.")


def complete(
    rows: Rows, columns: dict[str, Coded], needed: Sequence[str], missing: str | None, labels: Sequence[str] = ()
) -> tuple[Rows, dict[str, Coded]]:
    """Return rows and columns in which none of the columns `needed` lacks a value; warn if rows were left out.

    Rows without a value are refused; left out with `missing` "drop"; or kept with `missing` "keep" if only names of
    things are missing, which are in the columns `labels`.
    """
    lacking = {name: columns[name].codes < 0 for name in needed if (columns[name].codes < 0).any()}
    for name in lacking.keys() & {*labels} if missing == "keep" else ():
        codes, texts = columns[name].codes, columns[name].texts
        texts = pa.concat_arrays([texts, pa.array([UNKNOWN], texts.type)])
        columns[name] = numbered(np.where(lacking.pop(name), np.int32(len(texts) - 1), codes), texts)
    if missing != "drop":
        rows.require_filled(lacking.items())
    reasons = dict(rows.left_out) | {f"without '{name}'": int(mask.sum()) for name, mask in lacking.items()}
    if not reasons:
        return rows, columns
    kept = ~np.logical_or.reduce([*lacking.values()]) if lacking else np.ones(rows.total, np.bool_)
    before = len(kept) + sum(rows.left_out.values())
    if not kept.any():
        raise _none_left(rows.file, before, reasons)
    warnings.warn(CleanedRows(before, int(kept.sum()), reasons), stacklevel=3)
    if not lacking:
        return rows, columns
    return rows.only(kept), {name: numbered(one.codes[kept], one.texts) for name, one in columns.items()}


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


def elsewhere(rows: Rows, names: Sequence[str], item: str) -> str:
    """Return a sentence if one of some names is not in the column of items but in another one of text."""
    columns = [name for name, kind in zip(rows.names, rows.schema.types, strict=True) if is_text(kind) and name != item]
    for column, coded in rows.coded(columns).items():
        found = {*names} & {*coded.labels}
        if found:
            holds = f"'{column}' holds {min(found)!r}"
            return f"Items were read from the column '{item}', and {holds}: read that one with --item '{column}'."
    return ""
