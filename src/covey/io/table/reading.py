"""Reading tables from CSV, Parquet, frames and columns in memory.

All cells are read as text first and only their distinct values are looked at one by one: a column is numeric when
every value is a number (and none has a leading zero, as postcodes do). Missing values stay values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Ids
from covey.data.hierarchy import MISSING
from covey.data.table import Column, Table
from covey.errors import InputError, ParameterError
from covey.io.files import compression, head, locate
from covey.io.trees.hierarchy import named_hierarchies, read_hierarchy
from covey.parameters import did_you_mean
from covey.progress import Progress, silent

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_DELIMITERS = (",", ";", "\t", "|")

FORMATS = ("csv", "parquet")


def read_table(
    source: Any,
    *,
    quasi: Collection[str] | str | None = None,
    sensitive: Collection[str] | str | None = None,
    identifier: Collection[str] | str | None = None,
    other: Collection[str] | str | None = None,
    categorical: Collection[str] | str = (),
    hierarchies: Any = None,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
) -> Table:
    """Read a table and give its columns their roles.

    Parameters
    ----------
    source : path, Table, pandas, polars or Arrow table, or mapping of columns
        The data; CSV and Parquet files, also compressed, are recognised by their content.
    quasi : names or comma list, optional
        The quasi-identifiers. Left out, every column that no other option names is one. Given, columns that no
        option names are dropped like identifiers, so that nothing is published by oversight.
    sensitive, other : names or comma list
        Columns published unchanged: `sensitive` ones are protected by l-diversity, `other` ones by nothing.
    identifier : names or comma list
        Columns to drop.
    categorical : names or comma list
        Columns whose numbers are names, such as codes of places.
    hierarchies : mapping column → hierarchy, list of ``column=FILE``, or directory
        Anything `covey.io.trees.hierarchy.read_hierarchy` takes. Columns without one get a flat hierarchy.
    columns : sequence of str, optional
        Names for a CSV file without a header line.
    format, separator, encoding
        Of the file; recognised when left out.

    Examples
    --------
    >>> read_table({"age": [20, 30], "sex": ["f", "m"], "name": ["x", "y"]}, identifier="name")
    Table(2 rows, quasi: age, sex)
    """
    if isinstance(source, Table):
        return source.with_sensitive(_names(sensitive)) if sensitive else source
    file = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    progress("reading", 0.0)
    arrow = _arrow(source, columns=columns, format=format, separator=separator, encoding=encoding)
    if arrow.num_rows == 0:
        raise InputError("the table has no rows", file=file, remedy="Check that it was written completely.")
    names = list(arrow.column_names)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"the column {twice[0]!r} is there twice", file=file, remedy="Rename one of them.")
    roles = _roles(names, file, quasi=quasi, sensitive=sensitive, identifier=identifier, other=other)
    texts = {name: _texts(arrow.column(name)) for name in roles}
    named = _names(categorical)
    _require_known(named, names, "categorical", file)
    numeric = {
        name
        for name in roles
        if roles[name] == "quasi" and name not in named and _all_numbers(texts[name][1])
    }
    quasis = [name for name in roles if roles[name] == "quasi"]
    trees = named_hierarchies(hierarchies, quasis, [name for name in quasis if name not in numeric])
    made = []
    for place, (name, role) in enumerate(roles.items()):
        codes, labels = texts[name]
        if name in numeric and name not in trees:
            made.append(_numeric(name, codes, labels))
        else:
            tree = read_hierarchy(trees[name], encoding=encoding) if name in trees else None
            made.append(Column.of_codes(name, codes, labels, role, tree))
        progress("reading", (place + 1) / len(roles))
    return Table(tuple(made))


def _names(given: Collection[str] | str | None) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    return [str(name) for name in given]


def _require_known(wanted: Collection[str], names: Sequence[str], option: str, file: str | None) -> None:
    for name in wanted:
        if name not in names:
            near = did_you_mean(name, names).strip()
            raise InputError(
                f"there is no column {name!r} to be {option}",
                file=file,
                remedy=near or f"The columns are {', '.join(names)}.",
            )


def _roles(names: Sequence[str], file: str | None, **given: Collection[str] | str | None) -> dict[str, str]:
    """The role of each column that is kept, in the order of the columns."""
    roles: dict[str, str] = {}
    for role, value in given.items():
        listed = _names(value)
        _require_known(listed, names, role, file)
        for name in listed:
            if roles.setdefault(name, role) != role:
                raise ParameterError(f"The column {name!r} cannot be both {roles[name]} and {role}.")
    rest = "quasi" if given["quasi"] is None else "identifier"
    kept = {name: roles.get(name, rest) for name in names}
    kept = {name: role for name, role in kept.items() if role != "identifier"}
    if "quasi" not in kept.values():
        raise InputError(
            "no column is left as a quasi-identifier", file=file, remedy="Name some with --quasi (quasi=…)."
        )
    return kept


def _arrow(
    source: Any, *, columns: Sequence[str] | None, format: str | None, separator: str | None, encoding: str
) -> Any:
    import pyarrow as pa

    if isinstance(source, str | os.PathLike):
        path = locate(source)
        name = os.fspath(source)
        kind = format or ("parquet" if head(path, name).startswith(b"PAR1") else "csv")
        if kind not in FORMATS:
            raise ParameterError(
                f"Tables are read from {' or '.join(FORMATS)} files. Got {format!r} instead."
            )
        try:
            if kind == "parquet":
                import pyarrow.parquet as pq

                return pq.read_table(path)
            return _csv(path, name, columns, separator, encoding)
        except (pa.ArrowInvalid, pa.ArrowKeyError, OSError, UnicodeDecodeError) as error:
            problem = str(error).splitlines()[0]
            raise InputError(
                f"cannot be read as {kind} ({problem})",
                file=name,
                remedy="Give --separator, --encoding or --format if they were not recognised.",
            ) from None
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, Mapping):
        return pa.table({str(name): pa.array(list(values)) for name, values in source.items()})
    if hasattr(source, "to_arrow"):
        return source.to_arrow()
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return pa.Table.from_pandas(source, preserve_index=False)
    raise InputError(
        f"cannot read a table from {type(source).__name__}",
        remedy="Give a path, a pandas, polars or Arrow table, or a mapping of columns.",
    )


def _csv(path: Path, name: str, columns: Sequence[str] | None, separator: str | None, encoding: str) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pacsv

    codec = compression(path, name)
    raw = pa.OSFile(os.fspath(path), "rb")
    with pa.CompressedInputStream(raw, codec) if codec else raw as stream:
        data = stream.read()
    first = data[: data.find(b"\n") if b"\n" in data else len(data)].decode(encoding, "replace")
    comma = separator or max(_DELIMITERS, key=first.count)
    parse = pacsv.ParseOptions(delimiter=comma, newlines_in_values=True, ignore_empty_lines=True)
    read = pacsv.ReadOptions(encoding=encoding, column_names=None if columns is None else list(columns))
    names = (
        columns or pacsv.open_csv(pa.BufferReader(data), read_options=read, parse_options=parse).schema.names
    )
    types = {column: pa.dictionary(pa.int32(), pa.string()) for column in names}
    convert = pacsv.ConvertOptions(column_types=types, strings_can_be_null=False)
    table = pacsv.read_csv(
        pa.BufferReader(data), read_options=read, parse_options=parse, convert_options=convert
    )
    return table.rename_columns([column.strip() for column in table.column_names])


def _texts(column: Any) -> tuple[Ids, list[str]]:
    """Codes of a column and its distinct texts; null, NaN and blank cells all are the missing value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], pa.string())
    if not pa.types.is_dictionary(values.type):
        values = pc.dictionary_encode(values, null_encoding="encode")
    codes = values.indices.fill_null(len(values.dictionary)).to_numpy(zero_copy_only=False)
    raw = [*values.dictionary.to_pylist(), None]
    known: dict[str, int] = {}
    rename = np.empty(len(raw), np.int32)
    for code, value in enumerate(raw):
        missing = value is None or value != value
        whole = isinstance(value, float) and not missing and value == int(value) and abs(value) < 2**53
        text = MISSING if missing else str(int(value)) if whole else str(value).strip()
        rename[code] = known.setdefault(text, len(known))
    used = np.unique(rename[codes])
    compact = np.zeros(len(known), np.int32)
    compact[used] = np.arange(len(used), dtype=np.int32)
    texts = list(known)
    return compact[rename[codes]], [texts[i] for i in used]


def _all_numbers(labels: Sequence[str]) -> bool:
    known = [label for label in labels if label != MISSING]
    return bool(known) and all(_NUMBER.fullmatch(label) for label in known)


def _numeric(name: str, codes: Ids, labels: Sequence[str]) -> Column:
    numbers = np.array([np.nan if label == MISSING else float(label) for label in labels], np.float64)
    if np.nanmax(np.abs(numbers)) > 2.0**53:
        raise InputError(
            "numbers beyond 2^53 cannot be ranged exactly",
            column=name,
            remedy="Name the column with --identifier if it identifies people, or with --categorical.",
        )
    column = Column.of_numbers(name, numbers)
    assert column.numbers is not None
    rename = np.searchsorted(column.numbers, numbers).astype(np.int32)
    rename[np.isnan(numbers)] = len(column.numbers) - 1
    return Column(name=name, role="quasi", codes=rename[codes], values=column.values, numbers=column.numbers)
