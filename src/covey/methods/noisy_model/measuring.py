"""The sums that are measured, and their noise: the only place where the method sees who holds what.

One transaction changes the total by 1, the sums of items by 2 in all, of cells by 1 and of lengths by 1 at most.
Discrete Laplace noise of the scale sensitivity / (share · epsilon), rounded up, costs at most share · epsilon for each
part. The shares add up to 1, and which are used depends on the noisy total alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.methods.noisy_model.noise import AddNoise
from covey.release.model import LEVELS, layout_of
from covey.release.model_sums import GRID, Layout, Rows, branch_of, exact_sums, scales_of, total_scale


class Measured(NamedTuple):
    """Noisy sums of one sensitive item, `GRID` being 1."""

    layout: Layout
    level: int
    sums: Ints
    #: The noise scale of the total, items, cells and lengths.
    scales: tuple[int, ...]

    def variance(self) -> Floats:
        """Return the variance of the noise of each sum, and 1 for rounding, 1 being 1."""
        return self.layout.of_parts(tuple(2 * (scale / GRID) ** 2 + 1 for scale in self.scales))


def measure(
    holders: Rows, joined: Ids, items: int, lengths: int, epsilon: float, rows_each: int, add_noise: AddNoise
) -> Measured:
    """Return the noisy sums over the transactions that hold a sensitive item, at most `rows_each` of one person."""
    scale = total_scale(epsilon, rows_each)
    total = add_noise(np.array([GRID * len(holders.cell)], np.int64), scale)
    branch = branch_of(int(total[0]), epsilon, rows_each)
    layout = layout_of(branch.level, items if branch.items else 0, joined, lengths)
    seen = holders.joined(joined[branch.level]) if branch.level < len(LEVELS) else holders
    exact = exact_sums(seen if layout.items else seen.without_items(), layout)
    scales = (scale, *scales_of(branch, epsilon, rows_each))
    noisy, start = [total], 1
    for size, scale in zip(layout, scales[1:], strict=True):
        noisy.append(add_noise(exact[start : start + size], scale) if size else exact[:0])
        start += size
    return Measured(layout, branch.level, np.concatenate(noisy), scales)
