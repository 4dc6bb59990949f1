"""Drawing plain baskets from generalized ones: each broader label becomes one of the items it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.data import Baskets
from covey.release.sets.model import SetsRelease


def drawn(release: SetsRelease, seed: Any) -> Baskets:
    """One of the originals that a release may be of, as far as it says what labels stand for."""
    sets = release.transactions
    if release.recoding is None:
        return sets
    stands_for: dict[str, list[str]] = {label: [] for label in sets.items}
    for item, label in sorted(release.recoding.items()):
        stands_for[label].append(item)
    names = sorted(release.recoding)
    number = {item: i for i, item in enumerate(names)}
    options = np.array([number[item] for label in sets.items for item in stands_for[label]], np.int32)
    many = np.array([len(stands_for[label]) for label in sets.items], np.int64)
    start = np.cumsum(many) - many
    rng = np.random.default_rng(seed)
    kept = many[sets.indices] > 0
    labels = sets.indices[kept]
    chosen = options[start[labels] + (rng.random(len(labels)) * many[labels]).astype(np.int64)]
    indptr = np.concatenate([[0], np.cumsum(kept)])[sets.indptr]
    return Baskets.build(indptr, chosen, names)
