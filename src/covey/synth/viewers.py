"""Synthetic sets of rated titles: a popularity curve, latent tastes, and a few people who have seen nearly everything.

Made in the shape of the data that PatternKa 2020 measures its distributed method on (410,201 people, 4,496 titles, 13.4
titles a person, 2,060 at most), and of no one's data: nothing but these figures is taken from anywhere.
"""

from __future__ import annotations

import math

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets
from covey.errors import ParameterError
from covey.parameters import integer, number
from covey.progress import Progress, silent
from covey.synth.draw import alias_table, fill_viewers

#: People filled at a time; the memory of a chunk is some times its entries.
CHUNK = 1 << 15


def viewers(
    *,
    people: int = 410_201,
    titles: int = 4_496,
    mean_length: float = 13.4,
    longest: int = 2_060,
    tastes: int = 40,
    focus: float = 0.7,
    popularity: float = 0.9,
    seed: int | None = None,
    progress: Progress = silent,
) -> Baskets:
    """Draw who has seen which titles.

    Each title has a popularity, ``1 / (rank + 10) ** popularity``, and belongs to a few latent tastes; each person has
    one taste. A person has seen a number of titles that is log-normal, cut at `longest`, and scaled so that its mean is
    `mean_length`; the one who has seen most has seen exactly `longest`. A share `focus` of the titles is drawn from
    the person's taste and the others from all titles, by popularity; who has seen very many runs out of the taste
    and turns to what is popular.

    A draw that comes a second time is drawn again from all titles, so lengths are exact. Labels are ``t0001`` and so
    on. No one is without titles, and no item is sensitive.

    Parameters
    ----------
    mean_length, longest
        Mean number of titles of a person, from 1 to `longest`, and the most of anybody.
    tastes : int
        Number of latent tastes.
    popularity : float
        How steep the curve of popularity is; 0 makes all titles alike.

    Examples
    --------
    >>> made = viewers(people=2_000, titles=200, mean_length=6, longest=90, seed=1)
    >>> made.n, int(made.lengths().max()), int(made.lengths().min())
    (2000, 90, 1)
    """
    people = integer("viewers", "people", people, minimum=1)
    titles = integer("viewers", "titles", titles, minimum=1)
    longest = integer("viewers", "longest", longest, minimum=1)
    tastes = integer("viewers", "tastes", tastes, minimum=1)
    if longest > titles:
        raise ParameterError(
            f"The 'longest' parameter of viewers must be at most 'titles' ({titles}). Got {longest} instead."
        )
    mean_length = number("viewers", "mean_length", mean_length, minimum=1, maximum=longest)
    focus = number("viewers", "focus", focus, minimum=0, maximum=1)
    popularity = number("viewers", "popularity", popularity, minimum=0, maximum=10)
    if seed is not None:
        seed = integer("viewers", "seed", seed, minimum=0)
    for_shape, for_rows = np.random.default_rng(seed).spawn(2)
    weights: Floats = np.power(np.arange(titles) + 10.0, -popularity, dtype=np.float64)
    # A taste is the popularity of all titles, bent by a factor of its own for each title.
    bent = weights * for_shape.lognormal(0.0, 2.0, (tastes, titles))
    lengths = draw_lengths(for_shape, people, mean_length, longest)
    taste = for_shape.integers(0, tastes, people)
    indptr, indices = _fill(for_rows, lengths, taste, weights, bent, focus, progress)
    width = max(4, len(str(titles)))
    baskets = Baskets.build(indptr, indices, [f"t{title:0{width}d}" for title in range(1, titles + 1)])
    return baskets.only(baskets.supports() > 0)


def draw_lengths(rng: np.random.Generator, people: int, mean: float, longest: int) -> Ints:
    """Log-normal lengths from 1 to `longest` with the given mean; the greatest is `longest`.

    The spread is chosen so that, of so many people, about one comes to the longest.
    """
    normal = rng.standard_normal(people)
    top = float(normal.max()) if people > 1 else 1.0
    # With median m and spread s: m·exp(s·top) = longest and m·exp(s²/2) = mean, solved for s.
    ratio = math.log(longest / mean) if longest > mean else 0.0
    spread = max(top - math.sqrt(max(top * top - 2 * ratio, 0.0)), 0.0)
    raw = np.exp(spread * normal)
    low, high = 0.0, float(longest)
    for _ in range(60):
        scale = (low + high) / 2
        if np.clip(np.rint(scale * raw), 1, longest).mean() < mean:
            low = scale
        else:
            high = scale
    lengths = np.clip(np.rint(high * raw), 1, longest).astype(np.int64)
    if people > 1:
        lengths[int(normal.argmax())] = longest
    return lengths


def _fill(
    rng: np.random.Generator,
    lengths: Ints,
    taste: Ints,
    weights: Floats,
    bent: Floats,
    focus: float,
    progress: Progress,
) -> tuple[Ints, Ids]:
    """Draw the titles of all people, chunk by chunk."""
    tables = [alias_table(row) for row in (weights, *bent)]
    keep = np.stack([table[0] for table in tables])
    alias = np.stack([table[1] for table in tables])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.empty(int(indptr[-1]), np.int32)
    held = np.full(len(weights), -1, np.int64)
    for begin in range(0, len(lengths), CHUNK):
        progress("generating", begin / len(lengths))
        end = min(begin + CHUNK, len(lengths))
        fill_viewers(rng, indptr, taste + 1, keep, alias, focus, held, indices, begin, end)
    return indptr, indices
