"""Discrete Laplace noise: from OpenDP for releases, from a seeded sampler of our own for tests.

Both draw integers k with a probability proportional to exp(-|k| / scale), exactly: no floating-point number takes part
in the seeded one, and OpenDP's sampler is verified. Floating-point Laplace noise would give values away by its low
bits (Mironov, CCS 2012).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from covey.arrays import Ints

#: Adds noise of an integer scale to integers.
AddNoise = Callable[[Ints, int], Ints]


def noise_source(insecure_seed: int | None) -> AddNoise:
    """Return what adds noise: OpenDP's discrete Laplace mechanism or, for tests only, a seeded sampler."""
    if insecure_seed is None:
        return add_secure_noise
    source = random.Random(insecure_seed)
    return lambda values, scale: values + np.array([discrete_laplace(source, scale) for _ in values], np.int64)


def add_secure_noise(values: Ints, scale: int) -> Ints:
    """Return the values with discrete Laplace noise of OpenDP, drawn from the system's entropy."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*space, scale=float(scale))
    return np.array(mechanism(values.tolist()), np.int64)


def discrete_laplace(source: random.Random, scale: int) -> int:
    """Draw an integer with a probability proportional to exp(-|k| / scale); for tests only.

    The exact algorithm of Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy, NeurIPS 2020
    (Algorithm 2), on integers alone.

    Examples
    --------
    >>> [discrete_laplace(random.Random(seed), 100) for seed in range(3)]
    [-149, 17, 7]
    """
    while True:
        rest = source.randrange(scale)
        if not _happens(source, Fraction(rest, scale)):
            continue
        whole = 0
        while _happens(source, Fraction(1)):
            whole += 1
        size = rest + scale * whole
        negative = source.randrange(2) == 1
        if not (negative and size == 0):
            return -size if negative else size


def _happens(source: random.Random, rate: Fraction) -> bool:
    """Return true with probability exp(-rate), for a rate from 0 to 1."""
    turns = 1
    while source.randrange(rate.denominator * turns) < rate.numerator:
        turns += 1
    return turns % 2 == 1
