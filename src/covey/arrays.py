"""The types of arrays, named once, offsets and places; what an array of a type means is said where it is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Rows, groups, counts and offsets.
Ints = NDArray[np.int64]
#: Items, labels and nodes, by number.
Ids = NDArray[np.int32]
#: Ratings, as steps of their scale.
Codes = NDArray[np.int16]
#: Probabilities, losses and distances.
Floats = NDArray[np.float64]
#: 1 for what is wanted, -1 for what is not, 0 for the rest.
Signs = NDArray[np.int8]
#: Which ones of many.
Mask = NDArray[np.bool_]
#: 64 yes-or-no answers each, or a hash.
Words = NDArray[np.uint64]
#: Text as it stands in a file, and small numbers.
Bytes = NDArray[np.uint8]
#: Places in a list of fewer than 2^32 numbers.
Places = NDArray[np.uint32]
#: Two numbers that belong together, as real and imaginary part.
Pairs = NDArray[np.complex128]


def offsets_of(lengths: ArrayLike) -> Ints:
    """Return where each of several runs begins, given their lengths, and last where all of them end.

    Examples
    --------
    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def places_of(chosen: Ints, size: int) -> Ids:
    """Return the place in `chosen` of each number below `size`, -1 for those that are not there.

    Examples
    --------
    >>> places_of(np.array([2, 0]), 4).tolist()
    [1, -1, 0, -1]
    """
    place = np.full(size, -1, np.int32)
    place[chosen] = np.arange(len(chosen), dtype=np.int32)
    return place
