"""Discrete Laplace noise: from OpenDP for releases, from a seeded generator for tests.

Floating-point Laplace noise would give values away by its low bits (Mironov, CCS 2012). OpenDP draws integers k with a
probability proportional to exp(-|k| / scale) exactly, and from the system's entropy; the generator nearly so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from covey.arrays import Ints

#: Adds noise of an integer scale to integers.
AddNoise = Callable[[Ints, int], Ints]


def noise_source(insecure_seed: int | None) -> AddNoise:
    """Return what adds noise: OpenDP's discrete Laplace mechanism or, for tests only, a seeded generator."""
    if insecure_seed is None:
        return add_secure_noise
    rng = np.random.default_rng(insecure_seed)
    return lambda values, scale: values + np.diff(rng.geometric(-np.expm1(-1 / scale), (2, len(values))), axis=0)[0]


def add_secure_noise(values: Ints, scale: int) -> Ints:
    """Return the values with discrete Laplace noise of OpenDP."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*space, scale=float(scale))
    return np.array(mechanism(values.tolist()), np.int64)
