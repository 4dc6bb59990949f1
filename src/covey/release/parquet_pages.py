"""The pages of a column in a Parquet file: each ends where its last value ends, and names nothing but values."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.arrays import Bytes
from covey.kernels.shared.parquet_runs import end_of_runs, end_of_texts
from covey.release.thrift import Compact
from covey.release.zstd_frames import Loose, unpacked

#: What Parquet calls things by number.
INT64, DOUBLE, TEXT = 2, 5, 6
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8
DATA, DICTIONARY = 0, 2

_TYPES = {pa.int64(): INT64, pa.float64(): DOUBLE, pa.string(): TEXT}


class Strange(ValueError):
    """Something in a file that does not follow from its rows, in words."""


def require(so: object, otherwise: str) -> None:
    """Raise `Strange` unless it is so."""
    if not so:
        raise Strange(otherwise)


def says_only(found: Mapping[int, Any], true: Mapping[int, Any], what: str) -> None:
    """Raise `Strange` if a structure has fields that are not known, or are not as they must be."""
    require(found.items() <= true.items(), f"{what} says more than there is to say")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A column as Parquet has it.

    Attributes
    ----------
    path : list of bytes
        Its name, and those of the levels below it.
    physical : int
        Of the values.
    listed : bool
        Whether there are lists of them.
    """

    path: list[bytes]
    physical: int
    listed: bool

    @classmethod
    def of(cls, name: str, type: pa.DataType) -> Leaf:
        """The leaf of a column with this name and Arrow type."""
        listed = pa.types.is_list(type)
        path = [name.encode(), *([b"list", b"element"] if listed else [])]
        return cls(path=path, physical=_TYPES[type.value_type if listed else type], listed=listed)

    @property
    def name(self) -> str:
        """Its path as one text."""
        return b".".join(self.path).decode()

    def elements(self) -> list[dict[int, Any]]:
        """How the schema of a file describes it."""
        text = {6: 0, 10: {1: {}}} if self.physical == TEXT else {}
        value = {1: self.physical, 3: 1, 4: self.path[-1], **text}
        if not self.listed:
            return [value]
        return [{3: 1, 4: self.path[0], 5: 1, 6: 3, 10: {3: {}}}, {3: 2, 4: b"list", 5: 1}, value]

    def statistics(self, found: Mapping[int, Any]) -> dict[int, Any]:
        """Statistics with the values that they name instead of their bytes."""
        return {n: self._value(given) if n in (1, 2, 5, 6) else given for n, given in found.items()}

    def _value(self, raw: bytes) -> Any:
        return raw if self.physical == TEXT else struct.unpack("<q" if self.physical == INT64 else "<d", raw)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page, decompressed.

    Attributes
    ----------
    leaf : Leaf
        The column.
    head : mapping
        What is said of the page.
    body : uint8 array
        What it holds.
    start, end : int
        Where it stands in the file.
    size : int
        Its length if it were not compressed.
    """

    leaf: Leaf
    head: Mapping[int, Any]
    body: Bytes
    start: int
    end: int
    size: int

    @classmethod
    def at(cls, leaf: Leaf, file: memoryview, start: int) -> Page:
        """The page that begins at `start`."""
        reader = Compact(file, start)
        head = reader.structure()
        packed, size = file[reader.at : reader.at + head[3]], head[2]
        require(len(packed) == head[3], "a page ends behind its file")
        try:
            plain = unpacked(packed, size)
        except Loose:
            raise Strange("a page holds bytes that belong to no value") from None
        return cls(
            leaf=leaf,
            head=head,
            body=np.frombuffer(plain, np.uint8),
            start=start,
            end=reader.at + head[3],
            size=reader.at - start + size,
        )

    @property
    def form(self) -> tuple[int, int]:
        """Whether it is of data or a dictionary, and how its values are written."""
        return self.head[1], self._told[2]

    @property
    def count(self) -> int:
        """How many values it says it has."""
        return int(self._told[1])

    @property
    def named(self) -> dict[int, Any]:
        """Its statistics."""
        return self.leaf.statistics(self._told.get(5, {}))

    @property
    def _told(self) -> Mapping[int, Any]:
        told: Mapping[int, Any] = self.head[5 if self.head[1] == DATA else 7]
        return told

    def listed(self) -> list[Any]:
        """The values of a dictionary."""
        require(self.form in ((DICTIONARY, PLAIN), (DICTIONARY, PLAIN_DICTIONARY)), "a dictionary is odd")
        require(self.head.keys() == {1, 2, 3, 7}, "a dictionary says more than there is to say")
        says_only(self._told, {1: self.count, 2: self.form[1], 3: False}, "a dictionary")
        self._require_end(self._plain_end(0, self.count))
        if self.leaf.physical != TEXT:
            values: list[Any] = self.body.view(np.int64 if self.leaf.physical == INT64 else np.float64).tolist()
            return values
        raw, at, texts = self.body.tobytes(), 0, []
        for _ in range(self.count):
            end = at + 4 + int.from_bytes(raw[at : at + 4], "little")
            texts.append(raw[at + 4 : end])
            at = end
        return texts

    def check_data(self, entries: int) -> None:
        """Raise `Strange` unless a page of data ends where its last value ends.

        There are so many `entries` in the dictionary of its column; -1 if it has none.
        """
        encoding = self.form[1]
        require(self.head.keys() == {1, 2, 3, 5}, "a page says more than there is to say")
        says_only(self._told, {1: self.count, 2: encoding, 3: RLE, 4: RLE, 5: self._told.get(5)}, "a page")
        require(self.count > 0, "a page has no values")
        at, present = 0, self.count
        for width, there in [(1, -1), (2, 3)] if self.leaf.listed else [(1, 1)]:
            stop = at + 4 + int.from_bytes(self.body[at : at + 4].tobytes(), "little")
            at, present = end_of_runs(self.body, at + 4, min(stop, len(self.body)), width, self.count, there)
            require(at == stop, "a page holds levels that belong to no value")
        extremes = {n: self.named.get(n) for n in (1, 2, 5, 6)}
        says_only(self.named, {**extremes, 3: self.count - present, 7: True, 8: True}, "a page's statistics")
        if encoding == PLAIN:
            return self._require_end(self._plain_end(at, present))
        width = int(self.body[at])
        most = max((entries - 1).bit_length(), 1) if entries > 0 else entries
        require(encoding in (PLAIN_DICTIONARY, RLE_DICTIONARY) and width <= most, "a page is written oddly")
        end, _ = end_of_runs(self.body, at + 1, len(self.body), width, present, -1)
        return self._require_end(end)

    def _plain_end(self, at: int, count: int) -> int:
        if self.leaf.physical != TEXT:
            return at + 8 * count
        return end_of_texts(self.body, at, len(self.body), count)

    def _require_end(self, end: int) -> None:
        require(end == len(self.body), "a page holds bytes that belong to no value")
