"""Attacks on released ratings by someone who knows some ratings exactly, where the promise is about approximate
knowledge.

A rating is a label (issue, value); a record is the set of its labels.
"""

from __future__ import annotations

import numpy as np

from covey.counting import counted
from covey.data import Ratings
from covey.measure.attacks.lookups import Rows, attacked
from covey.measure.attacks.result import AttackResult, compared, percent, promised
from covey.release.ratings import RatingsRelease

#: So many ratings are known exactly, and then more.
KNOWN = (2, 4, 8)


def _rows(ratings: Ratings) -> Rows:
    """The ratings as labels: issue by issue, value by value."""
    levels = ratings.scale.levels
    labels = ratings.indices.astype(np.int64) * levels + ratings.codes - 1
    return Rows(indptr=ratings.indptr, indices=labels.astype(np.int32), labels=ratings.d * levels)


def linkage(release: RatingsRelease, original: Ratings, *, seed: int = 0) -> AttackResult:
    """Look for records of which two, four and eight ordinary ratings, as far as there are so many, are known.

    The success rate is that of who finds most, among those with so many published ratings.

    Examples
    --------
    >>> import covey
    >>> ratings = covey.synth.survey(respondents=200, issues=6, profiles=4, seed=1)
    >>> result = linkage(covey.anonymize(ratings, "k-eps-l(k=2, epsilon=1)", seed=0), ratings)
    >>> result.success_rate <= 1
    True
    """
    ordinary = release.ratings.only(~release.ratings.sensitive)
    rng, rows = np.random.default_rng(seed), _rows(ordinary)
    most = int(np.diff(rows.indptr).max(initial=0))
    # Of fewer than eight ratings, all may be known.
    numbers = sorted({min(known, most) for known in KNOWN})
    steps = [rows.finds(known, rng) for known in numbers]
    best = max(steps, key=lambda step: step.risk)
    claim = promised(release, "k") or 1.0
    told = ", ".join(
        f"{percent(step.risk)} of {attacked(step, 'respondent')} with {step.known} or more" for step in steps
    )
    marked = original.with_sensitive(release.ratings.sensitive_issues())
    given = marked.only(~marked.sensitive).entries
    return AttackResult.of(
        "linkage",
        best.risk,
        claim=claim,
        chance=1 / max(release.ratings.n, 1),
        targets=best.targets,
        explanation=(
            f"Knows {_several(numbers)} of the published ordinary ratings of a respondent exactly, and picks one of "
            f"the records with them at random. Right for {told} published ordinary ratings. The promise, "
            f"{percent(claim)}, is about records that differ by epsilon at most, not about exact knowledge. "
            f"{ordinary.entries:,} of {given:,} ordinary ratings are published: someone who knows as many ratings from "
            "the original, as uniqueness is measured, seldom finds all of them here, and so finds fewer people."
        ),
        details={"by_known": [step.to_dict() for step in steps]},
    )


def _several(numbers: list[int]) -> str:
    """Numbers in words: 2, 4 or 8."""
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


def inference(release: RatingsRelease, original: Ratings, *, seed: int = 0) -> AttackResult:
    """Guess a sensitive rating, or without such any, from all ordinary ones of the record.

    What the other records tell without this one is the baseline.
    """
    published = release.ratings
    rows, levels = _rows(published), published.scale.levels
    sensitive = np.repeat(published.sensitive, levels)
    hidden = sensitive if sensitive.any() else ~sensitive
    topic = np.repeat(np.arange(published.d, dtype=np.int32), levels)
    right, without, targets = rows.guesses(hidden, ~sensitive, topic, np.random.default_rng(seed))
    # To name any value needs no release.
    rate, baseline = right / max(targets, 1), max(without / max(targets, 1), 1 / levels)
    return AttackResult.of(
        "inference",
        rate,
        claim=None,
        chance=1 / levels,
        baseline=baseline,
        targets=targets,
        explanation=(
            "Knows all ordinary ratings of a random respondent, and guesses the value that most records with the same "
            f"have. Right for {{right}} of {counted(targets, 'rating')}. " + compared(rate, None, baseline)
        ),
    )
