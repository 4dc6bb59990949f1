"""Reading generalization hierarchies: ``leaf;parent;…;*`` on each line, or a CSV of child,parent."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from covey.data.hierarchy import Hierarchy
from covey.errors import InputError
from covey.io.files import locate
from covey.parameters import did_you_mean


def read_hierarchy(source: Any, *, encoding: str = "utf-8") -> Hierarchy:
    """Read the hierarchy of one column.

    Parameters
    ----------
    source : Hierarchy, path, mapping or iterable of paths
        A file with ``leaf;parent;…;*`` on each line (also with commas, if more than two cells stand on some
        line), a CSV file with the columns child and parent, a mapping child → parent, or the lines in memory.
    encoding : str
        Of the file.
    """
    if isinstance(source, Hierarchy):
        return source
    if isinstance(source, Mapping):
        return Hierarchy.from_parents({str(child): str(parent) for child, parent in source.items()})
    if not isinstance(source, str | os.PathLike):
        return Hierarchy.from_paths([[str(label) for label in path] for path in source])
    name = os.fspath(source)
    path = locate(source)
    try:
        text = _decompressed(path).decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not valid {encoding} text", file=name, remedy="Try another encoding."
        ) from error
    lines = text.splitlines()
    separator = ";" if any(";" in line for line in lines) else ","
    rows = [
        (number, [cell.strip() for cell in row])
        for number, row in enumerate(csv.reader(lines, delimiter=separator), 1)
        if any(cell.strip() for cell in row)
    ]
    if not rows:
        raise InputError("holds no hierarchy", file=name, remedy="Write leaf;parent;…;* on each line.")
    header = [cell.lower() for cell in rows[0][1]]
    try:
        if header == ["child", "parent"]:
            return _from_pairs(rows[1:])
        return Hierarchy.from_paths(_without_padding(rows))
    except InputError as error:
        raise InputError(error.problem, file=name, line=error.line, remedy=error.remedy) from None


def _decompressed(path: Path) -> bytes:
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        import gzip

        return gzip.decompress(raw)
    return raw


def _from_pairs(rows: Iterable[tuple[int, list[str]]]) -> Hierarchy:
    parents: dict[str, str] = {}
    for number, cells in rows:
        if len(cells) != 2 or not all(cells):
            raise InputError(f"{len(cells)} cells instead of a child and its parent", line=number)
        child, parent = cells
        if parents.setdefault(child, parent) != parent:
            raise InputError(
                f"{child!r} has two parents, {parents[child]!r} and {parent!r}",
                line=number,
                remedy="Keep one of them: a value is published by one label only.",
            )
    return Hierarchy.from_parents(parents)


def _without_padding(rows: Iterable[tuple[int, list[str]]]) -> list[list[str]]:
    """The paths without empty cells at their ends, which pad short paths in some files."""
    paths = []
    for _, cells in rows:
        while cells and not cells[-1]:
            cells.pop()
        paths.append(cells)
    return paths


def find_hierarchies(directory: str | os.PathLike[str], columns: Iterable[str]) -> dict[str, Path]:
    """The files in a directory whose name ends in the name of a column, as ``adult_hierarchy_sex.csv`` does."""
    names = list(columns)
    found: dict[str, Path] = {}
    for path in sorted(Path(directory).iterdir()):
        stem = _plain(path.name.split(".")[0])
        fitting = [name for name in names if stem == _plain(name) or stem.endswith(f"-{_plain(name)}")]
        if path.is_file() and fitting:
            found[max(fitting, key=len)] = path
    if not found:
        raise InputError(
            "no file in it is named after a column",
            file=os.fspath(directory),
            remedy=f"Name them like '{names[0] if names else 'column'}.csv', or give column=FILE.",
        )
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]+", "-", name.strip().lower())


def named_hierarchies(given: Any, columns: Iterable[str], textual: Iterable[str]) -> dict[str, Any]:
    """The hierarchy of each column that has one, from a mapping, a directory or texts like ``column=FILE``.

    Files that are only found in a directory apply to `textual` columns; a hierarchy for a numeric column has to
    be named, since it makes the column categorical.
    """
    names = list(columns)
    if given is None:
        return {}
    if isinstance(given, str | os.PathLike):
        given = [given]
    if not isinstance(given, Mapping):
        collected: dict[str, Any] = {}
        for entry in given:
            text = os.fspath(entry)
            column, equals, file = text.partition("=")
            if Path(text).is_dir():
                collected |= find_hierarchies(text, textual)
            elif equals:
                collected[column.strip()] = file.strip()
            else:
                raise InputError(
                    f"the hierarchy {text!r} names no column", remedy="Give column=FILE, or a directory."
                )
        given = collected
    for column in given:
        if column not in names:
            raise InputError(
                f"a hierarchy is given for the column {column!r}, which is not there",
                remedy=did_you_mean(column, names).strip() or f"The columns are {', '.join(names)}.",
            )
    return dict(given)
