"""Limits on what compressed files unpack to, as a few kilobytes can unpack to more than any memory holds.

A file may unpack to 256 MiB, or to a hundred times its size if that is more; text seldom packs better than twentyfold.
The environment variable ``COVEY_MAX_DECOMPRESSED`` replaces both limits.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from covey.errors import InputError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

VARIABLE = "COVEY_MAX_DECOMPRESSED"

_LEAST = 1 << 28
_RATIO = 100
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*(?:([kmgt])(i?)b?|b)?", re.IGNORECASE)


def most_decompressed(packed: int) -> int:
    """How many bytes a compressed file of `packed` bytes may unpack to.

    Examples
    --------
    >>> most_decompressed(1000) == 2**28, most_decompressed(10**9) == 10**11
    (True, True)
    """
    given = os.environ.get(VARIABLE, "").strip()
    return byte_count(given) if given else max(_LEAST, _RATIO * packed)


def byte_count(text: str) -> int:
    """A number of bytes, with or without a unit.

    Examples
    --------
    >>> byte_count("10GiB") == 10 * 2**30, byte_count("1.5 MB"), byte_count("4096")
    (True, 1500000, 4096)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ParameterError(
            f"The environment variable {VARIABLE} must be a number of bytes such as 10GiB. Got {text!r} instead."
        )
    number, unit, binary = match.groups()
    power = "kmgt".index(unit.lower()) + 1 if unit else 0
    return int(float(number) * (1024 if binary else 1000) ** power)


def refuse_flood(unpacked: int, packed: int, name: str) -> None:
    """Raise if a file of `packed` bytes that holds `unpacked` bytes, or declares to, is over the limit."""
    limit = most_decompressed(packed)
    if unpacked > limit:
        shown = f"{limit / 2**20:,.0f} MiB" if limit >= 2**28 else f"{limit:,} bytes"
        raise InputError(
            f"unpacks to more than {shown} from {packed:,} bytes",
            file=name,
            remedy="If you trust its source, allow more with the environment variable "
            f"{VARIABLE}, such as {VARIABLE}=100GiB.",
        )


class Unpacked:
    """The bytes of a compressed file as a stream that ends with an error at the limit.

    `codec` is ``gzip`` or ``zstd``, and `name` is what messages call the file.
    """

    def __init__(self, file: pa.NativeFile, name: str, codec: str) -> None:
        import pyarrow as pa

        self._stream = pa.CompressedInputStream(file, codec)
        self._name, self._packed, self._count = name, file.size(), 0

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        got: bytes = self._stream.read(size)
        self._count += len(got)
        refuse_flood(self._count, self._packed, self._name)
        return got
