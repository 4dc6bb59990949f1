"""Whether a file looks like baskets, and how it then begins."""

from __future__ import annotations

from pathlib import Path

from covey.errors import CoveyError
from covey.io.baskets.columns import usual
from covey.io.baskets.layout import is_flag
from covey.io.baskets.recognition import format_suffix, recognise
from covey.io.preview import ROWS, Head, Preview
from covey.io.quantities import QUANTITY_NAMES

#: More columns than a file of single items usually has.
MANY = 5


def likeness(start: Head) -> int:
    """What is recognized as baskets and neither is wide with other cells than flags, nor seems to be about people."""
    if format_suffix(Path(start.path)) == ".dat":
        return 5
    shared = ("format", "separator", "encoding")
    try:
        known = recognise(start.path, **{key: start.options[key] for key in shared if key in start.options})
    except CoveyError:
        return 0
    if known.layout == "wide" and not all(is_flag(cell.strip()) for row in start.rows for cell in row[1:]):
        return 0
    if known.layout == "long" and len(start.first) > MANY and known.format != "parquet":
        # Many columns of which two happen to have usual names describe people more often than single items, of which
        # there are so many.
        if usual(start.first, QUANTITY_NAMES) is not None:
            return 3
        place = list(start.first).index(known.transaction or start.first[0])
        named = [row[place] for row in start.rows if place < len(row)]
        return 3 if len(set(named)) < len(named) else 0
    return 3


def preview(start: Head) -> Preview:
    """What the file was recognised as, and its first rows: items, or cells."""
    known = recognise(start.path, **start.options)
    rows, columns = (start.rows if known.header else start.lines[:ROWS]), list(known.columns)
    if known.format == "fimi":
        mark = start.options.get("separator") or " "
        lines = [start.delimiter.join(row) for row in rows]
        rows = [[part for part in line.split(None if mark == " " else mark) if part] for line in lines]
        columns = []
    return Preview(recognised=known.describe(), columns=columns, rows=rows)
