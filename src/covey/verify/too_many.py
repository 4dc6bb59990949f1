"""Comparing counts with shares without ever multiplying: no product can overflow, however large a parameter is."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints, Mask


def over_share(count: Ints, size: Ints, p: int) -> Mask:
    """Where more than 1 in `p` of `size` are counted: p · count > size, in whole numbers.

    Examples
    --------
    >>> over_share(np.array([1, 2]), np.array([10, 10]), 2**62).tolist()
    [True, True]
    """
    most = int(size.max(initial=0))
    allowed = size // p if p <= most else np.zeros_like(size)
    return np.asarray(count > allowed, np.bool_)
