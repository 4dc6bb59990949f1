"""Parquet files taken apart to their pages and put together again, with anything in between.

Structures are dictionaries from the number of a field to its type and value, as Thrift's compact protocol has them;
lists are a type and their values.
"""

import struct

import pyarrow as pa

BOOL, I16, I32, I64, TEXT, LIST, STRUCT = 1, 4, 5, 6, 8, 9, 12


def _number(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def _decode(data, at, kind):
    if kind in (1, 2):
        return kind == 1, at
    if kind in (I16, I32, I64):
        number, at = _number(data, at)
        return (number >> 1) ^ -(number & 1), at
    if kind == TEXT:
        length, at = _number(data, at)
        return bytes(data[at : at + length]), at + length
    if kind == LIST:
        inner, count = data[at] & 15, data[at] >> 4
        at += 1
        if count == 15:
            count, at = _number(data, at)
        values = []
        for _ in range(count):
            value, at = _decode(data, at, inner)
            values.append(value)
        return (inner, values), at
    fields, number = {}, 0
    while data[at]:
        head = data[at]
        number += head >> 4
        value, at = _decode(data, at + 1, head & 15)
        fields[number] = (BOOL if head & 15 in (1, 2) else head & 15, value)
    return fields, at + 1


def _varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def encode(kind, value):
    """The bytes of a value."""
    if kind in (I16, I32, I64):
        return _varint((value << 1) ^ (value >> 63))
    if kind == TEXT:
        return _varint(len(value)) + value
    if kind == LIST:
        inner, values = value
        head = bytes([len(values) << 4 | inner]) if len(values) < 15 else bytes([0xF0 | inner]) + _varint(len(values))
        return head + b"".join(encode(inner, one) for one in values)
    out, last = b"", 0
    for number, (of, inside) in sorted(value.items()):
        code = (1 if inside else 2) if of == BOOL else of
        body = b"" if of == BOOL else encode(of, inside)
        near = 0 < number - last < 16
        out += (bytes([number - last << 4 | code]) if near else bytes([code]) + encode(I32, number)) + body
        last = number
    return out + b"\0"


class ParquetFile:
    """A file in pieces: `footer`, and for each row group and column the pages as ``[header, packed body]``."""

    def __init__(self, data):
        length = struct.unpack("<I", data[-8:-4])[0]
        self.footer, _ = _decode(data, len(data) - 8 - length, STRUCT)
        self.between = self.before_footer = self.behind = self.ahead = b""
        self.pages = []
        for group in self.row_groups():
            self.pages.append([self._pages(data, self.meta(group, c)) for c in range(len(group[1][1][1]))])

    def row_groups(self):
        return self.footer[4][1][1]

    @staticmethod
    def meta(group, column):
        """What a footer says of a column in a row group."""
        return group[1][1][1][column][3][1]

    @staticmethod
    def _pages(data, meta):
        at = meta[11][1] if 11 in meta else meta[9][1]
        end, pages = at + meta[7][1], []
        while at < end:
            header, begin = _decode(data, at, STRUCT)
            at = begin + header[3][1]
            pages.append([header, bytes(data[begin:at])])
        return pages

    def body(self, group, column, page):
        """What a page holds, unpacked."""
        header, packed = self.pages[group][column][page]
        return pa.Codec("zstd").decompress(packed, decompressed_size=header[2][1], asbytes=True)

    def set_body(self, group, column, page, plain, behind=b""):
        """Give a page another content."""
        packed = pa.Codec("zstd").compress(plain, asbytes=True) + behind
        header = self.pages[group][column][page][0]
        self.pages[group][column][page] = [{**header, 2: (I32, len(plain)), 3: (I32, len(packed))}, packed]

    def to_bytes(self):
        """The file, with all places and sizes as they are now."""
        out = b"PAR1" + self.ahead
        for group, columns in zip(self.row_groups(), self.pages, strict=True):
            start, plain = len(out), 0
            for column, pages in enumerate(columns):
                meta, begin, size = self.meta(group, column), len(out), 0
                for header, packed in pages:
                    head = encode(STRUCT, header)
                    place = 11 if header[1][1] == 2 else 9
                    if place == 11 or header is next(h for h, _ in pages if h[1][1] == 0):
                        meta[place] = (I64, len(out))
                    out += head + packed
                    size += len(head) + header[2][1]
                meta[6], meta[7] = (I64, size), (I64, len(out) - begin)
                plain += size
                out += self.between
            group[2], group[5] = (I64, plain), (I64, start)
            group[6] = (I64, sum(self.meta(group, c)[7][1] for c in range(len(columns))))
        out += self.before_footer
        footer = encode(STRUCT, self.footer)
        return out + footer + struct.pack("<I", len(footer)) + b"PAR1" + self.behind
