"""The original as a release of sets sees it: one set per person if it counts them, without what it publishes beside."""

from __future__ import annotations

import numpy as np

from covey.data import Baskets
from covey.data.amounts import whole
from covey.release.sets.model import SetsRelease


def with_whole_secrets(release: SetsRelease, original: Baskets) -> Baskets:
    """The original with the release's private items as one each, where they were read in classes of amounts."""
    return original if release.private is None else whole(original, release.private.items)


def public_part(release: SetsRelease, original: Baskets) -> Baskets:
    """The items of `original` that were to be generalized or left out; private ones are published as they are.

    Marks of sensitive items in `original` are not needed: the release says which items it treats as private. Where
    the release counts persons, it is the sets of persons.

    Examples
    --------
    >>> from covey.release.base import Statement
    >>> baskets = Baskets.of([["a", "s"], ["b"]])
    >>> release = SetsRelease(
    ...     transactions=Baskets.of([["a"], []]), private=Baskets.of([["s"], []]), recoded="suppressed",
    ...     made=Statement(guarantee="coherence(h=0.5, k=2, p=1)", method="mm"),
    ... )
    >>> public_part(release, baskets).items
    ('a', 'b')
    """
    if release.transactions.person is not None:
        original = original.by_person()
    if release.private is None:
        return original
    private = set(release.private.items)
    return original.only(np.array([item not in private for item in original.items], np.bool_))
