"""Short tokens as numbers: the quick way through text whose tokens all have fewer than 8 bytes.

The key of such a token is its bytes behind a one, as in `tokens.intern`, so that equal keys are equal tokens. Whatever
is out of the ordinary, such as a longer token, a quote or a stray byte, ends the kernels here at the beginning of its
line; those of `tokens` go on from there and find out what it is.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Bytes, Ids, Ints
from covey.data.jit import kernel
from covey.io.tokens import BITS, BLANK, CR, INNER, LF, NEWLINE, PRIME, QUOTE, RETURN, TEXT, Table


@kernel
def token_keys(buffer: Bytes, stop: int, meaning: Bytes, keys: Ints, ends: Ints, tally: Ints) -> int:
    """Write the keys of the tokens of the lines ``buffer[:stop]``; return where the first line not taken starts.

    `meaning`, `ends` and `tally` are as for `tokens.split_tokens`; `keys` has room for a token per two bytes. O(stop).
    """
    before, rows = int(tally[0]), int(tally[1])
    count = taken = at = here = 0
    while at < stop:
        byte = buffer[at]
        meant = meaning[byte]
        if meant == TEXT:
            key, first = np.int64(1), at
            while meant == TEXT and at - first < 8:
                key = (key << 8) | np.int64(byte)
                at += 1
                byte = buffer[at]
                meant = meaning[byte]
            if at - first > 7 or meant == INNER:
                break
            keys[count] = key
            count += 1
        elif meant == NEWLINE:
            ends[rows] = before + count
            rows += 1
            at += 1
            here, taken = at, count
        elif meant == RETURN and meaning[buffer[at + 1]] != NEWLINE:
            break
        else:
            at += 1
    tally[0], tally[1] = before + taken, rows
    return here


@kernel
def cell_keys(buffer: Bytes, stop: int, delimiter: int, columns: int, wanted: Ints, keys: Ints) -> tuple[int, int]:
    """Write the keys of two `wanted` columns of the records in ``buffer[:stop]`` to the two rows of `keys`.

    Returns where the first record not taken starts, and how many were taken. Precondition: the last byte is a line
    feed; `keys` has room for a record per two bytes. O(stop).
    """
    record = at = here = 0
    while at < stop:
        byte, cell, wrong = buffer[at], 0, False
        while not wrong:
            first = at
            if cell == wanted[0] or cell == wanted[1]:
                key = np.int64(1)
                while byte > BLANK and byte != delimiter and byte != QUOTE and at - first < 8:
                    key = (key << 8) | np.int64(byte)
                    at += 1
                    byte = buffer[at]
                keys[0 if cell == wanted[0] else 1, record] = key
                wrong = at == first or at - first > 7
            else:
                while byte != delimiter and byte != LF and byte != QUOTE:
                    at += 1
                    byte = buffer[at]
            cell += 1
            if byte != delimiter or cell == columns:
                break
            at += 1
            byte = buffer[at]
        if byte == CR:
            at += 1
            byte = buffer[at]
        if wrong or byte != LF or cell < columns:
            break
        record += 1
        at += 1
        here = at
    return here, record


@kernel
def intern_keys(keys: Ints, first: int, table: Table, out: Ids) -> int:
    """Write the id of the token with each key, from `first` on, to `out`, as `tokens.intern` does.

    A new token's line is the place of its key, for the caller to look up. Returns the number of keys, or the place to
    go on from when the table is full. Expected O(keys).
    """
    slots, known_keys, offsets, sights, pool, used = table
    last = len(slots) - 1
    new = int(used[0])
    previous, known = np.int64(0), np.int32(-1)
    for i in range(first, len(keys)):
        key = keys[i]
        if key != previous:
            at = ((key ^ (key >> 25)) & BITS) * PRIME & BITS
            at = (at ^ (at >> 19)) & last
            known = slots[at]
            while known >= 0 and known_keys[known] != key:
                at = (at + 1) & last
                known = slots[at]
            if known < 0:
                base, size = offsets[new], np.int64(0)
                while key >> (8 * size) > 1:
                    size += 1
                if new == len(known_keys) or 2 * new >= len(slots) or base + size > len(pool):
                    used[0] = new
                    return i
                for j in range(size):
                    pool[base + j] = (key >> (8 * (size - 1 - j))) & 255
                slots[at] = known = np.int32(new)
                known_keys[new] = key
                sights[new] = i
                offsets[new + 1] = base + size
                new += 1
            previous = key
        out[i] = known
    used[0] = new
    return len(keys)
