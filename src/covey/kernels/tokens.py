"""Text to numbers and back: split bytes into tokens and cells, number distinct tokens, write baskets out.

Every kernel works on a window of bytes, so files of any size pass through a few megabytes. Distinct tokens
are numbered in the order of first sight by an open-addressing hash table of their bytes: integers, words
and numbers beyond 64 bits all go the same way, and no Python object exists for an entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.kernels.jit import kernel

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]

# slots (token id or -1, a power of two of them), hash of each id, where its bytes start in the pool (one
# more than ids), the line it was first seen on, the pool of bytes, and the number of ids in use.
Table = tuple[Ids, Ints, Ints, Ints, Bytes, Ints]

LF, CR, BLANK, TAB, QUOTE = 10, 13, 32, 9, 34

# What a byte means to `split_tokens`; a text byte or an inner blank continues a token.
TEXT, INNER, SEPARATOR, NEWLINE, RETURN = 0, 1, 2, 3, 4

# How `split_tokens` and `split_cells` came to an end.
DONE, TABLE_FULL, STRAY_RETURN, OPEN_QUOTE, RAGGED, AFTER_QUOTE = 0, 1, 2, 3, 4, 5

# FNV-1a cut to 38 bits: the product stays below 2**63, so it is the same with the compiler switched off.
_SEED, _PRIME, _BITS = 0x4BF29CE484, 0x01000193, (1 << 38) - 1

_TRUE = np.frombuffer(b"true", np.uint8)
_FALSE = np.frombuffer(b"false", np.uint8)


@kernel
def intern(buffer: Bytes, start: int, stop: int, line: int, table: Table) -> int:
    """Return the id of the token ``buffer[start:stop]``, a new one if it is new; -1 if the table is full.

    Precondition: at most half of the slots are taken. Expected O(stop - start).
    """
    slots, hashes, offsets, lines, pool, used = table
    hashed = np.int64(_SEED)
    for i in range(start, stop):
        hashed = ((hashed ^ buffer[i]) * _PRIME) & _BITS
    last = len(slots) - 1
    size = stop - start
    at = (hashed ^ (hashed >> 19)) & last
    while slots[at] >= 0:
        known = int(slots[at])
        base = offsets[known]
        if hashes[known] == hashed and offsets[known + 1] - base == size:
            same = 0
            while same < size and pool[base + same] == buffer[start + same]:
                same += 1
            if same == size:
                return known
        at = (at + 1) & last
    new = int(used[0])
    base = offsets[new]
    if new == len(hashes) or 2 * new >= len(slots) or base + size > len(pool):
        return -1
    for i in range(size):
        pool[base + i] = buffer[start + i]
    slots[at] = new
    hashes[new] = hashed
    lines[new] = line
    offsets[new + 1] = base + size
    used[0] = new + 1
    return new


@kernel
def rehash(slots: Ids, hashes: Ints, count: int) -> None:
    """Enter the ids below `count` into `slots`, all -1 and at least twice as many. Expected O(count)."""
    last = len(slots) - 1
    for known in range(count):
        at = (hashes[known] ^ (hashes[known] >> 19)) & last
        while slots[at] >= 0:
            at = (at + 1) & last
        slots[at] = known


@kernel
def intern_spans(
    buffer: Bytes, starts: Ints, stops: Ints, lines: Ints, first: int, table: Table, out: Ids
) -> int:
    """Write the id of each token ``buffer[starts[i]:stops[i]]``, i >= first, to ``out[i]``; O(bytes).

    Returns the number of tokens, or the position to go on from when the table is full.
    """
    for i in range(first, len(starts)):
        found = intern(buffer, starts[i], stops[i], lines[i], table)
        if found < 0:
            return i
        out[i] = found
    return len(starts)


@kernel
def split_tokens(
    buffer: Bytes, start: int, stop: int, meaning: Bytes, table: Table, entries: Ids, ends: Ints, tally: Ints
) -> int:
    """Number the tokens of whole lines ``buffer[start:stop]``, one transaction a line (REFERENCE: section 1).

    `meaning` says for each byte value what it is; `tally` holds the entries and rows so far, which are also
    the cursors into `entries` and `ends` (the number of entries at the end of each row), and receives the
    position to go on from. Precondition: the last byte is a line feed; `entries` has room for one more per
    two bytes, `ends` for one more per byte. O(stop - start). Returns DONE, TABLE_FULL or STRAY_RETURN.
    """
    count, rows = int(tally[0]), int(tally[1])
    at = start
    outcome = DONE
    while at < stop:
        kind = meaning[buffer[at]]
        if kind == TEXT:
            last = at
            end = at + 1
            kind = meaning[buffer[end]]
            while kind <= INNER:
                if kind == TEXT:
                    last = end
                end += 1
                kind = meaning[buffer[end]]
            found = intern(buffer, at, last + 1, rows + 1, table)
            if found < 0:
                outcome = TABLE_FULL
                break
            entries[count] = found
            count += 1
            at = end
        elif kind == NEWLINE:
            ends[rows] = count
            rows += 1
            at += 1
        elif kind == RETURN and meaning[buffer[at + 1]] != NEWLINE:
            outcome = STRAY_RETURN
            break
        else:
            at += 1
    tally[0], tally[1], tally[2] = count, rows, at
    return outcome


@kernel
def quoted_cell(buffer: Bytes, start: int, stop: int) -> tuple[int, int, int]:
    """Return where the quoted cell with text from `start` on is closed, its doubled quotes and line feeds.

    The position is `stop` when the cell is not closed before it. O(length of the cell).
    """
    at = start
    doubled, feeds = 0, 0
    while at < stop:
        if buffer[at] == QUOTE:
            if at + 1 == stop or buffer[at + 1] != QUOTE:
                return at, doubled, feeds
            doubled += 1
            at += 1
        elif buffer[at] == LF:
            feeds += 1
        at += 1
    return stop, doubled, feeds


@kernel
def split_cells(
    buffer: Bytes, stop: int, delimiter: int, columns: int, starts: Ints, stops: Ints, doubled: Mask,
    lines: Ints, tally: Ints,
) -> int:  # fmt: skip
    """Find the cells of the records in ``buffer[:stop]``, quoted as in RFC 4180; nothing is changed.

    Cell c of record r is number ``r * columns + c``; `lines` receives the line each record starts on. Blanks
    around a cell are left out, as are empty lines when there are several columns. `tally` holds the line of
    the first byte and receives the line and position of the first record not taken, the number of records
    taken, and for an offending one the cells found. Precondition: the last byte is a line feed and the
    outputs have room for one cell per byte. O(stop). Returns DONE, OPEN_QUOTE, RAGGED or AFTER_QUOTE.
    """
    line, here, at = int(tally[0]), 0, 0
    record = 0
    outcome = DONE
    while at < stop:
        if columns > 1 and (buffer[at] == LF or (buffer[at] == CR and buffer[at + 1] == LF)):
            at += 1 if buffer[at] == LF else 2
            line += 1
            here = at
            continue
        cell, breaks = 0, 1
        ended = False
        while not ended:
            while (buffer[at] == BLANK or buffer[at] == TAB) and buffer[at] != delimiter:
                at += 1
            first = at
            number = record * columns + min(cell, columns - 1)
            doubled[number] = False
            if buffer[at] == QUOTE:
                first += 1
                last, twice, feeds = quoted_cell(buffer, first, stop)
                breaks += feeds
                doubled[number] = twice > 0
                at = last + 1
                while at < stop and buffer[at] <= BLANK and buffer[at] != LF and buffer[at] != delimiter:
                    at += 1
                if at >= stop:
                    outcome = OPEN_QUOTE
                elif buffer[at] != delimiter and buffer[at] != LF:
                    outcome = AFTER_QUOTE
                if outcome != DONE:
                    break
            else:
                while buffer[at] != delimiter and buffer[at] != LF:
                    at += 1
                last = at
                while last > first and buffer[last - 1] <= BLANK and buffer[last - 1] != delimiter:
                    last -= 1
            starts[number], stops[number] = first, last
            cell += 1
            ended = buffer[at] == LF
            at += 1
        if outcome == DONE and cell != columns:
            outcome = RAGGED
        if outcome != DONE:
            tally[3] = cell
            break
        lines[record] = line
        record += 1
        line += breaks
        here = at
    tally[0], tally[1], tally[2] = line, here, record
    return outcome


@kernel
def undouble(buffer: Bytes, starts: Ints, stops: Ints, doubled: Mask) -> None:
    """Replace ``""`` by ``"`` in the cells marked as `doubled`, in place, shortening them. O(their bytes)."""
    for number in range(len(starts)):
        if doubled[number]:
            write = at = starts[number]
            while at < stops[number]:
                buffer[write] = buffer[at]
                write += 1
                at += 2 if buffer[at] == QUOTE else 1
            stops[number] = write


@kernel
def read_flag(buffer: Bytes, start: int, stop: int) -> int:
    """Return 1 for a cell that says 1 or true, 0 for 0, false or nothing, -1 for anything else. O(1)."""
    size = stop - start
    if size == 0:
        return 0
    if size == 1:
        return 1 if buffer[start] == 49 else (0 if buffer[start] == 48 else -1)
    if size != 4 and size != 5:
        return -1
    word = _TRUE if size == 4 else _FALSE
    for i in range(size):
        if buffer[start + i] | 32 != word[i]:
            return -1
    return 5 - size


@kernel
def gather_flags(
    buffer: Bytes, starts: Ints, stops: Ints, columns: int, skip: int, entries: Ids, ends: Ints, tally: Ints
) -> int:
    """Write the items set in each record of a 0/1 table; returns the first cell that is no flag, or -1.

    Column `skip` (-1 for none) holds no flag and is no item. `tally` holds the entries and rows so far.
    Precondition: `entries` has room for one more per cell, `ends` for one more per record. O(cells).
    """
    count, rows = int(tally[0]), int(tally[1])
    for record in range(len(starts) // columns):
        item = 0
        for column in range(columns):
            if column == skip:
                continue
            cell = record * columns + column
            flag = read_flag(buffer, starts[cell], stops[cell])
            if flag < 0:
                return cell
            if flag:
                entries[count] = item
                count += 1
            item += 1
        ends[rows] = count
        rows += 1
    tally[0], tally[1] = count, rows
    return -1


@kernel
def format_rows(
    indptr: Ints, indices: Ids, row: int, pool: Bytes, offsets: Ints, separator: int, out: Bytes
) -> tuple[int, int]:
    """Write transactions from `row` on, one a line; return the next row and the bytes written.

    Stops before the row that would not fit. The label of item j is ``pool[offsets[j]:offsets[j + 1]]``.
    O(bytes written).
    """
    size = 0
    while row < len(indptr) - 1:
        need = indptr[row + 1] - indptr[row] + 1
        for e in range(indptr[row], indptr[row + 1]):
            need += offsets[indices[e] + 1] - offsets[indices[e]]
        if size + need > len(out):
            break
        for e in range(indptr[row], indptr[row + 1]):
            if e > indptr[row]:
                out[size] = separator
                size += 1
            for i in range(offsets[indices[e]], offsets[indices[e] + 1]):
                out[size] = pool[i]
                size += 1
        out[size] = LF
        size += 1
        row += 1
    return row, size


@kernel
def format_pairs(
    indptr: Ints, indices: Ids, row: int, pool: Bytes, offsets: Ints, delimiter: int, out: Bytes
) -> tuple[int, int]:
    """Write a line ``row,label`` per entry from `row` on; return the next row and the bytes written.

    Stops before the row that would not fit. O(bytes written).
    """
    size = 0
    while row < len(indptr) - 1:
        digits, rest = 1, row
        while rest >= 10:
            rest //= 10
            digits += 1
        need = 0
        for e in range(indptr[row], indptr[row + 1]):
            need += digits + 2 + offsets[indices[e] + 1] - offsets[indices[e]]
        if size + need > len(out):
            break
        for e in range(indptr[row], indptr[row + 1]):
            rest = row
            for place in range(digits - 1, -1, -1):
                out[size + place] = 48 + rest % 10
                rest //= 10
            size += digits
            out[size] = delimiter
            size += 1
            for i in range(offsets[indices[e]], offsets[indices[e] + 1]):
                out[size] = pool[i]
                size += 1
            out[size] = LF
            size += 1
        row += 1
    return row, size
