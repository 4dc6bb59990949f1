"""The time to decide (k, epsilon, l)-anonymity of ratings (Sun, Wang, Li, PAKDD 2010, section 5, Fig. 1 and 2).

    COVEY_DATA=… python experiments/ratings.py [PARTS]

COVEY_DATA names a directory with movielens-100k.csv.gz and movielens-1m.csv.gz. PARTS are some of the names below;
epsilon-quarter and dense take minutes, million needs some GB. The paper draws MovieLens anew at each percentage; here
that share of the users is drawn without replacement. It does not say which films are sensitive: the first two are
taken. Times are CPU seconds, the best of three runs. Writes docs/experiments/ratings-*.csv and the pictures of the same
names.
"""

import sys
from functools import cache, partial

import numpy as np
from shared import curves, file, scaled, seconds

import covey
from covey.guarantees.k_eps_l import KEpsL
from covey.synth import survey
from covey.verify.k_eps_l import examine

ALGORITHMS = ("auto", "slicing", "pairwise")
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@cache
def films(size: str) -> covey.Ratings:
    """Return MovieLens with two sensitive films."""
    data = covey.read_ratings(file(f"movielens-{size}.csv.gz"), scale="1:5", sensitive="1,2")
    return data.take(np.arange(scaled(data.n)))


def part(data: covey.Ratings, share: float) -> covey.Ratings:
    """Return a share of the respondents; smaller parts are parts of larger ones."""
    return data.take(np.sort(np.random.default_rng(0).permutation(data.n)[: round(data.n * share)]))


def took(data: covey.Ratings, promise: KEpsL, algorithm: str) -> list[float]:
    """Return the CPU seconds of a decision; none if too few respondents are left for it."""
    return [] if data.n < promise.k else [seconds(partial(examine, promise, data, algorithm=algorithm))]


def by_share(name: str, data: covey.Ratings, promise: KEpsL, shares: tuple[float, ...]) -> None:
    """Write the time against the share of the respondents."""
    parts = [part(data, share) for share in shares]
    found = {algorithm: [took(some, promise, algorithm) for some in parts] for algorithm in ALGORITHMS}
    curves(f"ratings-{name}", "CPU seconds, share of the respondents", shares, found, digits=4)


def by_epsilon(
    name: str, data: covey.Ratings, spread: float, widest: int, algorithms: tuple[str, ...] = ALGORITHMS
) -> None:
    """Write the time against epsilon."""
    across = tuple(range(widest + 1))
    found = {algorithm: [took(data, KEpsL(20, e, spread), algorithm) for e in across] for algorithm in algorithms}
    curves(f"ratings-{name}", "CPU seconds, epsilon", across, found, digits=4)


def dense() -> covey.Ratings:
    """Return a survey in which all answered all of a few issues: groups are not trivial, as they are on MovieLens."""
    return survey(respondents=800, issues=8, profiles=10, seed=1)


def million() -> None:
    """Write the time of covey's search on a large survey."""
    whole = survey(respondents=scaled(1_000_000), issues=20, profiles=30, seed=1)
    sizes = (0.1, 0.25, 0.5, 1.0)
    found = {f"epsilon = {e}": [took(part(whole, share), KEpsL(20, e, 1), "auto") for share in sizes] for e in (0, 1)}
    curves("ratings-million", "CPU seconds, respondents", [f"{round(whole.n * share):,}" for share in sizes], found)


PARTS = {
    "share-100k": lambda: by_share("fig2a-100k", films("100k"), KEpsL(20, 1, 2), SHARES),
    "share-1m": lambda: by_share("fig2a-1m", films("1m"), KEpsL(20, 1, 2), SHARES),
    "epsilon": lambda: by_epsilon("fig2b", films("100k"), 2, 4),
    "epsilon-1m": lambda: by_epsilon("fig2b-1m", films("1m"), 2, 4, ("auto", "slicing")),
    "epsilon-quarter": lambda: by_epsilon("fig2b-quarter", part(films("100k"), 0.25), 2, 5),
    "dense-share": lambda: by_share("dense-share", dense(), KEpsL(20, 1, 1), (0.1, 0.25, 0.5, 0.75, 1.0)),
    "dense": lambda: by_epsilon("dense-epsilon", dense(), 1, 6),
    "million": million,
}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PARTS:
        PARTS[wanted]()
