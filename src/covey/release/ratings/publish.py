"""Publishing ratings without leaking: records are shuffled and numbered afresh."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Ratings, Scale
from covey.release.base import Statement
from covey.release.ratings.model import RatingsRelease


def ratings(
    data: Ratings,
    rows: Ints,
    keep: Mask,
    *,
    made: Statement,
    seed: int | None,
    rounded_from: Scale | None = None,
) -> RatingsRelease:
    """Make a release of the respondents `rows` with the ratings marked in `keep` (docs/papers.md, publishing).

    Records are shuffled and numbered in their new order, so a number tells nothing. Issues of which no rating
    is left are dropped, sensitive ones excepted: that they were asked is part of the promise.

    Parameters
    ----------
    data : Ratings
        The original, its ratings rounded if they are to be.
    rows : int64 array
        Respondents to publish.
    keep : bool array
        Which ratings of `data` to publish.
    made : Statement
        How it was made.
    seed : int or None
        None draws from the system's entropy.
    rounded_from : Scale or None
        The scale of the original, where ratings were rounded.
    """
    order = np.random.default_rng(seed).permutation(np.sort(rows))
    before = int(data.lengths()[rows].sum())
    published = data.keep(keep).take(order)
    occurring = np.zeros(data.d, np.bool_)
    occurring[published.indices] = True
    published = published.only(occurring | data.sensitive).replaced(users=tuple(str(i + 1) for i in range(len(order))))
    return RatingsRelease(
        ratings=published,
        made=made,
        suppressed_ratings=before - published.entries,
        suppressed_records=data.n - len(order),
        rounded_from=rounded_from,
    )
