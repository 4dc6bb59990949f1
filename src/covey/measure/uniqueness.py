"""How well exact ratings still tell people apart, which no promise about ratings known roughly covers.

Sensitive ratings are taken to be unknown, as everywhere.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Baskets, Ratings
from covey.data.equal_rows import equal_rows
from covey.data.postings import Postings
from covey.measure.risk import facts, numbered
from covey.release.ratings import RatingsRelease
from covey.tabular import Figures

#: Singled out by so many known ratings.
KNOWN = (1, 2, 3)
#: And by so many on each coarser scale.
KNOWN_ON_EACH = (2,)
SAMPLES = 5_000


def uniqueness(
    ratings: Ratings, known: tuple[int, ...] = KNOWN, *, seed: int | None = 0, of: Ratings | None = None
) -> Figures:
    """Count the records that are unique, and those that a few known ratings single out.

    Known are ratings of these records or, where given, of the records `of`, on the same scale: so records before and
    after publication are looked for by the same ratings of the same respondents.

    Returns
    -------
    dict
        ``scale``; ``unique``, the share of the records whose ordinary ratings no other record has, all of them
        together; ``singled_out``, for each number of known ratings the share of cases in which one record fits.

    Examples
    --------
    >>> survey = Ratings.of([[1, 5], [1, 5], [1, 4]], issues=["a", "b"], scale="1:5")
    >>> round(uniqueness(survey)["unique"], 3), uniqueness(survey.rounded(2), (1,))["singled_out"]
    (0.333, [{'known': 1, 'share': 0.0}])
    """
    people, asked = (facts(ratings),) * 2 if of is None else _of_both(ratings, of)
    alone = int((equal_rows(*people.csr, people.d, seed=0)[1] == 1).sum())
    found = _singled_out(asked, people, known, np.random.default_rng(seed))
    return {
        "scale": ratings.scale.text,
        "unique": alone / max(people.n, 1),
        "singled_out": [{"known": count, "share": share} for count, share in found.items()],
    }


def _of_both(mine: Ratings, theirs: Ratings) -> tuple[Baskets, Baskets]:
    """Return `facts` of two surveys on one scale, over one list of pairs."""
    parts = [ratings.split()[0] for ratings in (mine, theirs)]
    place = {issue: i for i, issue in enumerate(sorted({*parts[0].issues, *parts[1].issues}))}
    keys = [
        np.array([place[name] for name in one.issues], np.int64)[one.indices] * (one.scale.levels + 1) + one.codes
        for one in parts
    ]
    indptr = np.concatenate([parts[0].indptr, parts[0].indptr[-1] + parts[1].indptr[1:]])
    every = numbered(indptr, np.concatenate(keys))
    return every.take(np.arange(mine.n)), every.take(np.arange(mine.n, every.n))


def _singled_out(asked: Baskets, people: Baskets, known: tuple[int, ...], rng: np.random.Generator) -> dict[int, float]:
    """Return how often so many ratings of one of `asked` fit one of `people` only, as far as anybody has so many.

    The same cases are drawn for every number: who knows more knows one rating more of the same respondents.
    """
    lengths, found = asked.lengths(), {}
    cases, uniforms = np.empty(0, np.int64), np.empty((0, SAMPLES))
    for count in sorted(known):
        eligible = np.flatnonzero(lengths >= count)
        if not len(eligible):
            break
        if count == 1:  # exactly
            alone = np.repeat(1 / np.maximum(lengths, 1), lengths)[(people.supports() == 1)[asked.indices]]
            found[count] = float(alone.sum()) / len(eligible)
            continue
        cases = cases if len(cases) else rng.choice(eligible, SAMPLES)
        short = np.flatnonzero(lengths[cases] < count)  # others in place of those who have not rated so much
        cases[short] = rng.choice(eligible, len(short))
        uniforms = np.concatenate([uniforms, rng.random((count - len(uniforms), SAMPLES))])
        sets = asked.indices[asked.indptr[cases] + _in_order(lengths[cases], uniforms)].T.copy()
        matching = Postings.of_rows(*people.csr, people.d).containing(sets)
        found[count] = float((matching == 1).mean())
    return found


def _in_order(lengths: Ints, uniforms: Floats) -> Ints:
    """Return distinct places of each row: the first of them do not depend on how many there are.

    Examples
    --------
    >>> _in_order(np.array([3]), np.array([[0.5], [0.6], [0.7]])).ravel().tolist()
    [1, 2, 0]
    """
    places = np.empty(uniforms.shape, np.int64)
    for c, draw in enumerate(uniforms):
        place = (draw * (lengths - c)).astype(np.int64)
        for taken in np.sort(places[:c], axis=0):
            place += place >= taken
        places[c] = place
    return places


def before_and_after(release: RatingsRelease, original: Ratings | None, *, seed: int | None = 0) -> Figures:
    """Return how unique the published records are and, given the original, how unique its records were."""
    published = release.ratings
    if original is None:
        return {"after": uniqueness(published, seed=seed)}
    marked = original.with_sensitive(published.sensitive_issues())
    known = marked if release.rounded_from is None else marked.rounded(published.scale.step)
    return {"after": uniqueness(published, seed=seed, of=known), "before": uniqueness(marked, seed=seed)}


def on_coarser_scales(ratings: Ratings) -> list[Figures]:
    """Return how unique records are as they are, and rounded to each step that leaves few enough ratings to share."""
    steps = [None, *ratings.scale.coarser_steps()] if ratings.entries else []
    rounded = ((step, ratings if step is None else ratings.rounded(step)) for step in steps)
    return [{"round": step, **uniqueness(shown, KNOWN_ON_EACH)} for step, shown in rounded]
