"""Sets as bits, 64 members a word."""

from __future__ import annotations

import numpy as np

from covey.data.jit import kernel

ONE, NONE, FULL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def ones(word: np.uint64) -> np.uint64:
    """Return how many bits of a word are set; the form that compilers know to be one instruction."""
    word = word - ((word >> ONE) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def lowest(word: np.uint64) -> np.int64:
    """Return the place of the lowest bit of a word that is set. Precondition: one is."""
    return np.int64(ones((word & (~word + ONE)) - ONE))
