"""Reading tables from CSV, Parquet, frames and columns in memory.

All cells are read as text first and only their distinct values are looked at one by one: a column is numeric when
every value is a number (and none has a leading zero, as postcodes do), and in the order of the calendar when every
value is a date. Missing values stay values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids
from covey.data.calendar import calendar_of, dates_of
from covey.data.hierarchy import MISSING, Hierarchy
from covey.data.table import Column, Table
from covey.errors import InputError, ParameterError
from covey.io.arrow import Coded, Coder, Rows, decoded, is_binary, is_text, rows_of_parquet, rows_of_table
from covey.io.baskets.columns import find
from covey.io.files import file_of, head, locate
from covey.io.frames import as_arrow, table_of
from covey.io.persons import PersonColumn, WhoIsWho
from covey.io.rows.cleaning import Used
from covey.io.rows.loading import OTHERS, text_rows
from covey.io.rows.preparing import prepare
from covey.io.sensitive import Choice
from covey.io.suspicion import person_columns, warn_of
from covey.io.trees import named_hierarchies, read_hierarchy
from covey.parameters import did_you_mean
from covey.progress import Progress, silent

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)

FORMATS = ("csv", "parquet", *OTHERS)


def read_table(
    source: Any,
    *,
    quasi: Collection[str] | str | None = None,
    sensitive: Collection[str] | str | Choice | None = None,
    identifier: Collection[str] | str | None = None,
    other: Collection[str] | str | None = None,
    categorical: Collection[str] | str = (),
    hierarchies: Any = None,
    columns: Sequence[str] | None = None,
    person: str | None = None,
    unit: str | None = None,
    row_is_person: bool | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **rows: Any,
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
        Anything `covey.io.trees.read_hierarchy` takes. Columns without one get a flat hierarchy.
    columns : sequence of str, optional
        Names for a CSV file without a header line.
    person : str, optional
        The column that names the person, who may have several rows and is protected as one; it is not published.
    unit, row_is_person
        As for `covey.read`.
    format, separator, encoding
        Of the file; recognised when left out.
    **rows
        How rows are prepared, as for `covey.read`; missing values are values unless ``missing`` says otherwise.

    Examples
    --------
    >>> read_table({"age": [20, 30], "sex": ["f", "m"], "name": ["x", "y"]}, identifier="name")
    Table(2 rows, quasi: age, sex)
    """
    if isinstance(source, Table):
        return source.with_sensitive(columns_of(sensitive)) if sensitive else source
    said = WhoIsWho.of(person, rows.get("missing"), unit, row_is_person)
    file = file_of(source)
    progress("reading", 0.0)
    given = {"quasi": quasi, "sensitive": sensitive, "other": other, "identifier": identifier}
    how = {"format": format, "separator": separator, "encoding": encoding}
    ready = prepare(source, lambda table: used(table, given, person), options=rows, progress=progress, **how)  # type: ignore[arg-type]
    source = ready.source
    if ready.changed:
        format = separator = None
    found_in = opened(source, columns=columns, format=format, separator=separator, encoding=encoding)
    names = found_in.names
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"the column {twice!r} is there twice", file=file, remedy="Rename one of them.")
    if person is not None:
        said = replace(said, person=names[find(names, person, file)])
        identifier = list(dict.fromkeys([*columns_of(identifier), str(said.person)]))
    roles = _roles(names, file, quasi=quasi, sensitive=sensitive, identifier=identifier, other=other)
    people = person_columns(names, (), said)
    texts = texts_of(found_in, dict.fromkeys((*roles, *people)), progress)
    found = [PersonColumn(name, found_in, _named(*texts[name]), what="rows") for name in people]
    if not any(len(codes) for codes, _ in texts.values()):
        raise InputError("the table has no rows", file=file, remedy="Check that it was written completely.")
    named = columns_of(categorical)
    _require_known(named, names, "categorical", file)
    numeric = {name for name in roles if roles[name] == "quasi" and name not in named and all_numbers(texts[name][1])}
    quasis = [name for name in roles if roles[name] == "quasi"]
    trees = named_hierarchies(hierarchies, quasis, [name for name in quasis if name not in numeric])
    made = []
    for name, role in roles.items():
        codes, labels = texts.pop(name)
        if name in numeric and name not in trees:
            made.append(_numeric(name, codes, labels, file))
        else:
            tree = read_hierarchy(trees[name], encoding=encoding) if name in trees else None
            if tree is None and role == "quasi" and name not in named:
                codes, labels, tree = _dated(name, codes, labels, file)
            made.append(Column.of_codes(name, codes, labels, role, tree))
    progress("reading", 1.0)
    dropped = {*columns_of(identifier), *roles}
    table = Table(tuple(made), left_out=tuple(name for name in names if name not in dropped))
    if said.person is not None:
        return found[0].given_to_table(table, said)
    warn_of(found, "rows")
    return table


def _named(codes: Ids, labels: list[str]) -> Coded:
    """The persons of a column with cells, of which the missing value is none."""
    given = [label for label in labels if label != MISSING]
    place = {label: number for number, label in enumerate(given)}
    return Coded(np.array([place.get(label, -1) for label in labels], np.int32)[codes], given)


def _dated(name: str, codes: Ids, labels: list[str], file: str | None) -> tuple[Ids, list[str], Hierarchy | None]:
    """The column with dates in one format and in their order, if all its values are dates."""
    known = [label for label in labels if label != MISSING]
    try:
        dates = dates_of(known, name)
    except InputError as error:
        raise InputError(error.problem, file=file, column=name, remedy=error.remedy) from None
    if dates is None:
        return codes, labels, None
    written = dict(zip(known, dates, strict=True)) | {MISSING: MISSING}
    place = {text: number for number, text in enumerate(dict.fromkeys(written[label] for label in labels))}
    rename = np.array([place[written[label]] for label in labels], np.int32)
    return rename[codes], list(place), calendar_of(dates)


def used(table: pa.Table, given: dict[str, Any], person: str | None) -> Used:
    """The columns that are kept: a missing value is a value in each, unless someone says otherwise."""
    names = [name for name in table.column_names if not pa.types.is_nested(table.column(name).type)]
    whose = [] if person is None else [table.column_names[find(table.column_names, person, None)]]
    dropped = [*columns_of(given["identifier"]), *whose]
    kept = tuple(_roles(names, None, **{**given, "identifier": dropped}))
    return Used(needed=kept, labels=kept, otherwise="keep", named_unknown=False)


def columns_of(given: Collection[str] | str | Choice | None) -> list[str]:
    """The columns that an option names, as a collection or as a comma-separated list."""
    if given is None:
        return []
    if isinstance(given, Choice):
        return list(dict.fromkeys(name for part in given.parts for name in columns_of(part)))
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


def _roles(names: Sequence[str], file: str | None, **given: Collection[str] | str | Choice | None) -> dict[str, str]:
    """The role of each column that is kept, in the order of the columns."""
    roles: dict[str, str] = {}
    for role, value in given.items():
        listed = columns_of(value)
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


def opened(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> Rows:
    """Return the rows of a source, of which the names are known before any is read."""
    if isinstance(source, str | os.PathLike):
        file, path = os.fspath(source), locate(source)
        written = format or ("parquet" if head(path, file).startswith(b"PAR1") else "csv")
        if written not in FORMATS:
            raise ParameterError(f"Tables are read from {' or '.join(FORMATS)} files. Got {format!r} instead.")
        if written == "parquet":
            return rows_of_parquet(path, file)
        return text_rows(path, file, columns=columns, separator=separator, encoding=encoding)
    table = table_of(source.values(), source) if isinstance(source, Mapping) else as_arrow(source)
    if table is None:
        raise InputError(
            f"cannot read a table from {type(source).__name__}",
            remedy="Give a path, a pandas, polars or Arrow table, or a mapping of columns.",
        )
    return rows_of_table(table)


def all_numbers(labels: Sequence[str]) -> bool:
    """Whether all values but the missing one are numbers, of which infinite ones will be refused."""
    known = [label for label in labels if label != MISSING]
    return bool(known) and all(_NUMBER.fullmatch(label) or _INFINITE.fullmatch(label) for label in known)


def _numeric(name: str, codes: Ids, labels: Sequence[str], file: str | None) -> Column:
    infinite = next((label for label in labels if _INFINITE.fullmatch(label)), None)
    if infinite is not None:
        raise InputError(
            f"the infinite number {infinite!r} cannot be part of a range",
            file=file,
            column=name,
            remedy="Leave it empty, or name the column with --categorical.",
        )
    numbers = np.array([np.nan if label == MISSING else float(label) for label in labels], np.float64)
    if np.nanmax(np.abs(numbers)) > 2.0**53:
        raise InputError(
            "numbers beyond 2^53 cannot be ranged exactly",
            file=file,
            column=name,
            remedy="Name the column with --identifier if it identifies people, or with --categorical.",
        )
    column = Column.of_numbers(name, numbers)
    assert column.numbers is not None
    rename = np.searchsorted(column.numbers, numbers).astype(np.int32)
    rename[np.isnan(numbers)] = len(column.numbers) - 1
    return Column(name=name, role="quasi", codes=rename[codes], values=column.values, numbers=column.numbers)


def texts_of(rows: Rows, kept: Collection[str], progress: Progress = silent) -> dict[str, tuple[Ids, list[str]]]:
    """Return the code of every row and the distinct texts, without blanks around them, of each column that is kept."""
    kinds = {name: kind.value_type if pa.types.is_dictionary(kind) else kind
             for name, kind in zip(rows.schema.names, rows.schema.types, strict=True)}  # fmt: skip
    found = {
        name: Coder(rows, name) if is_text(kinds[name]) or is_binary(kinds[name]) else _Values(rows, name)
        for name in kept
    }
    for batch in rows.batches(list(kept), progress):
        for one, values in zip(found.values(), batch.columns, strict=True):
            one.add(values)
    return {name: _cells(one.finish()) for name, one in found.items()}


def _cells(coded: Coded) -> tuple[Ids, list[str]]:
    """The same column with the missing value as a label, and no blanks around labels."""
    known: dict[str, int] = {}
    rename = np.array([known.setdefault(label.strip(), len(known)) for label in (*coded.labels, MISSING)], np.int32)
    codes = rename[coded.codes]
    if not (codes == known[MISSING]).any() and len(known) > len(coded.labels):
        del known[MISSING]  # which is the last one
    return codes, list(known)


class _Values:
    """Numbers the distinct values of a column of numbers, dates or times."""

    def __init__(self, rows: Rows, column: str) -> None:
        self._rows, self._column = rows, column
        self._known: dict[str, int] = {}
        self._codes = [np.empty(0, np.int32)]

    def add(self, array: pa.Array) -> None:
        """Take the values of the next batch."""
        try:
            coded = decoded(array).dictionary_encode(null_encoding="encode")
            numbers, values = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary
            if pa.types.is_time64(values.type):  # Python's times know no nanoseconds
                values = pc.utf8_rtrim(pc.utf8_rtrim(pc.cast(values, pa.string()), "0"), ".")
            texts = [_text(value) for value in values.to_pylist()]
        except (pa.ArrowException, KeyError, OverflowError, ValueError) as error:  # KeyError: an unknown time zone
            raise InputError(
                f"values of type {array.type} cannot be cells of a table",
                file=self._rows.file,
                column=self._column,
                remedy=f"Turn them into text or numbers, or leave the column out with --identifier '{self._column}'.",
            ) from error
        rename = np.array([self._known.setdefault(text, len(self._known)) for text in texts], np.int32)
        self._codes.append(rename[numbers])

    def finish(self) -> Coded:
        """Return the numbers of all values; the missing one is a label here."""
        return Coded(np.concatenate(self._codes), list(self._known))


def _text(value: Any) -> str:
    """A value as a cell; null and NaN are the missing value, and whole numbers have no fraction."""
    if value is None or value != value:
        return MISSING
    if isinstance(value, float) and abs(value) < 2**53 and value == int(value):
        return str(int(value))
    return str(value)
