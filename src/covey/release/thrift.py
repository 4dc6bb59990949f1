"""Structures of numbers, texts and structures, in the compact protocol of Thrift, as Parquet files have them.

Read strictly: whatever can be written in two ways is refused in all ways but the shortest, so that a structure says
nothing besides its values. Fields keep their numbers; what they mean is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Structures within structures; those of Parquet need half as many.
DEEPEST = 12

_TRUE, _FALSE, _TEXT, _LIST, _STRUCTURE = 1, 2, 8, 9, 12
_NUMBERS = (5, 6)
#: Numbers that only other writers use: read as what equals no number, so that they are found strange where they stand.
_SHORT = 4


class Compact:
    """Reads structures one after the other.

    Parameters
    ----------
    data : buffer
        Where they stand.
    at : int
        Where the next one begins; moves on with every one that is read.

    Examples
    --------
    >>> Compact(b"\\x15\\x06\\x28\\x02hi\\x00").structure()
    {1: 3, 3: b'hi'}
    """

    def __init__(self, data: Any, at: int = 0) -> None:
        self._data, self.at = data, at
        self._values: dict[int, Callable[[int], Any]] = {
            _TRUE: lambda _: True,
            _FALSE: lambda _: False,
            _TEXT: lambda _: self._text(),
            _LIST: self._list,
            _STRUCTURE: self.structure,
            _SHORT: lambda _: (self._signed(),),
            **dict.fromkeys(_NUMBERS, lambda _: self._signed()),
        }

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """The fields of the next structure, by number."""
        if depth > DEEPEST:
            raise ValueError("structures are nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            if not head >> 4:
                raise ValueError("a field does not follow the one before")
            number += head >> 4
            fields[number] = self._values[head & 15](depth + 1)
        return fields

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        if head & 15 in (_TRUE, _FALSE):
            raise ValueError("a list of truth values")
        count = head >> 4
        if count == 15:
            count = self._number()
            if count < 15:
                raise ValueError("a length is not written in the shortest way")
        read = self._values[head & 15]
        return [read(depth) for _ in range(count)]

    def _text(self) -> bytes:
        length = self._number()
        self.at += length
        if self.at > len(self._data):
            raise ValueError("a text ends behind its file")
        return bytes(self._data[self.at - length : self.at])

    def _signed(self) -> int:
        number = self._number()
        return (number >> 1) ^ -(number & 1)

    def _number(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                if (shift and not byte) or shift > 63:
                    raise ValueError("a number is not written in the shortest way")
                return number
            shift += 7

    def _byte(self) -> int:
        self.at += 1
        return int(self._data[self.at - 1])
