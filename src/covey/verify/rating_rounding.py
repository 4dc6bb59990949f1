"""Are ratings that are published on a coarser scale the rounded ones? Worked out in fractions, level by level."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from covey.arrays import Ints
from covey.data import Ratings, Scale
from covey.release.ratings.model import RatingsRelease
from covey.verdict import Check


def _levels(scale: Scale) -> list[Fraction]:
    """The ratings of a scale, to the nine decimals with which they are published."""
    low, step = Fraction(f"{scale.low:.12g}"), Fraction(f"{scale.step:.12g}")
    return [round(low + level * step, 9) for level in range(scale.levels)]


def rounded_levels(before: Scale, published: Scale) -> Ints:
    """The code that each rating of `before` is published as: the nearest one, the higher of two as near."""
    coarse = _levels(published)
    first, step = coarse[0], Fraction(f"{published.step:.12g}")
    places = [(level - first) / step + Fraction(1, 2) for level in _levels(before)]
    return np.array([1 + min(max(place.__floor__(), 0), len(coarse) - 1) for place in places], np.int64)


def check_grid(release: RatingsRelease) -> list[Check]:
    """From the files alone: no rating is published that rounding does not lead to; nothing where none was rounded."""
    before, data = release.rounded_from, release.ratings
    if before is None:
        return []
    possible = np.zeros(data.scale.levels + 1, np.bool_)
    possible[rounded_levels(before, data.scale)] = True
    odd = data.codes[~possible[data.codes]]
    grid = f"{data.scale.text}, to which ratings on {before.text} are rounded"
    return [
        Check(
            name=f"every rating is on the scale {grid}",
            passed=not len(odd),
            detail=f"{data.scale.decode(odd[:1])[0]:g} is not" if len(odd) else f"{data.entries:,} ratings",
        )
    ]


def rounded_original(release: RatingsRelease, original: Ratings) -> Ratings:
    """The original as it has to be published: on the scale of the release, if the release is of rounded ratings."""
    if release.rounded_from is None or original.scale != release.rounded_from:
        return original
    codes = rounded_levels(original.scale, release.ratings.scale)
    return original.replaced(codes=codes.astype(np.int16)[original.codes - 1], scale=release.ratings.scale)
