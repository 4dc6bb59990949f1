"""The scale of ratings: lowest, highest, and the step between neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.arrays import Codes, Floats, Ints
from covey.errors import ParameterError

#: Codes are int16.
MOST_LEVELS = 32_000


@dataclass(frozen=True, slots=True)
class Scale:
    """Ratings ``low, low + step, ..., high``, kept as the codes 1 .. `levels`.

    The papers' ratings are 1 .. r. Any other scale is mapped to it by counting steps: the lowest rating
    becomes one step, so that `r`, the distance between a rating and none, is ``high - low + step`` and
    always larger than the distance between two ratings.

    Parameters
    ----------
    low, high : float
        The lowest and highest rating.
    step : float
        The distance between neighbouring ratings; ``high - low`` must be a multiple of it.

    Examples
    --------
    >>> Scale.parse("0.5:5:0.5")
    Scale(low=0.5, high=5.0, step=0.5)
    >>> Scale.parse("1:6").r, Scale.parse("-10:10:0.01").levels
    (6.0, 2001)
    """

    low: float
    high: float
    step: float = 1.0

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (self.low, self.high, self.step)) or self.step <= 0:
            raise ParameterError(f"A scale needs finite ends and a positive step. Got {self.text} instead.")
        steps = (self.high - self.low) / self.step
        if steps < 0 or steps > MOST_LEVELS - 1 or abs(steps - round(steps)) > 1e-6:
            raise ParameterError(
                f"The scale {self.text} does not run from low to high in at most {MOST_LEVELS:,} whole "
                "steps. Write low:high or low:high:step, such as 1:5 or -10:10:0.01."
            )

    @classmethod
    def parse(cls, text: Scale | str) -> Scale:
        """Read ``low:high`` or ``low:high:step``; a scale itself is returned as it is."""
        if isinstance(text, Scale):
            return text
        parts = text.split(":")
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 3):
            raise ParameterError(
                f"Cannot read the scale {text!r}: write low:high or low:high:step, such as 1:5 or 0.5:5:0.5."
            )
        return cls(*numbers)

    @property
    def text(self) -> str:
        """The scale as written everywhere."""
        parts = [self.low, self.high] + [self.step] * (self.step != 1)
        return ":".join(f"{part:.12g}" for part in parts)

    @property
    def levels(self) -> int:
        """Number of different ratings."""
        return round((self.high - self.low) / self.step) + 1

    @property
    def r(self) -> float:
        """The distance between a rating and none (docs/papers.md, Sun et al. 2010)."""
        return self.levels * self.step

    def steps(self, distance: float) -> int:
        """How many whole steps fit into a distance; 0.3 holds three steps of 0.1 in spite of rounding.

        Examples
        --------
        >>> Scale(0.0, 1.0, 0.1).steps(0.3)
        3
        """
        return math.floor(min(distance / self.step, 2.0**40) + 1e-9)

    def encode(self, values: Floats) -> tuple[Codes, Ints]:
        """The codes of ratings, and the positions of those that are not on the scale (NaN is not)."""
        steps = (values - self.low) / self.step
        near = np.rint(np.nan_to_num(steps, nan=-1.0, posinf=-1.0, neginf=-1.0))
        good = (np.abs(np.nan_to_num(steps, nan=-9.0, posinf=-9.0, neginf=-9.0) - near) < 1e-6) & (near >= 0)
        good &= near < self.levels
        return np.where(good, near + 1, 1).astype(np.int16), np.flatnonzero(~good)

    def decode(self, codes: Codes) -> Floats:
        """The ratings behind codes, free of the dust of binary fractions."""
        values: Floats = np.round(self.low + (codes.astype(np.float64) - 1.0) * self.step, 9)
        return values
