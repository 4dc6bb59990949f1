"""Whether a file looks like a table, and how it then begins."""

from __future__ import annotations

from covey.counting import counted
from covey.io.baskets.recognition import DELIMITERS
from covey.io.preview import Head, Preview


def likeness(start: Head) -> int:
    """Anything may be a table, if it looks like nothing else."""
    return 1


def preview(start: Head) -> Preview:
    """What stands between cells, and the first rows."""
    mark = start.delimiter
    how = f"CSV, cells separated by {DELIMITERS.get(mark, repr(mark))}" if mark else start.called
    said = f"{how}: rows of persons, {counted(len(start.first), 'column')}."
    return Preview(recognised=said, columns=start.first, rows=start.rows)
