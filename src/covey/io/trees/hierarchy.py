"""Reading generalization hierarchies: ``leaf;parent;…;*`` on each line, or a CSV of child,parent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from covey.counting import counted
from covey.data.hierarchy import Hierarchy
from covey.errors import InputError
from covey.io.files import unreadable, whole_text
from covey.io.trees.lines import Lines, nothing, split_lines
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
        return Hierarchy.from_paths(_paths(source))
    lines = split_lines(whole_text(source, encoding), source)
    if not lines.cells:
        raise nothing(source, "hierarchy", "Write leaf;parent;…;* on each line.")
    try:
        if [cell.lower() for cell in lines.cells[0]] == ["child", "parent"]:
            return _from_pairs(lines.body())
        return Hierarchy.from_paths(map(_without_padding, lines.cells), lines=lines.numbers)
    except InputError as error:
        raise InputError(error.problem, file=os.fspath(source), line=error.line, remedy=error.remedy) from None


def _paths(source: Any) -> Iterator[list[str]]:
    """The paths of a hierarchy in memory."""
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        raise InputError(
            f"a hierarchy comes from a file, a mapping or paths, not from {type(source).__name__}",
            remedy="Give [['cat', 'pet', '*'], …] or {'cat': 'pet', …}.",
        )
    for path in source:
        if isinstance(path, str | bytes) or not isinstance(path, Iterable):
            raise InputError(
                f"{path!r} is where a path of labels is expected",
                remedy="Give [['cat', 'pet', '*'], …], from the leaf to the root.",
            )
        yield [str(label) for label in path]


def _from_pairs(lines: Lines) -> Hierarchy:
    parents: dict[str, str] = {}
    for number, cells in zip(lines.numbers, lines.cells, strict=True):
        if len(cells) != 2 or not all(cells):
            raise InputError(
                f"{counted(sum(map(bool, cells)), 'label')} instead of a child and its parent",
                line=number,
                remedy="Write child,parent on each line.",
            )
        child, parent = cells
        if parents.setdefault(child, parent) != parent:
            raise InputError(
                f"{child!r} has two parents, {parents[child]!r} and {parent!r}",
                line=number,
                remedy="Keep one of them: a value is published by one label only.",
            )
    return Hierarchy.from_parents(parents)


def _without_padding(cells: list[str]) -> list[str]:
    """A path without empty cells at its end, which pad short paths in some files."""
    return cells[: max((place for place, cell in enumerate(cells, 1) if cell), default=0)]


def find_hierarchies(directory: str | os.PathLike[str], columns: Iterable[str]) -> dict[str, Path]:
    """The files in a directory whose name ends in the name of a column, as ``adult_hierarchy_sex.csv`` does."""
    names = list(columns)
    found: dict[str, Path] = {}
    try:
        inside = sorted(Path(directory).iterdir())
    except OSError as error:
        raise unreadable(error, os.fspath(directory)) from error
    for path in inside:
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
        if not isinstance(given, Iterable):
            raise InputError(
                f"hierarchies cannot be given as {type(given).__name__}",
                remedy="Give a mapping from columns to hierarchies, texts like column=FILE, or a directory.",
            )
        collected: dict[str, Any] = {}
        named: set[str] = set()
        for entry in given:
            text = os.fspath(entry) if isinstance(entry, os.PathLike) else str(entry)
            column, equals, file = text.partition("=")
            if Path(text).is_dir():
                collected |= find_hierarchies(text, textual)
            elif equals:
                if column.strip() in named:
                    raise InputError(
                        f"the column {column.strip()!r} is given two hierarchies", remedy="Give one file for it."
                    )
                named.add(column.strip())
                collected[column.strip()] = file.strip()
            else:
                raise InputError(f"the hierarchy {text!r} names no column", remedy="Give column=FILE, or a directory.")
        given = collected
    trees = {str(column): tree for column, tree in given.items()}
    for column in trees:
        if column not in names:
            raise InputError(
                f"a hierarchy is given for the column {column!r}, which is not there",
                remedy=did_you_mean(column, names).strip() or f"The columns are {', '.join(names)}.",
            )
    return trees
