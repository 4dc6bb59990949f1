"""Metrics of a release of a model: distortion of distributions, and how often answers are as close as they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Baskets
from covey.errors import other_original
from covey.measure.kl import (
    WORKLOADS,
    KLError,
    Workload,
    actual_cells,
    divergences,
    draw_workload,
    estimated_cells,
    query_index,
    summary,
)
from covey.release.model import ModelRelease, matching

#: Questions of so many items each, from baskets drawn at random, that at least so many baskets match.
ITEMS, MATCHING, TRIED = (1, 2, 3, 4), 100, 50


def parts(release: ModelRelease, original: Baskets) -> tuple[Baskets, Baskets]:
    """Return the ordinary and the sensitive part of the original, with exactly the items that the release lists.

    Raises
    ------
    InputError
        The release was not made from this original.
    """
    data = original.as_baskets()
    hidden = np.isin(np.array(data.items, object), np.array(release.sensitive_items, object))
    public, secret = data.only(~hidden & (data.supports() > 0)), data.only(hidden)
    if public.n != release.transactions.n or public.items != release.transactions.items:
        raise other_original("the original and the release do not have the same transactions or ordinary items")
    absent = [item for item in release.sensitive_items if item not in set(secret.items)]
    if not absent:
        return public, secret
    labels = sorted([*secret.items, *absent])
    place = np.searchsorted(labels, secret.items).astype(np.int32)
    return public, Baskets.build(secret.indptr.copy(), place[secret.indices], labels)


def kl(
    release: ModelRelease,
    original: Baskets,
    *,
    r: int = 4,
    queries: int = 100,
    workload: str = "uniform",
    seed: int | None = 0,
) -> KLError:
    """Return the KL error of the estimated distributions, as `covey.measure.kl.kl` does for groups.

    The shares are those of the estimated total, since the true one is not published.
    """
    public, secret = parts(release, original)
    marked = original.as_baskets().with_sensitive([item for item in release.sensitive_items if item in original.items])
    asked = draw_workload(marked, r=r, queries=queries, workload=workload, seed=seed)
    held = np.flatnonzero(secret.supports() > 0)
    errors = np.empty(queries)
    for s in sorted(set(asked.sensitive.tolist())):
        some = np.flatnonzero(asked.sensitive == s)
        one = Workload(sensitive=np.zeros(len(some), np.int64), items=asked.items[some])
        errors[some] = _errors(release, public, secret.only(np.arange(secret.d) == held[s]), one, int(held[s]))
    return summary(errors)


def _errors(release: ModelRelease, public: Baskets, secret: Baskets, asked: Workload, number: int) -> Floats:
    """Return the KL error of queries about one sensitive item."""
    index = query_index(asked.sensitive, asked.items, 1, public.d)
    occurrences: Ints = actual_cells(*public.csr, *secret.csr, *index)
    keys, found = np.unique(occurrences, return_counts=True)
    likely, rows = release.chances(number), np.arange(release.n + 1)
    held = secret.supports()[0]
    share = likely * (held / max(float(likely.sum()), 1e-300))
    estimated = estimated_cells(
        *release.transactions.csr, rows, rows, np.zeros(release.n, np.int32), share, *index, keys
    )
    return divergences(keys, found, estimated, np.full(len(asked.sensitive), held))


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often the truth is within two standard errors of the estimate."""

    questions: int
    within: float

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"questions": self.questions, "within": self.within}


def coverage(release: ModelRelease, original: Baskets, *, each: int = 10, seed: int | None = 0) -> dict[int, Coverage]:
    """Return how often answers are within two standard errors, by the number of ordinary items asked for.

    The items of a question are drawn from a basket drawn at random, so that they occur together; at least `MATCHING`
    baskets have them. Each question is asked of up to ten sensitive items.
    """
    public, secret = parts(release, original)
    rng, row = np.random.default_rng(seed), secret.row_of_entries()
    chosen = rng.choice(secret.d, min(secret.d, 10), replace=False)
    held = [public.take(row[secret.indices == s]) for s in chosen]
    found = {}
    for size in ITEMS:
        questions = _questions(release.transactions, size, each, rng)
        within = []
        for items in questions:
            for s, holders in zip(chosen, held, strict=True):
                answer = release.estimate(release.sensitive_items[s], present=items)
                truth = len(matching(holders, items, []))
                within.append(abs(answer.estimate - truth) <= 2 * answer.standard_error)
        found[size] = Coverage(questions=len(within), within=float(np.mean(within)) if within else 1.0)
    return found


def _questions(baskets: Baskets, size: int, wanted: int, rng: np.random.Generator) -> list[list[str]]:
    """Return sets of so many items that enough baskets hold."""
    able, found = np.flatnonzero(baskets.lengths() >= size), []
    for row in rng.choice(able, min(len(able), TRIED * wanted), replace=False) if len(able) else ():
        items = [
            baskets.items[i] for i in rng.choice(baskets.indices[slice(*baskets.indptr[row : row + 2])], size, False)
        ]
        if len(matching(baskets, items, [])) >= MATCHING:
            found.append(items)
        if len(found) == wanted:
            break
    return found


def figures_of(release: ModelRelease, original: Baskets, *, r: int, queries: int, seed: int) -> dict[str, Any]:
    """Return the figures of `covey evaluate`."""
    size = max(1, min(r, release.transactions.d))
    errors = {each: kl(release, original, r=size, queries=queries, workload=each, seed=seed) for each in WORKLOADS}
    return {
        **release.counts(),
        "kl": {each: {"r": size, **error.to_dict()} for each, error in errors.items()},
        "coverage": [{"items": size, **one.to_dict()} for size, one in coverage(release, original, seed=seed).items()],
    }
