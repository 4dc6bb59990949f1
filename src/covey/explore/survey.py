"""What would keep more of survey ratings: a coarser scale, a larger epsilon, fewer issues, all together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from covey.counting import counted, percent
from covey.data import Ratings
from covey.errors import CoveyError
from covey.guarantees.k_eps_l import KEpsL
from covey.progress import Progress, silent
from covey.registry import method
from covey.tabular import Plain

#: Ratings up to which all ways are tried: each makes a release.
ENOUGH = 100_000
#: Issues are left out that a smaller share of the respondents rated.
SHARES = (0.0, 0.5, 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way(Plain):
    """One way to publish ratings."""

    #: The step that ratings are rounded to; None leaves them exact.
    round: float | None
    epsilon: float
    #: How many ordinary issues are published, and the least share of respondents that rated each.
    issues: int
    rated_by: float
    #: Shares of the records, of the ratings of those issues, and of all ordinary and sensitive ratings, that are kept.
    records: float
    ratings: float
    of_all: float

    def __str__(self) -> str:
        how = ["exact ratings" if self.round is None else f"rounded to {self.round:g}", f"epsilon={self.epsilon:g}"]
        of = f"only the {counted(self.issues, 'issue')} that {percent(self.rated_by)} rated" if self.rated_by else ""
        how += [of] if of else ["all issues"]
        kept = f"{percent(self.ratings)} of their ratings, {percent(self.of_all)} of all"
        return f"{', '.join(how)}: keeps {percent(self.records)} of the records, {kept}"


def ways(ratings: Ratings, promise: KEpsL, *, progress: Progress = silent) -> list[Way]:
    """Return ways to keep a guarantee, that with most of all ratings first; none for too many ratings to try.

    Examples
    --------
    >>> from covey.synth import survey
    >>> found = ways(survey(respondents=60, seed=1), KEpsL(5, 1))
    >>> found[0].of_all >= found[-1].of_all, len({way.issues for way in found}) > 0
    (True, True)
    """
    if ratings.entries > ENOUGH:
        return []
    steps: list[float | None] = [None, *(step for step in ratings.scale.coarser_steps() if step > ratings.scale.step)]
    supports = np.bincount(ratings.indices, minlength=ratings.d)
    found: dict[tuple[float | None, float, int], Way] = {}
    tried = list(product(steps[:4], SHARES))
    for at, (step, share) in enumerate(tried):
        progress("curve", at / len(tried))
        kept = (supports >= share * ratings.n) | ratings.sensitive
        issues = int((kept & ~ratings.sensitive).sum())
        for epsilon in sorted({float(promise.epsilon), max(float(promise.epsilon), step or 0.0)}):
            if issues == 0 or (step, epsilon, issues) in found:
                continue
            part = ratings.only(kept)
            try:
                made = method("suppress", round=step, seed=0).anonymize(part, promise.having(epsilon=epsilon))
            except CoveyError:  # what the data or the scale does not allow is no way
                continue
            published = made.ratings
            found[step, epsilon, issues] = Way(
                round=step,
                epsilon=epsilon,
                issues=issues,
                rated_by=share,
                records=published.n / max(ratings.n, 1),
                ratings=published.entries / max(part.entries, 1),
                of_all=published.entries / max(ratings.entries, 1),
            )
    return sorted(found.values(), key=lambda way: -way.of_all)
