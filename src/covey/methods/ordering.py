"""Orders of the transactions: the band order of reverse Cuthill-McKee, and two orders to compare it with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.data import Baskets

ORDERS = ("rcm", "none", "random")


def band_order(public: Baskets) -> NDArray[np.int64]:
    """Rows such that neighbours share items: reverse Cuthill-McKee on A·Aᵀ, in O(entries).

    Parameters
    ----------
    public : Baskets
        Quasi-identifier items only.

    Returns
    -------
    int64 array
        ``order[i]`` is the row at position i of the band matrix.

    Examples
    --------
    >>> from covey.data import Baskets
    >>> band_order(Baskets.of([["a", "b"], ["y", "z"], ["b", "c"], ["x", "y"]])).tolist()
    [3, 1, 2, 0]
    """
    from covey.kernels.band import degree_proxies, reverse_cuthill_mckee

    degrees = degree_proxies(public.indptr, public.indices, public.supports())
    by_degree = np.argsort(degrees, kind="stable")
    return reverse_cuthill_mckee(by_degree, public.indptr, public.indices, public.d)


def order_rows(public: Baskets, order: str, seed: int | None) -> NDArray[np.int64]:
    """The rows in one of the `ORDERS`; ``random`` is drawn from `seed`."""
    if order == "rcm":
        return band_order(public)
    if order == "random":
        return np.random.default_rng(seed).permutation(public.n)
    return np.arange(public.n)
