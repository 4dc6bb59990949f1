"""FIMI files: one transaction per line, items separated by spaces, or by a separator of your choice.

An empty line is a transaction without items and is kept. The last line feed is optional, line feeds may be
preceded by a carriage return, and a byte order mark is skipped. With a separator, items may hold blanks;
blanks around an item and items that are empty (``a,,b``) are left out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import offsets_of
from covey.data import Baskets
from covey.errors import InputError
from covey.io.arrow import Coder, Rows
from covey.io.delimited import require_separator
from covey.io.files import empty_file, text_blocks
from covey.progress import Progress, silent

_BLOCK = 1 << 22


def read_fimi(
    path: Path,
    name: str,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    size: int | None = None,
) -> Baskets:
    """Read a FIMI file, plain or compressed; any `size` of the portions gives the same result.

    `separator` is the ASCII character between items; None means any run of blanks and tabs.
    """
    mark = " " if separator is None else separator
    require_separator(mark)
    lines = Rows(schema=pa.schema([]), read=lambda *_: (), file=name, line=lambda row: row + 1)
    items, sizes = Coder(lines, "items"), [np.empty(0, np.int64)]
    done = 0
    for block in text_blocks(path, name, encoding, progress=progress, size=size or _BLOCK):
        block = block.replace(b"\r\n", b"\n")
        if b"\r" in block:
            raise InputError(
                "there is a carriage return in the middle of the line",
                file=name,
                line=done + block.count(b"\n", 0, block.index(b"\r")) + 1,
                remedy="Lines must end in a line feed; convert the line endings, for example with dos2unix.",
            )
        if mark == " ":
            block = block.replace(b"\t", b" ")
        edges = pa.py_buffer(np.array([0, len(block) - 1], np.int64))  # a list of Python would make Arrow import pandas
        whole = pa.Array.from_buffers(pa.large_string(), 1, [None, edges, pa.py_buffer(block)])
        rows = pc.split_pattern(whole, "\n").flatten()
        found = pc.split_pattern(rows, mark)
        sizes.append(np.from_dlpack(pc.list_value_length(found)).astype(np.int64))
        items.add(found.flatten())
        done += len(rows)
    if not done:
        raise empty_file(name)
    coded, ends = items.finish(), offsets_of(np.concatenate(sizes))
    filled = coded.codes >= 0
    return Baskets.build(offsets_of(filled)[ends], coded.codes[filled], coded.labels)
