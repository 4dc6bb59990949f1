"""What somebody may know about a person, as one set per person, whatever the kind of data."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Ratings


def facts(data: Any) -> Baskets:
    """What can be known of each person as a set: items, (issue, rating) pairs, or (column, value) pairs.

    Sensitive things are left out, for nobody is supposed to know them. O(entries).
    """
    if isinstance(data, Baskets):
        return data
    if isinstance(data, Ratings):
        public = data.split()[0]
        keys = public.indices.astype(np.int64) * (public.scale.levels + 1) + public.codes
        return _numbered(public.indptr, keys)
    codes = data.rows("quasi").astype(np.int64)
    n, width = codes.shape
    starts = np.concatenate([[0], np.cumsum([len(c.values) for c in data.of_role("quasi")])[:-1]])
    return _numbered(np.arange(n + 1, dtype=np.int64) * width, (codes + starts).reshape(-1))


def _numbered(indptr: Ints, keys: Ints) -> Baskets:
    """Baskets over the distinct keys, which ascend within each row."""
    distinct, indices = np.unique(keys, return_inverse=True)
    width = len(str(len(distinct)))
    return Baskets(
        indptr=indptr.copy(),
        indices=indices.reshape(-1).astype(np.int32),
        items=tuple(f"{number:0{width}d}" for number in range(len(distinct))),
        sensitive=np.zeros(len(distinct), np.bool_),
    )
