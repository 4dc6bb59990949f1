"""Count queries on groups, and baskets drawn from them."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.csr import beside, matches_per_group, rows_from_pairs
from covey.errors import InputError
from covey.parameters import did_you_mean
from covey.release.estimate import Estimate, positions

if TYPE_CHECKING:
    from covey.release.grouped import GroupedRelease


def estimated(
    release: GroupedRelease, sensitive: str | None, present: Collection[str], absent: Collection[str]
) -> Estimate:
    """How many transactions hold `sensitive`, all of `present` and none of `absent`."""
    public, sign = release.transactions, np.zeros(release.transactions.d, np.int8)
    wanted, unwanted = positions(public.items, present, absent, release.sensitive_items)
    sign[wanted], sign[unwanted] = 1, -1
    matches = matches_per_group(public.indptr, public.indices, release.group_ptr, sign, len(wanted))
    if sensitive is None:
        found = int(matches.sum())
        return Estimate(estimate=float(found), standard_error=0.0, lower=found, upper=found, matching=found)
    item = _sensitive_position(release.sensitive_items, sensitive)
    rows = release.count_item == item
    groups, least, most = release.count_group[rows], release.count[rows], release.most_count()[rows]
    size, b = release.group_sizes()[groups], matches[groups]
    lower, upper = int(np.maximum(0, least + b - size).sum()), int(np.minimum(most, b).sum())
    total = 0 if release.totals is None else int(release.totals[item])
    if total:
        lower = max(lower, total - int(np.minimum(most, size - b).sum()))
        upper = min(upper, total - int(np.maximum(0, least - b).sum()))
    a, share = np.minimum(release.expected_count()[rows], most), b / size
    variance = a * share * (1 - share) * (size - a) / np.maximum(size - 1, 1)
    return Estimate(
        estimate=min(max(float((a * share).sum()), lower), upper),
        standard_error=math.sqrt(float(variance.sum())),
        lower=lower,
        upper=upper,
        matching=int(matches.sum()),
        persons=None if release.group_persons is None else int(least.sum()),
    )


def _sensitive_position(items: tuple[str, ...], name: str) -> int:
    if name in items:
        return items.index(name)
    known = ", ".join(items[:8]) + (" …" if len(items) > 8 else "")
    hint = did_you_mean(name, items).strip()
    raise InputError(f"{name!r} is not a sensitive item of this release", remedy=f"{hint} It has: {known}.".strip())


def drawn(release: GroupedRelease, seed: int | None) -> Baskets:
    """Complete baskets that a release allows, each group's sensitive items dealt to its members at random."""
    rng = np.random.default_rng(seed)
    sizes, first, occurrences = release.group_sizes(), release.group_ptr, _drawn_counts(release, rng)
    dealt = [
        first[group] + rng.choice(sizes[group], count, replace=False, shuffle=False)
        for group, count in zip(release.count_group, occurrences, strict=True)
    ]
    public = release.transactions
    rows = np.concatenate([np.empty(0, np.int64), *dealt]).astype(np.int32)
    secret = np.repeat(release.count_item, occurrences) + np.int32(public.d)
    indptr, indices = beside(public.indptr, public.indices, *rows_from_pairs(rows, secret, public.n))
    return Baskets.build(indptr, indices, [*public.items, *release.sensitive_items], release.sensitive_items)


def _drawn_counts(release: GroupedRelease, rng: np.random.Generator) -> Ints:
    """For each count a number of transactions that the release allows; those of an item add up to its total."""
    found, slack = release.count.copy(), release.most_count() - release.count
    ratio = release.transactions_per_holder() - 1
    for item in np.flatnonzero(ratio > 0):
        cells = np.flatnonzero(release.count_item == item)
        more = min(round(ratio[item] * int(release.count[cells].sum())), int(slack[cells].sum()))
        found[cells] += rng.multivariate_hypergeometric(slack[cells], more, method="marginals")
    return found
