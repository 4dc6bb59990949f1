"""Read and write taxonomies and hierarchies: text files with a path or a pair on each line, or nested JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.counting import counted
from covey.data import Hierarchy, Taxonomy
from covey.errors import InputError
from covey.io.arrow import stripped
from covey.io.delimited import records, require_separator, unquoted
from covey.io.files import unreadable, whole_text
from covey.parameters import did_you_mean
from covey.staging import write_whole

_SEPARATORS = ";\t,"


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file that hold anything: their numbers, and their cells without blanks around them."""

    numbers: list[int]
    cells: list[list[str]]

    def body(self) -> Lines:
        """All but the first line, which is a header."""
        return Lines(self.numbers[1:], self.cells[1:])


def split_lines(text: str, source: str | os.PathLike[str], separator: str | None = None) -> Lines:
    """Split text that ends in a line feed into lines and cells, quoted as in `covey.io.delimited`."""
    raw = text.encode()
    mark = separator or separator_of(raw)
    require_separator(mark)
    found = Lines([], [])
    for number, row in records([raw], mark, os.fspath(source)):
        cells = [stripped(cell).strip() for cell in row]
        if any(cells):
            found.numbers.append(number)
            found.cells.append(cells)
    return found


def separator_of(raw: bytes) -> str:
    """What separates the cells: the mark on most lines outside quotes, of equals the first of ``; tab ,``.

    A path may hold commas on every line (``25;[20,30[;*``), so that counting marks would not do.

    Examples
    --------
    >>> separator_of(b"25;[20,30[;[0,50[;*"), separator_of(b"child,parent")
    (';', ',')
    """
    lines = [unquoted(line) for line in raw.split(b"\n")]
    return max(_SEPARATORS, key=lambda mark: sum(mark.encode() in line for line in lines))


def nothing(source: str | os.PathLike[str], what: str, remedy: str) -> InputError:
    """The error for a file without a single cell."""
    return InputError(f"the file holds no {what}", file=os.fspath(source), remedy=remedy)


_LEVEL = re.compile(r"level[ _-]?(\d+)$", re.IGNORECASE)
_CHILD, _PARENT = {"child", "item", "node"}, {"parent"}


def read_taxonomy(
    source: Any, *, encoding: str = "utf-8", second_parent: str = "error", separator: str | None = None
) -> Taxonomy:
    """Read a taxonomy from a file, plain or compressed with gzip or zstd.

    Parameters
    ----------
    source : path or Taxonomy
        One of: CSV with the columns ``child,parent``; CSV with a column ``item`` and one per level above it
        (``item,level2,level1``; a column ``label`` is skipped); an ARX hierarchy (``leaf;parent;…;*``, no header);
        nested JSON (``{"drinks": {"beer": ["ale"]}}``).
    encoding : str
        How the text is encoded.
    second_parent : {"error", "first"}
        What to do in ``child,parent`` files with a child that is given another parent.
    separator : str or None
        Of the cells; recognised when not given.

    Raises
    ------
    InputError
        With file, line and remedy: a cycle, a second parent, a duplicate, ragged lines.
    """
    if isinstance(source, Taxonomy):
        return source
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"a taxonomy comes from a file, not from {type(source).__name__}")
    name = os.fspath(source)
    text = whole_text(source, encoding)
    if text.lstrip()[:1] in ("{", "["):
        return _nested(text, name)
    lines = split_lines(text, source, separator)
    if not lines.cells:
        raise nothing(source, "taxonomy", "List child,parent lines.")
    head = [cell.lower() for cell in lines.cells[0]]
    width = len(head)
    for number, row in zip(lines.numbers, lines.cells, strict=True):
        if len(row) != width:
            raise InputError(
                f"{counted(len(row), 'cell')} instead of {width}",
                file=name,
                line=number,
                remedy="Quote cells that hold the separator.",
            )
    if width < 2:
        raise InputError(
            "has a single column", file=name, line=1,
            remedy="Give child,parent lines, item,level2,level1 columns, or leaf;parent;…;* lines.",
        )  # fmt: skip
    titled = width == 2 and head[0] in _CHILD and head[1] in _PARENT
    levels = not titled and (head[0] == "item" or any(_LEVEL.match(cell) for cell in head))
    lines = lines.body() if titled or levels else lines
    if titled or (width == 2 and not levels and ";" not in (separator, separator_of(text.encode()))):
        pairs = [(child, parent) for child, parent in lines.cells]
        return Taxonomy.from_pairs(pairs, second_parent=second_parent, file=name, lines=lines.numbers)
    order = _level_columns(head) if levels else range(width)
    paths = [[row[column] for column in order] for row in lines.cells]
    return Taxonomy.from_paths(paths, file=name, lines=lines.numbers)


def _level_columns(head: list[str]) -> list[int]:
    """The columns of a path from the item upwards: levels with a number by descending number, others as they stand."""
    item = head.index("item") if "item" in head else 0
    levels = [c for c in range(len(head)) if c != item and head[c] != "label"]
    numbers = {c: match for c in levels if (match := _LEVEL.match(head[c]))}
    if len(numbers) == len(levels):
        levels.sort(key=lambda c: -int(numbers[c].group(1)))
    return [item, *levels]


def _nested(text: str, name: str) -> Taxonomy:
    try:
        tree = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not valid JSON ({error.msg})",
            file=name,
            line=error.lineno,
            remedy="Check it with a JSON tool.",
        ) from None
    except (RecursionError, ValueError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(
            f"cannot be read as JSON ({why})", file=name, remedy="Write the taxonomy as child,parent lines."
        ) from None
    return Taxonomy.from_nested(tree, file=name)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON, which of a label given twice would keep only the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(label for label, _ in pairs if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise ValueError(f"the label {twice!r} is given twice in one object")
    return found


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
        raise InputError(
            f"the label {blank!r} begins or ends with spaces, which such a file cannot contain", remedy="Rename it."
        )
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows(rows)
    write_whole(Path(path), text.getvalue().encode(), force=force)
