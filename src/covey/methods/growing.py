"""Arrays that grow while a kernel fills them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from covey.data.jit import kernel

T = TypeVar("T", bound=np.generic)


@kernel
def larger(array: NDArray[T], need: int) -> NDArray[T]:
    """Return the array itself, or a copy at least twice as long when it is shorter than `need`. O(length)."""
    if need <= len(array):
        return array
    longer = np.empty(max(2 * len(array), need), array.dtype)
    longer[: len(array)] = array
    return longer
