"""Memory that is given back as soon as it is no longer needed."""

from __future__ import annotations

import ctypes
import sys

#: Larger blocks are asked for and given back one by one; what is smaller comes from a heap that hardly ever shrinks.
LARGE = 1 << 20
#: What glibc calls this setting in malloc.h.
M_MMAP_THRESHOLD = -3


def give_back() -> None:
    """Have large arrays return to the system when they are freed, where the C library is glibc.

    Of itself it raises the limit to 32 MiB as soon as such a block is freed; arrays of a few million rows then leave
    holes in the heap, worth as much as the arrays of the data.
    """
    if sys.platform == "linux":
        tune = getattr(ctypes.CDLL(None), "mallopt", None)
        if tune is not None:
            tune(M_MMAP_THRESHOLD, LARGE)
