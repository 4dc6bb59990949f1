"""Frames of Zstandard that hold nothing but their content.

A decompressor is lenient: it passes over frames made to be skipped, blocks without content, and whatever stands in
front of the bits that it needs of a Huffman stream. So a frame is read here too, far enough to know that it has the
form that Zstandard's own compressor gives it, and that every byte in it counts. Which of the many ways to describe a
content the compressor chose is left to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

_MAGIC = b"\x28\xb5\x2f\xfd"
_NOTHING = _MAGIC + b"\x20\x00\x01\x00\x00"
#: How blocks and their literals are written; literals also with the Huffman code of those before, as 3.
_RAW, _REPEATED, _PACKED = 0, 1, 2
#: Blocks have 128 KiB, or less where the content changes, but hardly less than this.
_SMALLEST = 1 << 13
#: Windows are as large as a block at least; smaller contents are their own window.
_SMALLEST_WINDOW = 17


class Loose(ValueError):
    """A frame that could say the same with other bytes."""


def unpacked(packed: memoryview, size: int) -> bytes:
    """What a frame holds, which must have this size; raises `Loose` if there is anything else in the frame."""
    if size <= 0:
        _require(size == 0 and packed == _NOTHING)
        return b""
    sections = list(_sections(bytes(packed), size))
    plain: bytes = pa.Codec("zstd").decompress(packed, decompressed_size=size, asbytes=True)
    tree = None
    for section in sections:
        _require(section.coding == _PACKED or tree is not None)
        tree = section if section.coding == _PACKED else tree
        section.check(None if tree is section else tree)
    return plain


def _require(so: object) -> None:
    if not so:
        raise Loose("a frame is not as Zstandard writes it")


def _sections(packed: bytes, size: int) -> Iterator[_Literals]:
    """Walk over the blocks of a frame, and give those literals of them that have a Huffman code."""
    at, blocks, last = _after_header(packed, size), 0, 0
    while not last:
        head = int.from_bytes(packed[at : at + 3], "little")
        last, coding, length = head & 1, head >> 1 & 3, head >> 3
        at, blocks = at + 3, blocks + 1
        _require(at <= len(packed) and coding <= _PACKED and length)
        stop = at + (1 if coding == _REPEATED else length)  # a block of one repeated byte has just that byte
        if coding == _PACKED:
            literals = _Literals.of(packed[at:stop])
            if literals.coding >= _PACKED:
                yield literals
        at = stop
    _require(at == len(packed) and blocks <= 1 + size // _SMALLEST)


def _after_header(packed: bytes, size: int) -> int:
    """Where the blocks begin; a header says how large the content is, in the shortest way, and has no checksum."""
    code = (size >= 1 << 8) + (size >= (1 << 16) + 256)
    length = (size - 256 if code == 1 else size).to_bytes(1 << code, "little")
    if packed.startswith(_MAGIC + bytes([code << 6 | 0x20]) + length):
        return 5 + len(length)
    window = packed[5]
    _require(packed[:5] == _MAGIC + bytes([code << 6]) and packed[6:].startswith(length))
    _require(not window & 7 and 1 << _SMALLEST_WINDOW <= 1 << 10 + (window >> 3) < size)
    return 6 + len(length)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Literals:
    """The first part of a compressed block: the bytes that it does not copy from before.

    Attributes
    ----------
    coding : int
        How they are written.
    size : int
        How many there are.
    raw : bytes
        The part.
    streams : list of int
        Where in it each stream of Huffman codes begins.
    """

    coding: int
    size: int
    raw: bytes
    streams: list[int]

    @classmethod
    def of(cls, block: bytes) -> _Literals:
        """The literals of a block, behind which its sequences follow."""
        coding, form = block[0] & 3, block[0] >> 2 & 3
        if coding < _PACKED:
            head, shift = ((1, 3), (2, 4), (1, 3), (3, 4))[form]
            size = int.from_bytes(block[:head], "little") >> shift
            _require(head == 1 + (size > 31) + (size > 4095) and (size or coding == _RAW))
            stop = head + (1 if coding == _REPEATED else size)
            streams = []
        else:
            head, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
            sizes = int.from_bytes(block[:head], "little") >> 4
            size, stop = sizes & (1 << bits) - 1, head + (sizes >> bits)
            _require(head == 3 + (size >= 1 << 10) + (size >= 1 << 14))
            streams = _streams(block[:stop], head + (_tree(block[head:stop]) if coding == _PACKED else 0), form > 0)
        _check_sequences(block[stop:], bool(size))
        return cls(coding=coding, size=size, raw=block[:stop], streams=streams)

    def check(self, tree: _Literals | None) -> None:
        """Raise `Loose` unless every stream is needed up to its first byte, where it ends.

        A stream is read from its end. The lowest bit of its first byte is then the last of its last code: with
        another bit there, another literal must come last. `tree` are the literals that have the code, if not these.
        """
        quarter = (self.size + 3) // 4
        ends = [quarter * i - 1 for i in range(1, len(self.streams))] + [self.size - 1]
        before = [tree] if tree else []
        true = _alone([*before, self])
        for start, end in zip(self.streams, ends, strict=True):
            other = bytearray(self.raw)
            other[start] ^= 1
            try:
                changed = _alone([*before, _Literals(coding=self.coding, size=self.size, raw=bytes(other), streams=[])])
            except OSError:  # then the bit counts as well
                continue
            _require(changed[end - self.size] != true[end - self.size])


def _tree(literals: bytes) -> int:
    """How long the description of a Huffman code is."""
    head = literals[0]
    if head < 128:
        _after_table(literals, 1)
        return 1 + head
    end = 1 + (head - 126) // 2
    _require(head & 1 or not literals[end - 1] & 15)  # two lengths in a byte, the last may be one alone
    return end


def _streams(literals: bytes, at: int, several: bool) -> list[int]:
    """Where streams begin that follow each other up to the end of the literals."""
    if not several:
        return [at]
    starts = [at + 6]
    for i in range(3):
        starts.append(starts[-1] + int.from_bytes(literals[at + 2 * i : at + 2 * i + 2], "little"))
    _require(starts[-1] < len(literals))
    return starts


def _check_sequences(rest: bytes, literals: bool) -> None:
    """Raise `Loose` unless sequences are counted in the shortest way, and are there if there are no literals."""
    first = rest[0]
    at = 1 + (first >= 128) + (first == 255)
    if not first:
        return _require(literals and len(rest) == 1)
    _require(first != 128 or rest[1] >= 128)
    forms = rest[at]
    _require(not forms & 3)
    at += 1
    for shift in (6, 4, 2):
        form = forms >> shift & 3
        at = _after_table(rest, at) if form == _PACKED else at + (form == _REPEATED)
    return None


def _after_table(data: bytes, at: int) -> int:
    """Where a table of frequencies ends; raises `Loose` unless its last byte is filled up with zeros."""
    bits = int.from_bytes(data[at : at + 256], "little")
    left, used = 1 << 5 + (bits & 15), 4
    while left > 0:
        width = (left + 1).bit_length()
        number, lower = bits >> used & (1 << width) - 1, (1 << width - 1) - 1
        spare = (1 << width) - 1 - (left + 1)
        if number & lower < spare:  # small numbers need one bit less
            number, width = number & lower, width - 1
        elif number > lower:
            number -= spare
        used += width
        left -= abs(number - 1)
        more = 3 if number == 1 else 0
        while more == 3:
            more = bits >> used & 3
            used += 2
    _require(not left and not bits >> used & (1 << -used % 8) - 1)
    return at + (used + 7) // 8


def _alone(parts: list[_Literals]) -> bytes:
    """What a frame of nothing but these literals holds."""
    size = sum(part.size for part in parts)
    frame = _MAGIC + b"\xa0" + size.to_bytes(4, "little")
    for number, part in enumerate(parts, 1):
        body = part.raw + b"\0"
        frame += (len(body) << 3 | _PACKED << 1 | (number == len(parts))).to_bytes(3, "little") + body
    plain: bytes = pa.Codec("zstd").decompress(frame, decompressed_size=size, asbytes=True)
    return plain
