"""Reading taxonomies: child,parent pairs, level columns, ARX hierarchies, nested JSON; plain or compressed."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from covey.counting import counted
from covey.data import Taxonomy
from covey.errors import InputError
from covey.io.files import whole_text
from covey.io.trees.lines import nothing, separator_of, split_lines

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
