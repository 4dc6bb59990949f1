"""How wide the band of a sparse matrix is, as it stands and in band order (Ghinita et al. 2008, section III)."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.kernels.measure.bandwidth import reaches
from covey.methods.ordering import band_order


def bandwidths(data: Baskets) -> dict[str, Any]:
    """The width of the band in the order of the data and in band order, for `covey inspect`; of persons, if named.

    Examples
    --------
    >>> shuffled = Baskets.of([["a", "b"], ["y"], ["b", "c"], ["x", "y"]])
    >>> {order: found["total"] for order, found in bandwidths(shuffled)["bandwidth"].items()}
    {'as_read': 5, 'band_order': 3}
    """
    people = data.by_person()
    public = people.only(~people.sensitive)
    return {
        "bandwidth": {
            "as_read": width(public, np.arange(public.n)),
            "band_order": width(public, band_order(public)),
        }
    }


def width(public: Baskets, order: Ints) -> dict[str, float]:
    """The total bandwidth B = U + L + 1 of A·Aᵀ with rows in this order, and the mean reach of a row. O(entries).

    A·Aᵀ is symmetric and has an entry where two rows share an item, so U = L is how far apart two such rows stand at
    most. A row's reach is how far the farthest of those is that share an item with it.
    """
    place = np.empty(public.n, np.int64)
    place[order] = np.arange(public.n)
    farthest, together = reaches(public.indptr, public.indices, place, public.d)
    return {"total": 2 * int(farthest) + 1, "mean": together / max(public.n, 1)}
