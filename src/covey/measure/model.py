"""Metrics of a release of a model: distortion of distributions, and how often answers are as close as they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.data import Baskets, Records
from covey.data.postings import Postings
from covey.errors import other_original
from covey.measure.kl import WORKLOADS, KLError, cells, divergence, draw_workload, summary
from covey.release.model import ModelRelease, matching

#: Questions of so many items each, from baskets drawn at random, that at least so many baskets match.
ITEMS, MATCHING, TRIED = (1, 2, 3, 4), 100, 50


def parts(release: ModelRelease, original: Baskets | Records) -> tuple[Baskets, Baskets]:
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
    place = np.array([release.sensitive_items.index(item) for item in secret.items], np.int32)
    return public, Baskets.build(secret.indptr.copy(), place[secret.indices], release.sensitive_items)


def kl(
    release: ModelRelease,
    original: Baskets | Records,
    *,
    r: int = 4,
    queries: int = 100,
    workload: str = "uniform",
    seed: int | None = 0,
) -> KLError:
    """Return the KL error of the estimated distributions, as `covey.measure.kl.kl` does for groups.

    The shares are those of the estimated total, since the true one is not published.
    """
    return kl_and_blind(release, original, r=r, queries=queries, workload=workload, seed=seed)[0]


def kl_and_blind(
    release: ModelRelease, original: Baskets | Records, *, r: int, queries: int, workload: str, seed: int | None
) -> tuple[KLError, KLError]:
    """Return the KL error, and that of no information: every transaction is equally likely to hold the item."""
    public, secret = parts(release, original)
    data = original.as_baskets()
    marked = data.with_sensitive([item for item in release.sensitive_items if item in data.items])
    asked = draw_workload(marked, r=r, queries=queries, workload=workload, seed=seed)
    held, row = np.flatnonzero(secret.supports() > 0)[asked.sensitive], secret.row_of_entries()
    known, published = (Postings.of_rows(*one.csr, one.d) for one in (public, release.transactions))
    likely = {s: release.chances(s) for s in set(held.tolist())}
    errors, blind = np.empty(queries), np.empty(queries)
    for query, (s, items) in enumerate(zip(held.tolist(), asked.items, strict=True)):
        true = np.bincount(cells(known, items, public.n)[row[secret.indices == s]], minlength=1 << r)
        cell = cells(published, items, public.n)
        estimated = np.bincount(cell, likely[s], 1 << r)
        errors[query] = divergence(true, estimated * (true.sum() / estimated.sum()))
        blind[query] = divergence(true, np.bincount(cell, minlength=1 << r) * (true.sum() / public.n))
    return summary(errors), summary(blind)


def coverage(
    release: ModelRelease, original: Baskets | Records, *, each: int = 10, seed: int = 0
) -> list[dict[str, float]]:
    """Return which share of answers is within two standard errors, by the number of ordinary items asked for.

    The items of a question are drawn from a basket drawn at random, so that they occur together; at least `MATCHING`
    baskets have them. Each question is asked of up to ten sensitive items.
    """
    public, secret = parts(release, original)
    rng, row = np.random.default_rng(seed), secret.row_of_entries()
    chosen = rng.choice(secret.d, min(secret.d, 10), replace=False)
    held = [public.take(row[secret.indices == s]) for s in chosen]
    found = []
    for size in ITEMS:
        questions = _questions(release.transactions, size, each, rng)
        within = []
        for items in questions:
            for s, holders in zip(chosen, held, strict=True):
                answer = release.estimate(release.sensitive_items[s], present=items)
                truth = len(matching(holders, items, []))
                within.append(abs(answer.estimate - truth) <= 2 * answer.standard_error)
        if within:
            found.append({"items": size, "questions": len(within), "within": float(np.mean(within))})
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


def figures_of(
    release: ModelRelease, original: Baskets | Records, *, r: int, queries: int, seed: int
) -> dict[str, Any]:
    """Return the figures of `covey evaluate`."""
    size = max(1, min(r, release.transactions.d))
    asked = {"r": size, "queries": queries, "seed": seed}
    errors = {each: kl_and_blind(release, original, workload=each, **asked) for each in WORKLOADS}
    return {
        **release.counts(),
        "kl": {each: {"r": size, **error.to_dict(), "blind": blind.mean} for each, (error, blind) in errors.items()},
        "coverage": coverage(release, original, seed=seed),
    }
