"""Read and write taxonomies and hierarchies: text files with a path or a pair on each line, or nested JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from covey.counting import counted
from covey.data import Hierarchy, Taxonomy
from covey.errors import InputError
from covey.io.delimited import records, require_separator, unquoted
from covey.io.files import unreadable, whole_text
from covey.io.rows import stripped
from covey.parameters import did_you_mean
from covey.staging import write_whole

_SEPARATORS = ";\t,"
_LEVEL = re.compile(r"level[ _-]?(\d+)$", re.IGNORECASE)
_CHILD, _PARENT = {"child", "item", "node"}, {"parent"}


def _lines(text: str, name: str, separator: str | None) -> dict[int, list[str]]:
    """Return the lines that hold anything, by their numbers, as cells without blanks around them."""
    mark = separator or _separator_of(text.encode())
    require_separator(mark)
    rows = {number: [stripped(cell).strip() for cell in row] for number, row in records([text.encode()], mark, name)}
    return {number: cells for number, cells in rows.items() if any(cells)}


def _separator_of(raw: bytes) -> str:
    """Return what separates the cells: the mark on most lines outside quotes, of equals the first of ``; tab ,``.

    A path may hold commas on every line (``25;[20,30[;*``), so that counting marks would not do.

    Examples
    --------
    >>> _separator_of(b"25;[20,30[;[0,50[;*"), _separator_of(b"child,parent")
    (';', ',')
    """
    lines = [unquoted(line) for line in raw.split(b"\n")]
    return max(_SEPARATORS, key=lambda mark: sum(mark.encode() in line for line in lines))


def read_taxonomy(
    source: Any, *, encoding: str = "utf-8", second_parent: str = "error", separator: str | None = None
) -> Taxonomy:
    """Read a taxonomy from a file, plain or compressed with gzip or zstd.

    The file is CSV with the columns ``child,parent``; CSV with a column ``item`` and one per level above it
    (``item,level2,level1``; a column ``label`` is skipped); an ARX hierarchy (``leaf;parent;…;*``, no header); or
    nested JSON (``{"drinks": {"beer": ["ale"]}}``). A second parent in a ``child,parent`` file is an error, or with
    `second_parent` "first" left out. Cycles, duplicates and ragged lines are errors with file, line and remedy.
    """
    if isinstance(source, Taxonomy):
        return source
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"a taxonomy comes from a file, not from {type(source).__name__}")
    name = os.fspath(source)
    text = whole_text(source, encoding)
    if text.lstrip()[:1] in ("{", "["):
        return _nested(text, name)
    rows = _lines(text, name, separator)
    if not rows:
        raise InputError("the file holds no taxonomy", file=name, remedy="List child,parent lines.")
    first, header = next(iter(rows.items()))
    head, width = [cell.lower() for cell in header], len(header)
    if width < 2:
        remedy = "Give child,parent lines, item,level2,level1 columns, or leaf;parent;…;* lines."
        raise InputError("has a single column", file=name, line=first, remedy=remedy)
    for number, row in rows.items():
        if len(row) != width:
            problem = f"{counted(len(row), 'cell')} instead of {width}"
            raise InputError(problem, file=name, line=number, remedy="Quote cells that hold the separator.")
    titled = width == 2 and head[0] in _CHILD and head[1] in _PARENT
    levels = not titled and (head[0] == "item" or any(_LEVEL.match(cell) for cell in head))
    if titled or levels:
        del rows[first]
    if titled or (width == 2 and not levels and ";" not in (separator, _separator_of(text.encode()))):
        pairs = [(child, parent) for child, parent in rows.values()]
        return Taxonomy.from_pairs(pairs, second_parent=second_parent, file=name, lines=list(rows))
    order = _level_columns(head) if levels else range(width)
    return Taxonomy.from_paths(
        [[row[column] for column in order] for row in rows.values()], file=name, lines=list(rows)
    )


def _level_columns(head: list[str]) -> list[int]:
    """Return the columns of a path from the item upwards: numbered levels by descending number, others as they are."""
    item = head.index("item") if "item" in head else 0
    levels = [c for c in range(len(head)) if c != item and head[c] != "label"]
    numbers = {c: match for c in levels if (match := _LEVEL.match(head[c]))}
    if len(numbers) == len(levels):
        levels.sort(key=lambda c: -int(numbers[c].group(1)))
    return [item, *levels]


def _nested(text: str, name: str) -> Taxonomy:
    try:
        tree = json.loads(text, object_pairs_hook=_object)
    except (RecursionError, ValueError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error).split(":")[0]
        remedy = "Check it with a JSON tool, or write the taxonomy as child,parent lines."
        raise InputError(f"is not valid JSON ({why})", file=name, line=line, remedy=remedy) from None
    return Taxonomy.from_nested(tree, file=name)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON; Python keeps only the last of several values."""
    found: dict[str, object] = {}
    for label, value in pairs:
        if label in found:
            raise ValueError(f"the label {label!r} is given twice in one object")
        found[label] = value
    return found


def read_hierarchy(source: Any, *, encoding: str = "utf-8") -> Hierarchy:
    """Read the hierarchy of one column.

    `source` is a file with ``leaf;parent;…;*`` on each line (also with commas, if more than two cells stand on some
    line), a CSV file with the columns child and parent, a mapping child → parent, or paths in memory.
    """
    if isinstance(source, Hierarchy):
        return source
    if isinstance(source, Mapping):
        return Hierarchy.from_parents({str(child): str(parent) for child, parent in source.items()})
    if not isinstance(source, str | os.PathLike):
        return Hierarchy.from_paths(_paths(source))
    name = os.fspath(source)
    rows = _lines(whole_text(source, encoding), name, None)
    if not rows:
        raise InputError("the file holds no hierarchy", file=name, remedy="Write leaf;parent;…;* on each line.")
    try:
        first = next(iter(rows))
        if [cell.lower() for cell in rows[first]] == ["child", "parent"]:
            del rows[first]
            return Hierarchy.from_parents(_parents(rows))
        # Empty cells at the end pad short paths in some files.
        paths = (row[: max((at for at, cell in enumerate(row, 1) if cell), default=0)] for row in rows.values())
        return Hierarchy.from_paths(paths, lines=list(rows))
    except InputError as error:
        raise InputError(error.problem, file=name, line=error.line, remedy=error.remedy) from None


def _paths(source: Any) -> Iterator[list[str]]:
    """Yield the paths of a hierarchy in memory."""
    remedy = "Give [['cat', 'pet', '*'], …], from the leaf to the root, or {'cat': 'pet', …}."
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        problem = f"a hierarchy comes from a file, a mapping or paths, not from {type(source).__name__}"
        raise InputError(problem, remedy=remedy)
    for path in source:
        if isinstance(path, str | bytes) or not isinstance(path, Iterable):
            raise InputError(f"{path!r} is where a path of labels is expected", remedy=remedy)
        yield [str(label) for label in path]


def _parents(rows: Mapping[int, list[str]]) -> dict[str, str]:
    parents: dict[str, str] = {}
    for number, cells in rows.items():
        if len(cells) != 2 or not all(cells):
            problem = f"{counted(sum(map(bool, cells)), 'label')} instead of a child and its parent"
            raise InputError(problem, line=number, remedy="Write child,parent on each line.")
        child, parent = cells
        if parents.setdefault(child, parent) != parent:
            problem = f"{child!r} has two parents, {parents[child]!r} and {parent!r}"
            remedy = "Keep one of them: a value is published by one label only."
            raise InputError(problem, line=number, remedy=remedy)
    return parents


def named_hierarchies(given: Any, columns: Sequence[str], textual: Sequence[str]) -> dict[str, Any]:
    """Return the hierarchy of each column that has one, from a mapping, a directory or texts like ``column=FILE``.

    Files that are only found in a directory apply to `textual` columns; a hierarchy for a numeric column has to
    be named, since it makes the column categorical.
    """
    if isinstance(given, Mapping):
        trees = {str(column): tree for column, tree in given.items()}
    else:
        entries = () if given is None else (given,) if isinstance(given, str | os.PathLike) else given
        if not isinstance(entries, Iterable):
            remedy = "Give a mapping from columns to hierarchies, texts like column=FILE, or a directory."
            raise InputError(f"hierarchies cannot be given as {type(given).__name__}", remedy=remedy)
        trees, named = {}, dict[str, Any]()
        for entry in map(os.fspath, entries):
            column, equals, file = (part.strip() for part in entry.partition("="))
            if Path(entry).is_dir():
                trees |= _in_directory(entry, textual)
            elif not equals:
                raise InputError(f"the hierarchy {entry!r} names no column", remedy="Give column=FILE, or a directory.")
            elif named.setdefault(column, file) != file:
                raise InputError(f"the column {column!r} is given two hierarchies", remedy="Give one file for it.")
        trees |= named
    for column in trees:
        if column not in columns:
            raise InputError(
                f"a hierarchy is given for the column {column!r}, which is not there",
                remedy=did_you_mean(column, columns).strip() or f"The columns are {', '.join(columns)}.",
            )
    return trees


def _in_directory(directory: str, columns: Sequence[str]) -> dict[str, Path]:
    """Return the files in a directory whose name ends in the name of a column, as ``adult_hierarchy_sex.csv`` does."""
    found: dict[str, Path] = {}
    try:
        inside = sorted(Path(directory).iterdir())
    except OSError as error:
        raise unreadable(error, directory) from error
    for path in inside:
        stem = _plain(path.name.split(".")[0])
        fitting = [name for name in columns if stem == _plain(name) or stem.endswith(f"-{_plain(name)}")]
        if path.is_file() and fitting:
            found[max(fitting, key=len)] = path
    if not found:
        remedy = f"Name them like '{columns[0] if columns else 'column'}.csv', or give column=FILE."
        raise InputError("no file in it is named after a column", file=directory, remedy=remedy)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]+", "-", name.strip().lower())


def write_taxonomy(tree: Taxonomy, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a taxonomy as CSV with the columns child and parent, in the order of a walk.

    A file that exists is replaced, whole, with `force` only.

    Examples
    --------
    >>> import tempfile, covey
    >>> tree = covey.Taxonomy.from_nested({"drinks": {"beer": ["ale", "stout"], "tea": {}}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     covey.write_taxonomy(tree, f"{folder}/tree.csv")
    ...     covey.read_taxonomy(f"{folder}/tree.csv").labels == tree.labels
    True
    """
    rows = [(tree.labels[node], tree.labels[int(tree.parent[node])]) for node in range(1, tree.size)]
    _write_rows(path, [("child", "parent"), *(rows or [(tree.labels[0], "")])], ",", force)


def write_hierarchy(tree: Hierarchy, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a hierarchy with ``leaf;parent;…;*`` on each line; a file that exists is replaced with `force` only."""
    rows = []
    for leaf in range(tree.leaves):
        node, steps = leaf, [tree.labels[leaf]]
        while tree.parent[node] >= 0:
            node = int(tree.parent[node])
            steps.append(tree.labels[node])
        rows.append(tuple(steps))
    _write_rows(path, rows, ";", force)


def _write_rows(path: str | os.PathLike[str], rows: list[tuple[str, ...]], mark: str, force: bool) -> None:
    blank = next((label for row in rows for label in row if label != label.strip()), None)
    if blank is not None:
        problem = f"the label {blank!r} begins or ends with spaces, which such a file cannot contain"
        raise InputError(problem, remedy="Rename it.")
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows(rows)
    write_whole(Path(path), text.getvalue().encode(), force=force)
