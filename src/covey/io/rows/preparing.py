"""Between a source and the reader of a kind of data: other formats become rows, and rows are cleaned."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from covey.data.kinds import ROW_OPTIONS
from covey.errors import CleanedRows, CoveyError, CoveyWarning, InputError, ParameterError
from covey.io.frames import as_arrow, table_of
from covey.io.rows.cleaning import Cleaning, Used
from covey.io.rows.loading import load_rows, other_format
from covey.io.rows.query import TABLE, run_query, table_name
from covey.io.sensitive import AbsentNames
from covey.parameters import did_you_mean
from covey.progress import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a reader goes on with."""

    #: As it was given, or the rows that are left of it.
    source: Any
    #: Whether it is rows now, so that nothing about a file is left to be said.
    changed: bool = False
    #: Of the file, for messages.
    name: str | None = None

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors inside the block name the file that the rows came from."""
        try:
            yield
        except InputError as error:
            if not self.changed or error.file is not None or self.name is None:
                raise
            where = {"line": error.line, "column": error.column}
            raise InputError(error.problem, file=self.name, remedy=error.remedy, **where) from None  # type: ignore[arg-type]


def asked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some reading options that are about preparing rows, and are given."""
    names = [option.name for option in ROW_OPTIONS]
    return {name: options[name] for name in names if options.get(name) not in (None, False, [], ())}


def prepare(
    source: Any,
    used: Callable[[pa.Table], Used],
    *,
    options: Mapping[str, Any],
    format: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    as_rows: bool = False,
    typed: Callable[[pa.Table], pa.Table] = lambda table: table,
) -> Prepared:
    """Make rows of a file of another format, and clean rows if that is asked for; otherwise leave the source alone.

    Parameters
    ----------
    source : path or object
        What a reader was given.
    used : callable
        Says which columns of the rows the reader will use.
    options : mapping
        ``missing``, ``missing_marker``, ``query``, ``also``, ``no_header``, ``sheet``.
    format, separator, encoding
        Of the file.
    as_rows : bool
        Whether rows are needed even if nothing is to be cleaned.
    typed : callable
        Gives columns of text from a CSV file the types that the reader needs.
    """
    known = [option.name for option in ROW_OPTIONS]
    for option in options:
        if option not in known:
            raise ParameterError(f"There is no reading option '{option}'.{did_you_mean(option, known)}")
    given = asked(options)
    path = isinstance(source, str | os.PathLike)
    other = other_format(source, format) if path else None
    if not given and other is None and not as_rows:
        return Prepared(source=source)
    sheet, no_header = given.pop("sheet", None), bool(given.pop("no_header", False))
    query, also = given.pop("query", None), given.pop("also", ())
    name = os.fspath(source) if path else None
    if path:
        table = load_rows(
            os.fspath(source),
            format=other or format,
            sheet=sheet,
            no_header=no_header,
            separator=separator,
            encoding=encoding,
            progress=progress,
        )
        table = table if other or no_header else typed(table)
    else:
        table = _of_memory(source, sheet, no_header)
    if also and query is None:
        raise ParameterError("Several files are read together by --query 'SELECT …', in which each is a table.")
    cleaning = Cleaning.of(given.get("missing"), given.get("missing_marker"), usual=query is not None)
    table, rows, why = cleaning.without_markers(table), table.num_rows, dict[str, int]()
    if query is not None:
        tables = {} if name is None else {table_name(name): table}
        for file in also:
            more = load_rows(file, format=other_format(file), separator=separator, encoding=encoding)
            tables[table_name(file)] = cleaning.without_markers(more)
        table = run_query(query, {**tables, TABLE: table})
        if table.num_rows < rows:
            why[f"not in the result of {query}"] = rows - table.num_rows
    table = cleaning.filled(table, used(table), name, why)
    if not table.num_rows:
        lost = ", ".join(f"{count:,} {reason}" for reason, count in why.items()) or "there were none"
        raise InputError(f"none of {rows:,} rows is left: {lost}", file=name, remedy="Check --query and --missing.")
    if why:
        warnings.warn(CleanedRows(rows, table.num_rows, why), stacklevel=3)
    return Prepared(source=table, changed=True, name=name)


def _of_memory(source: Any, sheet: Any, no_header: bool) -> pa.Table:
    if sheet is not None or no_header:
        raise ParameterError("The 'sheet' and 'no_header' options are for files.")
    table = table_of(source.values(), source) if isinstance(source, Mapping) else as_arrow(source)
    if table is None:
        raise ParameterError("Only tables have rows to be cleaned: give a file, a data frame or an Arrow table.")
    return table.read_all() if isinstance(table, pa.RecordBatchReader) else table


@contextmanager
def explaining(
    source: Any, used: Callable[[pa.Table], Used], *, options: Mapping[str, Any], **file: Any
) -> Iterator[None]:
    """Names that the data lacks are looked for in other columns, if a table was read: perhaps it was the wrong one."""
    try:
        yield
    except AbsentNames as error:
        found = _elsewhere(source, used, error.names, options, file)
        if found is None:
            raise
        name, column, read = found
        told = f"{error.problem}: items were read from the column '{read}', and '{column}' holds {name!r}"
        raise InputError(
            told, file=error.file, line=error.line, remedy=f"Read that one with --item '{column}'.", longest=100_000
        ) from None


def _elsewhere(
    source: Any,
    used: Callable[[pa.Table], Used],
    names: Sequence[str],
    options: Mapping[str, Any],
    file: Mapping[str, Any],
) -> tuple[str, str, str] | None:
    """One of some names that is a cell of a table, the column that holds it, and the one that was read for items."""
    try:
        how = {"missing": "keep", "missing_marker": [""], **options}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CoveyWarning)  # what the first reading left out was told then
            table = prepare(source, lambda _: Used(needed=()), options=how, **file).source
        [read] = used(table).labels
    except (CoveyError, ValueError):  # no table, or no column of labels: there is nothing to be found
        return None
    for column in table.column_names:
        kind = table.column(column).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            cells = set(table.column(column).unique().to_pylist())
            for name in names:
                if name in cells and column != read:
                    return name, column, read
    return None
