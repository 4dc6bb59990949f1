"""Where the values of a page of a Parquet file end: what follows them would be seen by no reader."""

from __future__ import annotations

from covey.arrays import Bytes
from covey.kernels.shared.jit import kernel


@kernel
def end_of_runs(page: Bytes, at: int, stop: int, width: int, count: int, sought: int) -> tuple[int, int]:
    """Walk over `count` numbers of `width` bits in runs, which may go up to `stop`.

    A run repeats one number, or packs eight numbers into `width` bytes, the last of them filled up with zeros.

    Returns
    -------
    end : int
        Where the runs end; -1 when there is more or less in them than `count` numbers.
    found : int
        How many of the numbers are `sought`. O(bytes), or O(count) where something is sought.
    """
    left, found = count, 0
    while left > 0:
        head, shift = 0, 0
        while True:
            if at >= stop or shift > 28:
                return -1, 0
            byte = int(page[at])
            at += 1
            head |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if byte == 0 and shift > 7:  # not written in the shortest way
            return -1, 0
        if head & 1:
            packed = (head >> 1) * 8
            begin, bits = at, (head >> 1) * 8 * width
            at += bits >> 3
            if packed == 0 or packed - 8 >= left or at > stop:
                return -1, 0
            here = min(packed, left)
            for bit in range(here * width, bits):
                if (int(page[begin + (bit >> 3)]) >> (bit & 7)) & 1:
                    return -1, 0
            if sought >= 0:
                for i in range(here):
                    number = 0
                    for b in range(width):
                        bit = i * width + b
                        number |= ((int(page[begin + (bit >> 3)]) >> (bit & 7)) & 1) << b
                    if number == sought:
                        found += 1
            left -= here
        else:
            length, number = head >> 1, 0
            for byte_of in range((width + 7) >> 3):
                if at >= stop:
                    return -1, 0
                number |= int(page[at]) << (8 * byte_of)
                at += 1
            if length == 0 or length > left or number >> width:
                return -1, 0
            if number == sought:
                found += length
            left -= length
    return at, found


@kernel
def end_of_texts(page: Bytes, at: int, stop: int, count: int) -> int:
    """Walk over `count` texts, each behind its length in four bytes; -1 when they go beyond `stop`. O(count)."""
    for _ in range(count):
        if at + 4 > stop:
            return -1
        length = 0
        for i in range(4):
            length |= int(page[at + i]) << (8 * i)
        at += 4 + length
        if at > stop:
            return -1
    return at
