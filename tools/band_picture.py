"""Draw docs/img/band.png: generated baskets before and after band ordering."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from covey.methods.ordering import band_order
from covey.synth import quest


def main() -> None:
    """Draw 1,000 Quest baskets over 1,000 items, as Fig. 6 of the CAHD paper does."""
    baskets = quest(
        transactions=1_000,
        items=1_000,
        mean_length=20,
        patterns=80,
        pattern_length=6,
        correlation=0.9,
        seed=4,
    )
    order = band_order(baskets)
    position = np.empty(baskets.n, np.int64)
    position[order] = np.arange(baskets.n)
    rows = np.repeat(np.arange(baskets.n), baskets.lengths())
    place = position[rows]
    # Columns follow the mean place of the rows that hold them, so the band shows.
    mean_place = np.bincount(baskets.indices, weights=place, minlength=baskets.d) / np.maximum(baskets.supports(), 1)
    column = np.empty(baskets.d, np.int64)
    column[np.argsort(mean_place)] = np.arange(baskets.d)

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
    shuffled = np.random.default_rng(0).permutation(baskets.d)
    for axis, y, x, title in (
        (axes[0], rows, shuffled[baskets.indices], "baskets as they come"),
        (axes[1], place, column[baskets.indices], "the same baskets, neighbours alike"),
    ):
        axis.scatter(x, y, s=0.6, c="#1f4e79", linewidths=0, rasterized=True)
        axis.set(title=title, xlabel="items", xlim=(0, baskets.d), ylim=(baskets.n, 0), xticks=[], yticks=[])
    axes[0].set_ylabel("transactions")
    figure.savefig(Path(__file__).parents[1] / "docs" / "img" / "band.png", dpi=110)


if __name__ == "__main__":
    main()
