"""Text to numbers and back: split bytes into tokens and cells, number distinct tokens, write baskets out.

Every kernel works on a window of bytes, so files of any size pass through a few megabytes. Distinct tokens
are numbered in the order of first sight by an open-addressing hash table of their bytes: integers, words
and numbers beyond 64 bits all go the same way, and no Python object exists for an entry.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Bytes, Ids, Ints, Mask
from covey.data.jit import kernel

# slots (token id or -1, a power of two of them), key of each id, where its bytes start in the pool (one more
# than ids), the line it was first seen on, the pool of bytes, and the number of ids in use.
Table = tuple[Ids, Ints, Ints, Ints, Bytes, Ints]

LF, CR, BLANK, TAB, QUOTE = 10, 13, 32, 9, 34

# What a byte means to `split_tokens`; a text byte or an inner blank continues a token.
TEXT, INNER, SEPARATOR, NEWLINE, RETURN = 0, 1, 2, 3, 4

# How `split_cells` came to an end.
DONE, OPEN_QUOTE, RAGGED, AFTER_QUOTE = 0, 1, 2, 3

# FNV-1a cut to 38 bits: the product stays below 2**63, so it is the same with the compiler switched off.
PRIME, BITS = 0x01000193, (1 << 38) - 1

_TRUE = np.frombuffer(b"true", np.uint8)
_FALSE = np.frombuffer(b"false", np.uint8)


@kernel
def intern(buffer: Bytes, starts: Ints, stops: Ints, lines: Ints, first: int, table: Table, out: Ids) -> int:
    """Write the id of each token ``buffer[starts[i]:stops[i]]``, i >= first, to ``out[i]``.

    A new token gets the next free id, and ``lines[i]`` is kept as the line of its first sight. Returns the
    number of tokens, or the position to go on from when the table is full. Expected O(bytes).

    The key of a token below 8 bytes is those bytes behind a one, so that equal keys are equal tokens; the key
    of a longer one is a hash with a minus sign, and the bytes decide.
    """
    # written out in the loop: a call for each token would count references to all these arrays, at ten times
    # the cost of finding it
    slots, keys, offsets, sights, pool, used = table
    last = len(slots) - 1
    new = int(used[0])
    for i in range(first, len(starts)):
        start, size = starts[i], stops[i] - starts[i]
        key = np.int64(1)
        if size < 8:
            for j in range(start, start + size):
                key = key * 256 + buffer[j]
        else:
            for j in range(start, start + size):
                key = ((key ^ buffer[j]) * PRIME) & BITS
            key = -key
        at = ((key ^ (key >> 25)) & BITS) * PRIME & BITS
        at = (at ^ (at >> 19)) & last
        known = slots[at]
        while known >= 0:
            if keys[known] == key:
                base = offsets[known]
                same = size if key > 0 else 0
                if offsets[known + 1] - base == size:
                    while same < size and pool[base + same] == buffer[start + same]:
                        same += 1
                if same == size:
                    break
            at = (at + 1) & last
            known = slots[at]
        if known < 0:
            base = offsets[new]
            if new == len(keys) or 2 * new >= len(slots) or base + size > len(pool):
                used[0] = new
                return i
            for j in range(size):
                pool[base + j] = buffer[start + j]
            slots[at] = known = new
            keys[new] = key
            sights[new] = lines[i]
            offsets[new + 1] = base + size
            new += 1
        out[i] = known
    used[0] = new
    return len(starts)


@kernel
def rehash(slots: Ids, keys: Ints, count: int) -> None:
    """Enter the ids below `count` into `slots`, all -1 and at least twice as many. Expected O(count)."""
    last = len(slots) - 1
    for known in range(count):
        at = ((keys[known] ^ (keys[known] >> 25)) & BITS) * PRIME & BITS
        at = (at ^ (at >> 19)) & last
        while slots[at] >= 0:
            at = (at + 1) & last
        slots[at] = known


@kernel
def split_tokens(
    buffer: Bytes, stop: int, meaning: Bytes, starts: Ints, stops: Ints, lines: Ints, ends: Ints, tally: Ints
) -> int:
    """Find the tokens of the lines ``buffer[:stop]``, one transaction a line (docs/papers.md, Ghinita et al. 2008).

    `meaning` says what each byte value is. `tally` holds the entries and rows so far; ``ends[row]`` receives
    the number of entries at the end of each row, and `lines` the line of each token. Precondition: the last
    byte is a line feed; `starts`, `stops` and `lines` have room for a token per two bytes, `ends` for a row
    per byte. O(stop). Returns the number of tokens, or -1 at a carriage return that ends no line, with the
    rows before it in `tally`.
    """
    before, rows = int(tally[0]), int(tally[1])
    count = at = 0
    stray = False
    while at < stop:
        meant = meaning[buffer[at]]
        if meant == TEXT:
            starts[count] = at
            lines[count] = rows + 1
            last = at
            while meant <= INNER:
                if meant == TEXT:
                    last = at
                at += 1
                meant = meaning[buffer[at]]
            stops[count] = last + 1
            count += 1
        elif meant == NEWLINE:
            ends[rows] = before + count
            rows += 1
            at += 1
        elif meant == RETURN and meaning[buffer[at + 1]] != NEWLINE:
            stray = True
            break
        else:
            at += 1
    tally[0], tally[1] = before + count, rows
    return -1 if stray else count


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
def is_word(buffer: Bytes, start: int, word: Bytes) -> bool:
    """Tell whether the ASCII letters of `word`, in either case, stand at `start`. O(len(word))."""
    same = 0
    while same < len(word) and buffer[start + same] | 32 == word[same]:
        same += 1
    return same == len(word)


@kernel
def gather_flags(buffer: Bytes, starts: Ints, stops: Ints, item_of: Ids, entries: Ids, ends: Ints, tally: Ints) -> int:
    """Write the items set in each record of a 0/1 table; returns the first cell that is no flag, or -1.

    1 and true are set; 0, false and nothing are not. Column j is the item ``item_of[j]``; where that is -1 it holds
    no flag and is no item. `tally` holds the entries and rows so far. Precondition: `entries` has room for one more
    per cell, `ends` for one more per record. O(cells).
    """
    count, rows = int(tally[0]), int(tally[1])
    columns = len(item_of)
    bad = -1
    for cell in range(len(starts)):
        column = cell % columns
        size = stops[cell] - starts[cell]
        first = buffer[starts[cell]]
        if item_of[column] >= 0 and size > 0 and not (size == 1 and first == 48):
            if (size == 1 and first == 49) or (size == 4 and is_word(buffer, starts[cell], _TRUE)):
                entries[count] = item_of[column]
                count += 1
            elif not (size == 5 and is_word(buffer, starts[cell], _FALSE)):
                bad = cell
                break
        if column == columns - 1:
            ends[rows] = count
            rows += 1
    tally[0], tally[1] = count, rows
    return bad


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
def digits_of(number: int) -> int:
    """Return how many digits a number has; it is not below 0. O(digits)."""
    digits = np.int64(1)
    while number >= 10:
        number //= 10
        digits += 1
    return digits


@kernel
def put_number(number: int, out: Bytes, size: int) -> int:
    """Write the digits of a number at ``out[size:]``, where there is room for them; return where they end."""
    end = size + digits_of(number)
    for place in range(end - 1, size - 1, -1):
        out[place] = 48 + number % 10
        number //= 10
    return end


@kernel
def format_pairs(
    person: Ids, indptr: Ints, indices: Ids, row: int, pool: Bytes, offsets: Ints, delimiter: int, out: Bytes
) -> tuple[int, int]:
    """Write a line ``row,label`` per entry from `row` on; return the next row and the bytes written.

    With the `person` of each row, which is empty where nobody is named, it is a line ``row,person,label``. Stops before
    the row that would not fit. O(bytes written).
    """
    size = np.int64(0)
    owned = len(person) > 0
    while row < len(indptr) - 1:
        each = digits_of(row) + 2
        if owned:
            each += digits_of(person[row]) + 1
        need = np.int64(0)
        for e in range(indptr[row], indptr[row + 1]):
            need += each + offsets[indices[e] + 1] - offsets[indices[e]]
        if size + need > len(out):
            break
        for e in range(indptr[row], indptr[row + 1]):
            size = put_number(row, out, size)
            out[size] = delimiter
            size += 1
            if owned:
                size = put_number(person[row], out, size)
                out[size] = delimiter
                size += 1
            for i in range(offsets[indices[e]], offsets[indices[e] + 1]):
                out[size] = pool[i]
                size += 1
            out[size] = LF
            size += 1
        row += 1
    return row, size
