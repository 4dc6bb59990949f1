"""LM: how much of its items' meaning a generalized release has lost (Liu & Wang 2010, section 2).

An occurrence of an item costs (leaves(x) - 1) / (leaves(root) - 1) when it is published as x, and 1 when it is
suppressed; the loss is the sum over all occurrences in the original.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats
from covey.data import Baskets, Taxonomy
from covey.errors import InputError
from covey.metrics.dealing import deal
from covey.release.sets import SetsRelease, public_part


def lm(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> float:
    """The loss of `release` in item occurrences.

    For a local recoding the release does not say which set came from which transaction, so its sets are dealt out to
    transactions that they cover, the cheapest pairs first. That is an estimate, usually a few hundredths too high.

    Parameters
    ----------
    release : SetsRelease
        What was published.
    original : Baskets
        What it was made from; its private items are published as they were, and do not count.
    taxonomy : Taxonomy or None
        What labels were generalized along; None is the flat one.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> lm(covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm"), data)
    3.0
    """
    public = public_part(release, original)
    tree = Taxonomy.flat(public.items) if taxonomy is None else taxonomy
    if release.recoding is None:
        return deal(release.transactions, public, tree)
    return float((public.supports() * item_losses(release, public, tree)).sum())


def item_losses(release: SetsRelease, public: Baskets, tree: Taxonomy) -> Floats:
    """What one occurrence of each item costs under a global recoding."""
    loss, recoding = tree.loss(), release.recoding or {}
    tree.bind(public.items)
    labels = [recoding.get(item, release.rest) for item in public.items]
    unknown = [label for label in labels if label and label not in tree]
    if unknown:
        raise InputError(
            f"the release publishes {unknown[0]!r}, which is not in the taxonomy",
            remedy="Give the taxonomy the release was made with (--taxonomy).",
        )
    return np.array([loss[tree.node(label)] if label else 1.0 for label in labels])
