"""degree(p), checked from the published tables, or of data as it stands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from covey.data import Baskets
from covey.data.labels import twins
from covey.guarantees.degree import Degree
from covey.progress import Progress, silent
from covey.release.grouped import GroupedRelease
from covey.verdict import Check, Verdict
from covey.verify.too_many import over_share


def check(promise: Degree, release: GroupedRelease) -> Verdict:
    """Check from the published tables alone that p · count <= size for every group and item."""
    sizes = release.group_sizes()
    # Counts are added up per group and item here, so that no split of one count can hide a violation.
    m = max(len(release.sensitive_items), 1)
    cells, at = np.unique(release.count_group * m + release.count_item, return_inverse=True)
    count = np.zeros(len(cells), np.int64)
    np.add.at(count, at, release.count)
    size = sizes[cells // m]
    violating = np.flatnonzero(over_share(count, size, promise.p))
    degrees = size / np.maximum(count, 1)
    achieved = float(degrees.min()) if len(degrees) else None
    if len(violating):
        worst = violating[np.argmin(degrees[violating])]
        detail = (
            f"{len(violating):,} of {len(count):,} group counts are too high; the worst: "
            f"{release.sensitive_items[cells[worst] % m]!r} occurs {count[worst]} times in "
            f"group {cells[worst] // m} of {size[worst]}, so p = {promise.p} is not kept"
        )
    else:
        reached = f"lowest degree {achieved:.4g}" if achieved is not None else "no sensitive occurrence"
        detail = f"{release.groups:,} groups, {len(count):,} group counts, {reached}"
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(name=f"every group keeps {promise.text}", passed=not len(violating), detail=detail),
            counts_only(release.sensitive_items, release.transactions.items),
        ),
        figures={
            "degree": achieved,
            "groups": release.groups,
            "smallest_group": int(sizes.min()) if len(sizes) else 0,
            "largest_group": int(sizes.max()) if len(sizes) else 0,
        },
    )


def counts_only(sensitive: tuple[str, ...], published: tuple[str, ...]) -> Check:
    """That no sensitive item, nor one a person would take for it, is published in single transactions."""
    leaked = twins(published, sensitive)
    detail = "no sensitive item among the published items"
    if leaked:
        item, secret = leaked[0]
        same = "" if item == secret else f", which reads like the sensitive item {secret!r}"
        detail = f"{item!r} stands in single transactions{same}"
    return Check(name="sensitive items are published as counts only", passed=not leaked, detail=detail)


def check_baskets(promise: Degree, data: Baskets, *, progress: Progress = silent) -> Verdict:
    """Ask the same of data as it stands: transactions with the same published items are one group.

    Nobody can tell these apart by what is not sensitive, and everybody can tell them from the others.
    """
    promise.require_feasible(data.summary())
    public, secret = data.split()
    raw, edges = public.indices.tobytes(), (4 * public.indptr).tolist()
    group_of: dict[bytes, int] = {}
    rows = (raw[start:stop] for start, stop in pairwise(edges))
    group = np.array([group_of.setdefault(row, len(group_of)) for row in rows], np.int64)
    sizes = np.bincount(group, minlength=len(group_of))
    cells, count = np.unique(
        np.repeat(group, secret.lengths()) * secret.d + secret.indices, return_counts=True
    )
    size = sizes[cells // secret.d]
    degrees = size / np.maximum(count, 1)
    violating = np.flatnonzero(over_share(count, size, promise.p))
    lowest = float(degrees.min()) if len(degrees) else None
    detail = f"{len(sizes):,} groups of equal public items"
    if len(violating):
        worst = violating[np.argmin(degrees[violating])]
        alike = np.flatnonzero(group == cells[worst] // secret.d)
        shown = ", ".join(map(str, alike[:5])) + (" …" if len(alike) > 5 else "")
        detail = (
            f"{secret.items[cells[worst] % secret.d]!r} is in {count[worst]} of the {size[worst]} transactions "
            f"with the same public items (rows {shown})"
        )
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(
                name=f"transactions with the same public items keep {promise.text}",
                passed=not len(violating),
                detail=detail,
            ),
        ),
        figures={"degree": lowest, "groups": len(sizes)},
    )
