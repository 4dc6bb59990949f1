"""FIMI files: one transaction per line, items separated by spaces, or by a separator of your choice.

An empty line is a transaction without items and is kept. The last line feed is optional, line feeds may be
preceded by a carriage return, and a byte order mark is skipped. With a separator, items may hold blanks;
blanks around an item and items that are empty (``a,,b``) are left out.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from covey.arrays import Bytes, Ints
from covey.data import Baskets
from covey.errors import InputError
from covey.io.delimited import one_byte
from covey.io.encodings import byte_encoding
from covey.io.files import CHUNK, empty_file, window
from covey.io.interning import Growing, Interner
from covey.io.token_keys import token_keys
from covey.io.tokens import INNER, NEWLINE, RETURN, SEPARATOR, TEXT, split_tokens
from covey.progress import Progress, silent


def read_fimi(
    path: Path,
    name: str,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    chunk: int = CHUNK,
) -> Baskets:
    """Read a FIMI file, plain or compressed.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        What messages call it.
    separator : str, optional
        The ASCII character between items; None means any run of blanks and tabs.
    encoding : str
        How labels are encoded.
    chunk : int
        Bytes read at a time; any value gives the same result.
    """
    meaning = meanings(separator)
    items, entries, ends = Interner(), Growing(np.int32), Growing(np.int64)
    ends.room(1)[:] = 0
    tally = np.zeros(2, np.int64)
    starts = stops = lines = np.empty(0, np.int64)
    with window(path, name, encoding=encoding, chunk=chunk, progress=progress) as view:
        while view.fill(int(tally[1]) + 1):
            stop = view.last_line()
            if stop > 2 * len(starts):
                starts, stops, lines = (np.empty(len(view.data) // 2 + 1, np.int64) for _ in range(3))
            before, rows = tally.tolist()
            taken = token_keys(view.data, stop, meaning, starts, ends.reserve(stop)[1:], tally)
            found, ends.used = int(tally[0]) - before, int(tally[1]) + 1
            of_row = ends.array[rows + 1 : ends.used] - before
            items.add_keys(starts[:found], partial(_lines, rows + 1, of_row), entries.room(found))
            view.drop(taken)
            if taken == stop:
                continue
            stop -= taken
            found = split_tokens(view.data, stop, meaning, starts, stops, lines, ends.reserve(stop)[1:], tally)
            ends.used = int(tally[1]) + 1
            if found < 0:
                raise InputError(
                    "there is a carriage return in the middle of the line",
                    file=name,
                    line=int(tally[1]) + 1,
                    remedy="Lines must end in a line feed; convert the line endings, for example with dos2unix.",
                )
            items.add(view.data, starts[:found], stops[:found], lines[:found], entries.room(found))
            view.drop(stop)
    if tally[1] == 0:
        raise empty_file(name)
    labels = items.labels(name, byte_encoding(encoding))
    return Baskets.build(ends.finish(), entries.finish(), labels)


def _lines(first: int, ends: Ints, places: Ints) -> Ints:
    """The lines of tokens at some places, where the first line is `first` and `ends` is where each of them ends."""
    return first + np.searchsorted(ends, places, side="right")


def meanings(separator: str | None) -> Bytes:
    """What each byte value is to the tokeniser.

    Examples
    --------
    >>> meanings(",")[[ord("x"), ord(" "), ord(",")]].tolist() == [TEXT, INNER, SEPARATOR]
    True
    """
    table = np.full(256, TEXT, np.uint8)
    table[[ord("\n"), ord("\r")]] = NEWLINE, RETURN
    table[[ord(" "), ord("\t")]] = INNER
    if separator is None or separator == " ":
        table[[ord(" "), ord("\t")]] = SEPARATOR
    else:
        table[one_byte(separator)] = SEPARATOR
    return table
