"""What someone achieves who has a model of the population, alone and inside the groups of a release.

Which rows a cross-fitted model learns from is drawn, and what it achieves varies with the draw: with few holders by a
tenth and more. So where it is cheap, or holders are few, rows are divided several times, and means over the divisions
are told, with their standard error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from covey.arrays import Floats
from covey.data.propensity import fit_propensity
from covey.kernels.measure.attack import expected_hits

if TYPE_CHECKING:
    from covey.attacks.study import Study

#: Rows, about, that the model of the population learns from where there are more, and log odds held at once.
LEARNED_FROM, AT_ONCE = 1 << 18, 1 << 21
#: So often rows are divided where there are few entries, and where there are more: a report must not take much longer
#: than the release.
DIVISIONS, FEW_ENTRIES, DIVISIONS_OF_MANY = 5, 100_000, 3
#: Occurrences, about, that are guessed in all divisions together, if more divisions are needed for that.
GUESSED = 3_000
#: From so many divisions on, their own spread says how exact the mean is.
TELLING = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """What a model of the population achieves.

    Attributes
    ----------
    floor : float
        The share of all occurrences that it finds in the original, without the release: the mean over divisions.
    floor_error : float
        The standard error of `floor`: by how much it would vary if rows were divided otherwise.
    hits : float
        How many occurrences it finds inside the groups of the release; again a mean.
    propensity : list of float arrays
        For the suspects of each item the log odds that the model gives, in the first division.
    """

    floor: float
    floor_error: float
    hits: float
    propensity: list[Floats]


def population(study: Study) -> Population:
    """What a model of the population achieves on the original and the release of `study`."""
    occurrences = max(int(study.release.count.sum()), 1)
    entries = len(study.public.indices) + len(study.secret.indices)
    found = [_divided(study, division) for division in range(divisions(entries, occurrences))]
    floors = np.array([right for right, _, _ in found]) / occurrences
    return Population(
        floor=float(floors.mean()),
        floor_error=_error(floors, occurrences),
        hits=float(np.mean([inside for _, inside, _ in found])),
        propensity=found[0][2],
    )


def divisions(entries: int, occurrences: int) -> int:
    """How often rows are divided for so much data and so many guesses.

    Examples
    --------
    >>> divisions(43_000, 600), divisions(900_000, 5_000), divisions(900_000, 29)
    (5, 1, 3)
    """
    if entries <= FEW_ENTRIES:
        return DIVISIONS
    return min(-(-GUESSED // max(occurrences, 1)), DIVISIONS_OF_MANY)


def _error(floors: Floats, occurrences: int) -> float:
    """The standard error of the mean of `floors`; of too few, that of as many independent guesses, which is larger."""
    if len(floors) >= TELLING:
        return float(floors.std(ddof=1) / np.sqrt(len(floors)))
    mean = min(float(floors.mean()), 1.0)
    return float(np.sqrt(mean * (1 - mean) / (occurrences * len(floors))))


def _divided(study: Study, division: int) -> tuple[float, float, list[Floats]]:
    """Hits on the original and inside groups, and the log odds of suspects, which only the first division keeps.

    Some items at a time, for nothing may be held that is rows x items.
    """
    kind, kinds = study.truth.kind_of_original, study.truth.kinds
    seed = [study.seed, 7, *([division] if division else [])]
    model = fit_propensity(study.public, study.secret, seed=seed, suffice=LEARNED_FROM, alike=kind)
    secret, n, often = study.secret, study.secret.n, np.maximum(np.bincount(kind, minlength=kinds), 1)
    supports, holder = secret.supports(), kind[np.repeat(np.arange(n), secret.lengths())]
    told, right, inside, width = [], 0.0, 0.0, max(AT_ONCE // max(n, 1), 1)
    for first in range(0, secret.d, width):
        odds = model.of(np.arange(n), slice(first, first + width))
        for s in range(first, min(first + width, secret.d)):
            who = study.suspects[s]
            # Rows with the same items cannot be told apart: each is judged by the mean of its like.
            score = (np.bincount(kind, odds[:, s - first], kinds) / often)[study.truth.kind]
            suspected = score[who.rows]
            inside += float(expected_hits(who.ptr, suspected, who.share, who.count).sum())
            if not division:
                told.append(suspected)
            # The holders of each kind of basket, as in `Truth`, but over all rows at once.
            share = (np.bincount(holder[secret.indices == s], minlength=kinds) / often)[study.truth.kind]
            right += float(expected_hits(np.array([0, n]), score, share, supports[s : s + 1])[0])
            del score, share
        del odds
    return right, inside, told
