"""How well exact ratings still tell people apart, which no promise about ratings known roughly covers.

Sensitive ratings are taken to be unknown, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.data import Baskets, Ratings
from covey.data.equal_rows import equal_rows
from covey.data.postings import Postings
from covey.kernels.measure.risk import pick_items
from covey.metrics.facts import of_both
from covey.metrics.facts import of_ratings as rated
from covey.release.ratings.model import RatingsRelease

#: Singled out by so many known ratings.
KNOWN = (1, 2, 3)
SAMPLES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniqueness:
    """Records that no other is like.

    Attributes
    ----------
    scale : str
        The scale of the ratings.
    unique : float
        Share of the records whose ordinary ratings no other record has, all of them together.
    singled_out : dict of int to float
        For this many ordinary ratings of a record, drawn at random: the share of cases in which they fit one record
        only.
    """

    scale: str
    unique: float
    singled_out: dict[int, float]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        drawn = [{"known": known, "share": share} for known, share in self.singled_out.items()]
        return {"scale": self.scale, "unique": self.unique, "singled_out": drawn}


def uniqueness(
    ratings: Ratings, known: tuple[int, ...] = KNOWN, *, seed: int | None = 0, of: Ratings | None = None
) -> Uniqueness:
    """Count the records that are unique, and those that a few known ratings single out.

    Known are ratings of these records or, where given, of the records `of`, on the same scale: so records before and
    after publication are looked for by the same ratings of the same respondents.

    Examples
    --------
    >>> survey = Ratings.of([[1, 5], [1, 5], [1, 4]], issues=["a", "b"], scale="1:5")
    >>> round(uniqueness(survey).unique, 3), uniqueness(survey.rounded(2), (1,)).singled_out
    (0.333, {1: 0.0})
    """
    people, asked = of_both(ratings, of) if of is not None else (rated(ratings),) * 2
    alone = int((equal_rows(people.indptr, people.indices, people.d, seed=0)[1] == 1).sum())
    drawn = {count: _singled_out(asked, people, count, seed) for count in known}
    return Uniqueness(
        scale=ratings.scale.text,
        unique=alone / max(people.n, 1),
        singled_out={count: share for count, share in drawn.items() if share is not None},
    )


def _singled_out(asked: Baskets, people: Baskets, known: int, seed: int | None) -> float | None:
    """How often so many ratings of one of `asked` fit one of `people` only; None where nobody has so many."""
    lengths = asked.lengths()
    eligible = np.flatnonzero(lengths >= known)
    if not len(eligible):
        return None
    if known == 1:  # exactly
        alone = np.repeat(1 / np.maximum(lengths, 1), lengths)[(people.supports() == 1)[asked.indices]]
        return float(alone.sum()) / len(eligible)
    rng = np.random.default_rng(seed)
    sets = pick_items(asked.indptr, asked.indices, rng.choice(eligible, SAMPLES), rng.random((SAMPLES, known)))
    return float((Postings.of_rows(people.indptr, people.indices, people.d).containing(sets) == 1).mean())


def before_and_after(release: RatingsRelease, original: Ratings | None, *, seed: int | None = 0) -> dict[str, Any]:
    """How unique the published records are and, given the original, how unique its records were."""
    published = release.ratings
    if original is None:
        return {"after": uniqueness(published, seed=seed).to_dict()}
    marked = original.with_sensitive(published.sensitive_issues())
    known = marked if release.rounded_from is None else marked.rounded(published.scale.step)
    after = uniqueness(published, seed=seed, of=known)
    return {"after": after.to_dict(), "before": uniqueness(marked, seed=seed).to_dict()}


def on_coarser_scales(ratings: Ratings, known: int = 2) -> list[dict[str, Any]]:
    """How unique records are as they are, and rounded to each step that leaves few enough ratings to share."""
    steps = [None, *ratings.scale.coarser_steps()] if ratings.entries else []
    found = []
    for step in steps:
        shown = uniqueness(ratings if step is None else ratings.rounded(step), (known,)).to_dict()
        found.append({"round": step, **shown})
    return found
