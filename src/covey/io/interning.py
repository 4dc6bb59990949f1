"""Numbering distinct tokens, and arrays that grow: what every reader collects its entries in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Bytes, Ids, Ints
from covey.errors import InputError
from covey.io.encodings import undecodable
from covey.io.token_keys import intern_keys
from covey.io.tokens import Table, intern, rehash

MOST_IDS = 2**31 - 1


class Growing:
    """An array that grows at its end without ever existing twice.

    Large blocks are moved by the operating system page by page, so the peak is the array itself and at most
    an eighth more; a list of chunks joined at the end would need twice the memory. Small ones are doubled, which is
    faster than growing often.
    """

    #: Arrays of so many bytes are large.
    LARGE = 1 << 24

    def __init__(self, dtype: type[np.generic]) -> None:
        self.array: NDArray[Any] = np.empty(1024, dtype)
        self.used = 0

    def reserve(self, extra: int) -> NDArray[Any]:
        """Make room for `extra` more values and return the whole array."""
        need = self.used + extra
        if need > len(self.array):
            if self.array.nbytes < self.LARGE:
                larger = np.empty(max(need, 2 * len(self.array)), self.array.dtype)  # resize would fill it with zeros
                larger[: self.used] = self.array[: self.used]
                self.array = larger
            else:
                self.array.resize(max(need, len(self.array) * 9 // 8), refcheck=False)
        return self.array

    def room(self, extra: int) -> NDArray[Any]:
        """Return the next `extra` values to be filled in, and count them as used."""
        self.reserve(extra)
        self.used += extra
        return self.array[self.used - extra : self.used]

    def finish(self) -> NDArray[Any]:
        """Return the values, giving the rest of the memory back."""
        self.array.resize(self.used, refcheck=False)
        return self.array


class Interner:
    """Ids for distinct tokens in the order of first sight, with the line each was first seen on.

    Parameters
    ----------
    what : str
        What the tokens are ("items", "transactions"), for messages.
    room : int
        For how many tokens there is room at first, a power of two; more are made room for as they come.
    """

    def __init__(self, what: str = "items", room: int = 1024) -> None:
        self.what = what
        self._slots = np.full(2 * room, -1, np.int32)
        self._keys = np.empty(room, np.int64)
        self._offsets = np.zeros(room + 1, np.int64)
        self._sights = np.empty(room, np.int64)
        self._pool = np.empty(16 * room, np.uint8)
        self._used = np.zeros(1, np.int64)

    def __len__(self) -> int:
        return int(self._used[0])

    def add(self, buffer: Bytes, starts: Ints, stops: Ints, lines: Ints, out: Ids) -> None:
        """Write the id of each token ``buffer[starts[i]:stops[i]]`` to ``out[i]``."""
        done = 0
        while done < len(starts):
            done = intern(buffer, starts, stops, lines, done, self._table(), out)
            if done < len(starts):
                self._grow(int(stops[done] - starts[done]))

    def first_again(self, buffer: Bytes, starts: Ints, stops: Ints, lines: Ints) -> tuple[int, int] | None:
        """Take in tokens that should all be new; the place of the first that is not, and its id."""
        before, got = len(self), np.empty(len(starts), np.int32)
        self.add(buffer, starts, stops, lines, got)
        again = np.flatnonzero(got != np.arange(before, before + len(got)))  # new ids are handed out without a gap
        return (int(again[0]), int(got[again[0]])) if len(again) else None

    def add_keys(self, keys: Ints, line_of: Callable[[Ints], Ints], out: Ids) -> None:
        """Write the id of the token with each key to `out`; `line_of` tells the lines of places among the keys."""
        before, done = len(self), 0
        while done < len(keys):
            done = intern_keys(keys, done, self._table(), out)
            if done < len(keys):
                self._grow(8)
        self._sights[before : len(self)] = line_of(self._sights[before : len(self)])

    def token(self, known: int) -> bytes:
        """The bytes of the token with this id."""
        return self._pool[self._offsets[known] : self._offsets[known + 1]].tobytes()

    def only_digits(self) -> bool:
        """Whether no token holds anything but digits, so that none can be spelled in another way."""
        return self._pool[: self._offsets[len(self)]].tobytes().isdigit()

    def line(self, known: int) -> int:
        """The line on which the token with this id was first seen."""
        return int(self._sights[known])

    def labels(self, file: str | None, encoding: str = "utf-8") -> list[str]:
        """All tokens as text; one that is not valid in `encoding` is an error with its line."""
        raw = self._pool[: self._offsets[len(self)]].tobytes()
        edges = self._offsets[: len(self) + 1].tolist()
        result: list[str] = []
        if raw.isascii():  # and bytes that are split into tokens are in a superset of ASCII
            text = raw.decode("ascii")
            return [text[start:stop] for start, stop in pairwise(edges)]
        try:
            for start, stop in pairwise(edges):
                result.append(raw[start:stop].decode(encoding))
        except UnicodeDecodeError as error:
            raise undecodable(self.token(len(result)), encoding, file, self.line(len(result))) from error
        return result

    def _table(self) -> Table:
        return self._slots, self._keys, self._offsets, self._sights, self._pool, self._used

    def _grow(self, size: int) -> None:
        count = len(self)
        if count >= MOST_IDS:
            raise InputError(f"more than {MOST_IDS} distinct {self.what}", remedy="Split the data.")
        if count >= len(self._keys):
            for array in (self._keys, self._sights):
                array.resize(2 * count, refcheck=False)
            self._offsets.resize(2 * count + 1, refcheck=False)
        if 2 * count >= len(self._slots):
            self._slots = np.full(2 * len(self._slots), -1, np.int32)
            rehash(self._slots, self._keys, count)
        need = int(self._offsets[count]) + size
        if need > len(self._pool):
            self._pool.resize(2 * need, refcheck=False)
