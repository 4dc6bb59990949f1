"""Read tables from CSV, Parquet, frames and columns in memory.

Only the distinct values of a column are looked at one by one: a column is numeric when every value is a number (and
none has a leading zero, as postcodes do), and in the order of the calendar when every value is a date. Missing values
stay values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from covey.arrays import Ids
from covey.data.calendar import calendar_of, dates_of
from covey.data.hierarchy import MISSING, Hierarchy
from covey.data.table import Column, Table
from covey.errors import InputError, ParameterError
from covey.io.columns import find
from covey.io.loading import TABLES
from covey.io.persons import PersonColumn, WhoIsWho, with_persons
from covey.io.preparing import complete, prepared
from covey.io.rows import Coded, Rows
from covey.io.sensitive import Choice
from covey.io.trees import named_hierarchies, read_hierarchy
from covey.parameters import did_you_mean
from covey.progress import Progress, silent

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)

FORMATS = ("csv", *TABLES)


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

    `source` is a CSV, Parquet or other file, also compressed, a data frame, or a mapping of columns. Options that name
    columns take a collection or a comma-separated list.

    `quasi` are the quasi-identifiers. Left out, every column that no other option names is one. Given, columns that no
    option names are dropped like those of `identifier`, so that nothing is published by oversight. `sensitive` and
    `other` columns are published unchanged; the former are protected by l-diversity, the latter by nothing. The numbers
    in `categorical` columns are names, such as codes of places. `hierarchies` is a mapping from columns to anything
    that `covey.io.trees.read_hierarchy` takes, a list of ``column=FILE``, or a directory; other columns get a flat
    hierarchy. `columns` are the names for a CSV file without a header. All other options are those of `covey.read`;
    missing values are values unless ``missing`` is given, and the column `person` is not published.

    Examples
    --------
    >>> read_table({"age": [20, 30], "sex": ["f", "m"], "name": ["x", "y"]}, identifier="name")
    Table(2 rows, quasi: age, sex)
    """
    if isinstance(source, Table):
        return source.with_sensitive(columns_of(sensitive)) if sensitive else source
    stated = WhoIsWho(person=person, missing=rows.get("missing"), unit=unit, row_is_person=row_is_person)
    if format is not None and format not in FORMATS:
        raise ParameterError(f"Tables are read from {' or '.join(FORMATS)} files. Got {format!r} instead.")
    progress("reading", 0.0)
    given = {"quasi": quasi, "sensitive": sensitive, "other": other, "identifier": identifier}
    file: dict[str, Any] = {"format": format, "separator": separator, "encoding": encoding}
    found = prepared(source, rows, names=lambda *_: columns, progress=progress, **file)
    return table_of(
        found,
        given,
        stated,
        categorical=columns_of(categorical),
        hierarchies=hierarchies,
        encoding=encoding,
        progress=progress,
    )


def table_of(
    rows: Rows,
    given: dict[str, Any],
    stated: WhoIsWho,
    *,
    categorical: Sequence[str],
    hierarchies: Any,
    encoding: str,
    progress: Progress,
) -> Table:
    """Return the table of rows; `given` has the columns of each role."""
    names, file = rows.names, rows.file
    twice = Counter(names).most_common(1)
    if twice and twice[0][1] > 1:
        raise InputError(f"the column {twice[0][0]!r} is there twice", file=file, remedy="Rename one of them.")
    dropped = columns_of(given["identifier"])
    if stated.person is not None:
        stated = replace(stated, person=names[find(names, stated.person, file)])
    roles = roles_of_columns(
        names, file, {**given, "identifier": [*dropped, *([stated.person] if stated.person else [])]}
    )
    _require_known(categorical, names, "categorical", file)
    people = stated.columns(names, ())
    wanted = list(dict.fromkeys((*roles, *people)))
    columns = dict(zip(wanted, rows.columns(wanted, progress), strict=True))
    if not len(columns[wanted[0]]):
        raise rows.none()
    cells = {name: rows.cells(name, columns.pop(name)) for name in wanted}
    rows, cells = complete(rows, cells, list(roles) if stated.missing in ("drop", "error") else (), stated.missing)
    persons = [PersonColumn(name, rows, cells[name], what="rows") for name in people]
    texts = {name: with_missing(cells.pop(name)) for name in roles}
    quasis = [name for name in roles if roles[name] == "quasi"]
    numeric = {name for name in quasis if name not in categorical and all_numbers(texts[name][1])}
    trees = named_hierarchies(hierarchies, quasis, [name for name in quasis if name not in numeric])
    made = []
    for name, role in roles.items():
        codes, labels = texts.pop(name)
        if name in numeric and name not in trees:
            made.append(_numeric(name, codes, labels, file))
            continue
        tree = read_hierarchy(trees[name], encoding=encoding) if name in trees else None
        if tree is None and role == "quasi" and name not in categorical:
            codes, labels, tree = _dated(name, codes, labels, file)
        made.append(Column.of_codes(name, codes, labels, role, tree))
    progress("reading", 1.0)
    left_out = tuple(name for name in names if name not in roles and name not in dropped and name != stated.person)
    return with_persons(Table(tuple(made), left_out=left_out), persons, stated)


def with_missing(column: Coded) -> tuple[Ids, list[str]]:
    """Return the code of each row and the distinct texts without blanks around them; a missing value is one of them."""
    known: dict[str, int] = {}
    rename = np.array([known.setdefault(label.strip(), len(known)) for label in (*column.labels, MISSING)], np.int32)
    codes = rename[column.codes]
    if list(known)[-1] == MISSING and not (codes == known[MISSING]).any():
        del known[MISSING]
    return codes, list(known)


def _dated(name: str, codes: Ids, labels: list[str], file: str | None) -> tuple[Ids, list[str], Hierarchy | None]:
    """Return the column with dates in one format and in their order, if all its values are dates."""
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


def columns_of(given: Collection[str] | str | Choice | None) -> list[str]:
    """Return the columns that an option names, as a collection or as a comma-separated list."""
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
            remedy = did_you_mean(name, names).strip() or f"The columns are {', '.join(names)}."
            raise InputError(f"there is no column {name!r} to be {option}", file=file, remedy=remedy)


def roles_of_columns(names: Sequence[str], file: str | None, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the role of each column that is kept, in the order of the columns."""
    roles: dict[str, str] = {}
    for role, value in given.items():
        listed = columns_of(value)
        _require_known(listed, names, role, file)
        for name in listed:
            if roles.setdefault(name, role) != role:
                raise ParameterError(f"The column {name!r} cannot be both {roles[name]} and {role}.")
    rest = "quasi" if given["quasi"] is None else "identifier"
    kept = {name: roles.get(name, rest) for name in names if roles.get(name, rest) != "identifier"}
    if "quasi" not in kept.values():
        remedy = "Name some with --quasi (quasi=…)."
        raise InputError("no column is left as a quasi-identifier", file=file, remedy=remedy)
    return kept


def all_numbers(labels: Sequence[str]) -> bool:
    """Return whether all values but the missing one are numbers, of which infinite ones will be refused."""
    known = [label for label in labels if label != MISSING]
    return bool(known) and all(_NUMBER.fullmatch(label) or _INFINITE.fullmatch(label) for label in known)


def _numeric(name: str, codes: Ids, labels: Sequence[str], file: str | None) -> Column:
    def refused(problem: str, remedy: str) -> InputError:
        return InputError(problem, file=file, column=name, remedy=remedy)

    infinite = next((label for label in labels if _INFINITE.fullmatch(label)), None)
    if infinite is not None:
        remedy = "Leave it empty, or name the column with --categorical."
        raise refused(f"the infinite number {infinite!r} cannot be part of a range", remedy)
    numbers = np.array([np.nan if label == MISSING else float(label) for label in labels], np.float64)
    if np.nanmax(np.abs(numbers)) > 2.0**53:
        remedy = "Name the column with --identifier if it identifies people, or with --categorical."
        raise refused("numbers beyond 2^53 cannot be ranged exactly", remedy)
    column = Column.of_numbers(name, numbers)
    assert column.numbers is not None
    rename = np.searchsorted(column.numbers, numbers).astype(np.int32)
    rename[np.isnan(numbers)] = len(column.numbers) - 1
    return Column(name=name, role="quasi", codes=rename[codes], values=column.values, numbers=column.numbers)
