"""Reading taxonomies: child,parent pairs, level columns, ARX hierarchies, nested JSON; plain or compressed."""

from __future__ import annotations

import csv
import json
import os
import re
from typing import Any

from covey.data import Taxonomy
from covey.errors import InputError
from covey.io.files import compression, locate, undecodable

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
    text = _text(name, encoding)
    if text.lstrip()[:1] in ("{", "["):
        return _nested(text, name)
    if not text.strip():
        raise InputError("the file holds no taxonomy", file=name, remedy="List child,parent lines.")
    first = text.lstrip("\n").splitlines()[0]
    mark = separator or (
        ";" if first.count(";") >= first.count(",") and ";" in first else "\t" if "\t" in first else ","
    )
    rows = [
        (n, [c.strip() for c in row])
        for n, row in enumerate(csv.reader(text.splitlines(), delimiter=mark), 1)
    ]
    rows = [(n, row) for n, row in rows if any(row)]
    head = [cell.lower() for cell in rows[0][1]]
    width = len(head)
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                f"{len(row)} cells instead of {width}",
                file=name,
                line=line,
                remedy="Quote cells that hold the separator.",
            )
    if width < 2:
        raise InputError(
            "has a single column", file=name, line=1,
            remedy="Give child,parent lines, item,level2,level1 columns, or leaf;parent;…;* lines.",
        )  # fmt: skip
    if width == 2 and head[0] in _CHILD and head[1] in _PARENT:
        pairs = [(row[0], row[1]) for _, row in rows[1:]]
        return _numbered(rows[1:], lambda first: Taxonomy.from_pairs(
            pairs, second_parent=second_parent, file=name, first_line=first))  # fmt: skip
    if head[0] == "item" or any(_LEVEL.match(cell) for cell in head):
        order = _level_columns(head)
        body = rows[1:]
        return _numbered(body, lambda first: Taxonomy.from_paths(
            [[row[c] for c in order] for _, row in body], file=name, first_line=first))  # fmt: skip
    if width == 2 and mark != ";":
        pairs = [(row[0], row[1]) for _, row in rows]
        return Taxonomy.from_pairs(pairs, second_parent=second_parent, file=name, first_line=rows[0][0])
    return Taxonomy.from_paths([row for _, row in rows], file=name, first_line=rows[0][0])


def _numbered(rows: list[tuple[int, list[str]]], make: Any) -> Taxonomy:
    tree: Taxonomy = make(rows[0][0] if rows else 1)
    return tree


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
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not valid JSON ({error.msg})", file=name, line=error.lineno) from None
    except RecursionError:
        raise InputError(
            "is nested too deeply for JSON", file=name, remedy="Write the taxonomy as child,parent lines."
        ) from None
    return Taxonomy.from_nested(tree, file=name)


def _text(name: str, encoding: str) -> str:
    import pyarrow as pa

    path = locate(name)
    codec = compression(path, name)
    with pa.OSFile(os.fspath(path), "rb") as file:
        try:
            raw = (pa.CompressedInputStream(file, codec) if codec else file).read()
        except (OSError, ValueError) as error:
            raise InputError(
                f"the compressed data is damaged or cut off ({str(error).splitlines()[0]})", file=name
            ) from None
    try:
        return bytes(raw).decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise undecodable(error.object[error.start : error.end], encoding, name, line) from None
