"""The scale of ratings: lowest, highest, and the step between neighbours."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np

from covey.arrays import Codes, Floats, Ints
from covey.errors import ParameterError

#: Codes are int16.
MOST_LEVELS = 32_000

#: As the step of a scale on which any number is a rating ...
CONTINUOUS = "continuous"
#: ... which is told from another by this share of the scale.
RESOLUTION = 1 / 20_000

#: More ratings than these are no steps that people would count.
MOST_NATURAL = 21


@dataclass(frozen=True, slots=True)
class Scale:
    """Ratings ``low, low + step, ..., high``, kept as the codes 1 .. `levels`.

    The papers' ratings are 1 .. r. Any other scale is mapped to it by counting steps: the lowest rating
    becomes one step, so that `r`, the distance between a rating and none, is ``high - low + step`` and
    always larger than the distance between two ratings.

    Examples
    --------
    >>> Scale.parse("0.5:5:0.5").levels, Scale.parse("1:6").r, Scale.parse("-10:10:continuous").step
    (10, 6.0, 0.001)
    """

    low: float
    high: float
    step: float = 1.0
    #: Whether any number between the ends is a rating; each is read as the nearest step.
    continuous: bool = False

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (self.low, self.high, self.step)) or self.step <= 0:
            raise ParameterError(f"A scale needs finite ends and a positive step. Got {self.text} instead.")
        steps = (self.high - self.low) / self.step
        if steps < 0 or steps > MOST_LEVELS - 1 or abs(steps - round(steps)) > 1e-6:
            raise ParameterError(
                f"The scale {self.text} does not run from low to high in at most {MOST_LEVELS:,} whole "
                f"steps. Write low:high or low:high:step, such as 1:5 or 0.5:5:0.5, or -10:10:{CONTINUOUS}."
            )

    @classmethod
    def parse(cls, text: Scale | str) -> Scale:
        """Read ``low:high``, ``low:high:step`` or ``low:high:continuous``; a scale itself is returned as it is."""
        if isinstance(text, Scale):
            return text
        parts = text.split(":")
        continuous = len(parts) == 3 and parts[2].strip() == CONTINUOUS
        try:
            numbers = [float(part) for part in parts[: 2 if continuous else None]]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 3):
            raise ParameterError(
                f"Cannot read the scale {text!r}: write low:high or low:high:step, such as 1:5 or 0.5:5:0.5, or "
                f"-10:10:{CONTINUOUS} if any number in between is a rating."
            )
        low, high, step = [*numbers, 1.0][:3]
        return cls(low, high, (high - low) * RESOLUTION if continuous else step, continuous)

    @property
    def text(self) -> str:
        """The scale as written everywhere."""
        ends = f"{self.low:.12g}:{self.high:.12g}"
        if self.continuous:
            return f"{ends}:{CONTINUOUS}"
        return ends if self.step == 1 else f"{ends}:{self.step:.12g}"

    @property
    def levels(self) -> int:
        """Number of different ratings."""
        return round((self.high - self.low) / self.step) + 1

    @property
    def r(self) -> float:
        """The distance between a rating and none (docs/papers.md, Sun et al. 2010)."""
        return self.levels * self.step

    @property
    def near(self) -> float:
        """A distance that counts as small: one step, or about a tenth of a scale with many steps.

        Examples
        --------
        >>> Scale(1.0, 5.0).near, Scale(0.0, 100.0).near, Scale.parse("-10:10:continuous").near
        (1.0, 10.0, 2.0)
        """
        return max(self.step, round_number((self.high - self.low) / 10))

    def coarser(self, step: float) -> Scale:
        """The scale on which ratings are published when they are rounded to `step`.

        It has the same ends where `step` divides the distance between them; else it is the multiples of `step` that
        lie between them.

        Examples
        --------
        >>> Scale(1.0, 5.0).coarser(2).text, Scale(0.5, 5.0, 0.5).coarser(1).text
        ('1:5:2', '1:5')
        """
        if step <= self.step:
            raise ParameterError(
                f"Ratings can be rounded to a coarser scale only, and {self.text} has the step {self.step:g}. "
                f"Got {step:g} instead."
            )
        low, high = self._rounded_ends(step)
        if low >= high:
            raise ParameterError(
                f"Rounded to {step:g}, ratings on {self.text} would all be the same. Give a smaller step."
            )
        return Scale(low, high, float(step))

    def _rounded_ends(self, step: float) -> tuple[float, float]:
        whole = (self.high - self.low) / step
        if whole > 0.5 and abs(whole - round(whole)) <= 1e-6:
            return self.low, self.high
        low, high = math.ceil(self.low / step - 1e-9) * step, math.floor(self.high / step + 1e-9) * step
        return round(low, 9), round(high, 9)

    def coarser_steps(self) -> list[float]:
        """Round steps, up to half of the scale, that leave few enough ratings for people to share them.

        Examples
        --------
        >>> Scale(1.0, 5.0).coarser_steps(), Scale.parse("-10:10:continuous").coarser_steps()
        ([2.0], [1.0, 2.0, 5.0, 10.0])
        """
        width = self.high - self.low
        if not width:
            return []
        least = max(self.step * 1.000001, width / MOST_NATURAL)
        decade = math.floor(math.log10(least))
        steps = [round(first * 10.0 ** (decade + more), 12) for more in range(4) for first in (1, 2, 5)]
        return [step for step in steps if least <= step <= width / 2 and operator.lt(*self._rounded_ends(step))]

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
        if self.continuous:
            good = (values >= self.low) & (values <= self.high)
        return np.where(good, near + 1, 1).astype(np.int16), np.flatnonzero(~good)

    def decode(self, codes: Codes) -> Floats:
        """The ratings behind codes, free of the dust of binary fractions."""
        values: Floats = np.round(self.low + (codes.astype(np.float64) - 1.0) * self.step, 9)
        return values


def round_number(value: float) -> float:
    """The nearest of 1, 2, 5, 10, 20 … and 0.5, 0.2, 0.1 …; 0 for 0.

    Examples
    --------
    >>> [round_number(v) for v in (0.045, 9.9, 3.0)]
    [0.05, 10.0, 2.0]
    """
    if value <= 0:
        return 0.0
    decade = math.floor(math.log10(value))
    known = [round(first * 10.0**decade, 12) for first in (1, 2, 5, 10)]
    return min(known, key=lambda one: abs(math.log(one / value)))
