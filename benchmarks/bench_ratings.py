"""The satisfaction problem of survey ratings: covey's search against the paper's two algorithms, and at scale."""

from __future__ import annotations

import resource
import time

import numpy as np

from covey.guarantees.k_eps_l import KEpsL
from covey.io.ratings import read_ratings
from covey.methods.suppress import Suppress
from covey.synth.survey import survey
from covey.verify.k_eps_l import check, examine
from ratios import data_dir, finish, report, seconds

PROMISE = KEpsL(20, 1, 2)
RESPONDENTS = (62_500, 125_000, 250_000, 500_000, 1_000_000)


def rivals() -> None:
    """All of MovieLens-1M with each algorithm, and the law by which pairwise grows."""
    data = read_ratings(data_dir() / "movielens-1m.csv.gz", sensitive="1,2")
    little = data.take(np.arange(40))
    for algorithm in ("auto", "slicing", "pairwise"):
        examine(PROMISE, little, algorithm=algorithm)
    answer = examine(PROMISE, data)
    ours = seconds(lambda: examine(PROMISE, data), repeat=7)
    print(f"      movielens-1m: auto takes {ours * 1e3:.1f} ms")
    started = time.perf_counter()
    sliced = examine(PROMISE, data, algorithm="slicing")
    slicing = time.perf_counter() - started
    assert (sliced.size == answer.size).all()
    assert (sliced.deviation == answer.deviation).all()
    report("movielens-1m: slicing over auto", slicing / ours, least=50)
    # All pairs of a quarter of the users at random, then of half of them: four times the work.
    order = np.random.default_rng(0).permutation(data.n)
    quarter, half = data.take(order[: data.n // 4]), data.take(order[: data.n // 2])
    first = seconds(lambda: examine(PROMISE, quarter, algorithm="pairwise"), repeat=1)
    second = seconds(lambda: examine(PROMISE, half, algorithm="pairwise"), repeat=1)
    report("movielens-1m: pairwise on half over a quarter of the users (4 is quadratic)", second / first, least=2.5)
    report("movielens-1m: pairwise over auto, from half of the users", 4 * second / ours, least=1000)


def scale() -> None:
    """Generated surveys of 20 issues, in full: all violators, largest k and l."""
    promise = KEpsL(20, 1, 1)
    examine(promise, survey(respondents=2_000, profiles=3, seed=1))
    for title, profiles in (("30 persuasions", 30), ("all at random", 0)):
        times = []
        for respondents in RESPONDENTS:
            data = survey(respondents=respondents, profiles=profiles, seed=1)
            started = time.perf_counter()
            answer = examine(promise, data)
            times.append(time.perf_counter() - started)
            print(
                f"      survey, {title}: {respondents:>9,} respondents in {times[-1]:6.1f} s, largest k "
                f"{answer.largest_k:,}, {len(answer.violators()):,} violators, mean group {answer.size.mean():,.1f}",
                flush=True,
            )
            del data, answer
        report(f"survey, {title}: a million respondents", times[-1], most=600, unit=" s")
        report(f"survey, {title}: time for twice the respondents", times[-1] / times[-2], most=4.5)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    report("survey: peak memory, generating included", memory, most=4, unit=" GiB")


def cost() -> None:
    """What it costs to make data keep the guarantee."""
    films = read_ratings(data_dir() / "movielens-100k.csv.gz", sensitive="1")
    people = survey(respondents=20_000, issues=10, profiles=20, answered=0.98, seed=1)
    for title, data in (("movielens-100k", films), ("survey, 20,000 × 10", people)):
        promise = KEpsL(5, 1, 1)
        started = time.perf_counter()
        release = Suppress(seed=0).anonymize(data, promise)
        taken = time.perf_counter() - started
        assert check(promise, release).holds
        print(f"      {title}: {promise.text} keeps {release.kept:.1%} of the ratings, in {taken:.1f} s", flush=True)


def main() -> None:
    """Print the ratios."""
    rivals()
    scale()
    cost()
    finish()


if __name__ == "__main__":
    main()
