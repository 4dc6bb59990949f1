"""What several draws from a release say together (`covey.combine`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from covey.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """A figure over several draws.

    Attributes
    ----------
    estimate : float
        The mean over the draws.
    spread : float
        How far one more draw lies from that mean, typically: the standard deviation between draws, times
        √(1 + 1 / draws). It says how much the dealing leaves open, and nothing of what equal chances get wrong.
    draws : int
        How many there were.
    """

    estimate: float
    spread: float
    draws: int


def combine(values: Iterable[float]) -> Combined:
    """One figure from the same figure computed on each of several draws.

    Examples
    --------
    >>> combine([4, 5, 6])
    Combined(estimate=5.0, spread=1.1547005383792515, draws=3)
    """
    found = np.array(list(values), np.float64)
    if len(found) < 2:
        raise ParameterError(f"A spread needs the figures of at least 2 draws. Got {len(found)}.")
    spread = float(found.std(ddof=1)) * math.sqrt(1 + 1 / len(found))
    return Combined(estimate=float(found.mean()), spread=spread, draws=len(found))
