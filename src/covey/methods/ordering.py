"""Orders of the transactions: the band order of reverse Cuthill-McKee, Gray order, and two to compare them with."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, places_of
from covey.data import Baskets
from covey.errors import ParameterError
from covey.kernels.methods.band import degree_proxies, exact_degrees, reverse_cuthill_mckee
from covey.kernels.methods.gray import gray_order
from covey.kernels.shared.csr import canonicalize, count_items, transpose

ORDERS = ("rcm", "gray", "none", "random")
DEGREES = ("proxy", "exact")

#: Exact degrees read the sum of the squared supports; beyond this many reads they are refused.
MOST_READS = 10**10


def band_order(public: Baskets, degrees: str = "proxy") -> Ints:
    """Rows such that neighbours share items: reverse Cuthill-McKee on A·Aᵀ, in O(entries).

    Parameters
    ----------
    public : Baskets
        Quasi-identifier items only.
    degrees : {"proxy", "exact"}
        Row sums of A·Aᵀ, or the number of rows that share an item with each.

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
    return band_of_rows(*public.csr, public.d, degrees)


def band_of_rows(indptr: Ints, indices: Ids, d: int, degrees: str = "proxy") -> Ints:
    """The band order of rows given as arrays, for who has no list of labels; as `band_order` otherwise."""
    supports = count_items(indices, d)
    if degrees == "exact":
        reads = int((supports.astype(np.float64) ** 2).sum())
        if reads > MOST_READS:
            raise ParameterError(
                f"Exact degrees would read {reads:.2g} entries (the sum of the squared supports), more than "
                f"{MOST_READS:.2g}. Use degrees=proxy, which gives nearly the same order."
            )
        by_item = transpose(indptr, indices, d)
        vertex_degrees = exact_degrees(indptr, indices, *by_item)
    else:
        vertex_degrees = degree_proxies(indptr, indices, supports)
    by_degree = np.argsort(vertex_degrees, kind="stable")
    return reverse_cuthill_mckee(by_degree, indptr, indices, d)


def by_gray_code(public: Baskets) -> Ints:
    """Rows by their Gray code over the items, the most frequent one first (Ghinita, Kalnis, Tao, TKDE 2011).

    Examples
    --------
    >>> by_gray_code(Baskets.of([["a", "b"], ["a"], ["b"], []])).tolist()
    [3, 2, 0, 1]
    """
    frequent_first = np.argsort(-public.supports(), kind="stable")
    indptr, ranks = public.indptr.copy(), public.indices.copy()
    canonicalize(indptr, ranks, places_of(frequent_first, public.d))
    return gray_order(indptr, ranks)


def order_rows(public: Baskets, order: str, seed: int | None, degrees: str = "proxy") -> Ints:
    """The rows in one of the `ORDERS`; ``random`` is drawn from `seed`."""
    if order == "rcm":
        return band_order(public, degrees)
    if order == "gray":
        return by_gray_code(public)
    if order == "random":
        return np.random.default_rng(seed).permutation(public.n)
    return np.arange(public.n)
