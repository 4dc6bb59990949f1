"""Whether a deflated stream holds nothing but its content: decompressors pass over empty blocks and unused bits."""

from __future__ import annotations

import numpy as np

from covey.arrays import Bytes, Ints
from covey.kernels.shared.jit import kernel


@kernel
def _bits(data: Bytes, at: int, count: int) -> int:
    """The number in `count` bits from bit `at` on, which must be there."""
    number = 0
    for i in range(count):
        number |= ((int(data[(at + i) >> 3]) >> ((at + i) & 7)) & 1) << i
    return number


@kernel
def _code(lengths: Bytes, first: int, count: int, table: Ints) -> None:
    """Fill a table with the Huffman code that gives `count` symbols these lengths.

    How many symbols have each length; from 16 on the symbols in their order; from 304 on, for the next 10 bits of a
    stream, the symbol and the length of its code, or 0 if it is longer.
    """
    table[:16] = 0
    table[304:] = 0
    for i in range(count):
        table[int(lengths[first + i])] += 1
    place, code = 16, 0
    for length in range(1, 16):
        for i in range(count):
            if lengths[first + i] == length:
                table[place] = i
                place += 1
                if length <= 10:
                    turned = 0
                    for bit in range(length):
                        turned |= ((code >> bit) & 1) << (length - 1 - bit)
                    table[304 + turned :: 1 << length] = i << 4 | length
                code += 1
        code <<= 1


@kernel
def _symbol(data: Bytes, at: int, stop: int, table: Ints) -> tuple[int, int]:
    """The symbol whose code begins at bit `at`, and where it ends; -1 if there is none."""
    if at + 24 <= stop:
        byte = at >> 3
        near = int(data[byte]) | int(data[byte + 1]) << 8 | int(data[byte + 2]) << 16
        found = int(table[304 + ((near >> (at & 7)) & 1023)])
        if found:
            return found >> 4, at + (found & 15)
    code = first = index = 0
    for length in range(1, 16):
        if at >= stop:
            return -1, at
        code |= (int(data[at >> 3]) >> (at & 7)) & 1
        at += 1
        count = int(table[length])
        if code - count < first:
            return int(table[16 + index + code - first]), at
        index += count
        first = (first + count) << 1
        code <<= 1
    return -1, at


@kernel
def _described(data: Bytes, at: int, stop: int, lengths: Bytes, table: Ints) -> tuple[int, int, int]:
    """Read the lengths of a block's own codes; gives how many there are of both codes, and where they end, or -1."""
    order = np.array([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15])
    if at + 14 > stop:
        return 0, 0, -1
    literals, others, given = _bits(data, at, 5) + 257, _bits(data, at + 5, 5) + 1, _bits(data, at + 10, 4) + 4
    at += 14
    if literals > 286 or others > 30 or at + 3 * given > stop:
        return 0, 0, -1
    lengths[:] = 0
    for i in range(given):
        lengths[order[i]] = _bits(data, at + 3 * i, 3)
    at += 3 * given
    _code(lengths, 0, 19, table)
    lengths[:] = 0
    i = 0
    while i < literals + others:
        symbol, at = _symbol(data, at, stop, table)
        if symbol < 0 or at + 7 > stop:
            return 0, 0, -1
        if symbol < 16:
            lengths[i] = symbol
            i += 1
            continue
        extra = 2 if symbol == 16 else 3 if symbol == 17 else 7
        again = _bits(data, at, extra) + (11 if symbol == 18 else 3)
        at += extra
        if i + again > literals + others or (symbol == 16 and i == 0):
            return 0, 0, -1
        if symbol == 16:
            lengths[i : i + again] = lengths[i - 1]
        i += again
    return literals, others, at


@kernel
def _end_of_symbols(data: Bytes, at: int, stop: int, table: Ints, distances: Ints) -> tuple[int, int, int]:
    """Where a block's symbols end, or -1; how many bytes they stand for, and how many bits the general code needs."""
    content, plain = 0, 10
    while True:
        symbol, at = _symbol(data, at, stop, table)
        if symbol < 0 or symbol > 285:
            return -1, 0, 0
        if symbol == 256:
            return at, content, plain
        if symbol < 256:
            content += 1
            plain += 8 if symbol < 144 else 9
            continue
        extra, base = 0, symbol - 254
        if symbol == 285:
            base = 258
        elif symbol >= 265:
            extra = (symbol - 261) >> 2
            base = 3 + ((4 + ((symbol - 265) & 3)) << extra)
        if at + extra > stop:
            return -1, 0, 0
        content += base + _bits(data, at, extra)
        at += extra
        plain += (7 if symbol < 280 else 8) + extra + 5
        symbol, at = _symbol(data, at, stop, distances)
        extra = 0 if symbol < 4 else (symbol - 2) >> 1
        if symbol < 0 or symbol > 29 or at + extra > stop:
            return -1, 0, 0
        at += extra
        plain += extra


@kernel
def is_tight(data: Bytes) -> bool:
    """Whether a valid stream has no empty block before its last, none larger than it need be, and no free bit.

    A block with a Huffman code of its own is written only where it is smaller than the content as it is, or in the
    general code, which needs no description. O(bits).
    """
    lengths = np.zeros(320, np.uint8)
    table, distances = np.zeros(304 + 1024, np.int64), np.zeros(304 + 1024, np.int64)
    at, stop, last = 0, len(data) * 8, 0
    while not last:
        if at + 3 > stop:
            return False
        begin, last, coding = at, _bits(data, at, 1), _bits(data, at + 1, 2)
        at += 3
        if coding == 0:
            pad = -at % 8
            if at + pad + 32 > stop or _bits(data, at, pad):
                return False
            content = _bits(data, at + pad, 16)
            at += pad + 32 + 8 * content
        else:
            literals, others = 288, 30
            if coding == 1:
                for i in range(288):
                    lengths[i] = 8 if i < 144 else 9 if i < 256 else 7 if i < 280 else 8
                lengths[288:318] = 5
            else:
                literals, others, at = _described(data, at, stop, lengths, table)
            if at < 0:
                return False
            _code(lengths, 0, literals, table)
            _code(lengths, literals, others, distances)
            at, content, plain = _end_of_symbols(data, at, stop, table, distances)
            # A byte more, since compressors compare whole bytes; content as it is comes behind up to 42 bits.
            if at < 0 or (coding == 2 and at - begin > 8 + max(plain, 8 * content + 42)):
                return False
        if content == 0 and not last:
            return False
    return stop - 8 < at <= stop and not _bits(data, at, stop - at)
