"""A synthetic query log: each person's searches as a set of nouns of a taxonomy, few common and very many rare.

It stands in for the query log of Liu & Wang 2010 (section 5), which was withdrawn: its queries were reduced
to nouns of WordNet, and its items are extremely many and extremely rare.
"""

from __future__ import annotations

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.errors import ParameterError
from covey.parameters import integer, number
from covey.progress import Progress, silent

#: Rounds of drawing again what a transaction already holds, before it stays shorter than wanted.
PATIENCE = 100


def queries(
    taxonomy: Taxonomy,
    *,
    transactions: int = 10_000,
    mean_length: float = 5.0,
    exponent: float = 1.0,
    seed: int | None = None,
    progress: Progress = silent,
) -> Baskets:
    """Draw sets of leaves of a taxonomy, independently of each other, by Zipf's law.

    Leaves get a random order of popularity; the one of rank r is drawn with a weight of ``r ** -exponent``. Sizes are
    1 + Poisson(mean_length - 1). A noun that a transaction already holds is drawn again.

    Parameters
    ----------
    taxonomy : Taxonomy
        Its leaves are the nouns.
    transactions : int
        Number of transactions, at least 1.
    mean_length : float
        Mean number of nouns of a transaction, from 1 to the number of leaves.
    exponent : float
        Of Zipf's law; 0 makes all nouns equally common.
    seed : int or None
        The same seed gives the same data; without one, every call gives different data.

    Returns
    -------
    Baskets
        Nouns that nobody searched for are not listed. No transaction is empty; one for which a hundred rounds of
        drawing brought too few different nouns (large exponents only) is shorter than was drawn for it.

    Notes
    -----
    Nouns do not go together: whatever a method keeps of this data, it keeps of single nouns and their groups. Real
    logs have more structure, and lose less.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"animal": {"dog": ["pug", "boxer"], "cat": {}}, "tool": ["saw", "axe"]})
    >>> log = queries(tree, transactions=100, mean_length=2, seed=1)
    >>> log.n, log.items
    (100, ('axe', 'boxer', 'cat', 'pug', 'saw'))
    """
    transactions = integer("queries", "transactions", transactions, minimum=1)
    exponent = number("queries", "exponent", exponent, minimum=0)
    if seed is not None:
        seed = integer("queries", "seed", seed, minimum=0)
    if not isinstance(taxonomy, Taxonomy):
        raise ParameterError(f"The taxonomy of queries must be a Taxonomy. Got {type(taxonomy).__name__} instead.")
    leaves = np.flatnonzero(taxonomy.is_leaf())
    count = len(leaves)
    mean_length = number("queries", "mean_length", mean_length, minimum=1, maximum=count)
    rng = np.random.default_rng(seed)
    reach = np.cumsum((1.0 + rng.permutation(count)) ** -exponent)
    sizes = np.minimum(1 + rng.poisson(mean_length - 1, transactions), count)
    # A noun of a transaction as one number, so that the set operation below keeps them distinct.
    held, row = np.empty(0, np.int64), np.repeat(np.arange(transactions), sizes)
    for _ in range(PATIENCE):
        progress("generate", len(held) / int(sizes.sum()))
        noun = np.searchsorted(reach, rng.random(len(row)) * reach[-1], side="right")
        held = np.union1d(held, row * count + np.minimum(noun, count - 1))
        lengths = np.bincount(held // count, minlength=transactions)
        row = np.repeat(np.arange(transactions), sizes - lengths)
        if not len(row):
            break
    progress("generate", 1.0)
    used, place = np.unique(held % count, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Baskets.build(indptr, place.astype(np.int32), [taxonomy.labels[leaves[i]] for i in used])
