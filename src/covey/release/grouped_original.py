"""The original as a release sees it: published and sensitive items under the release's own numbers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets, Records
from covey.data.csr import take_rows
from covey.data.postings import Postings
from covey.errors import ParameterError, other_original
from covey.release.grouped import GroupedRelease


@lru_cache(maxsize=2)
def marked(release: GroupedRelease, data: Baskets | Records) -> Baskets:
    """The original with exactly those items sensitive that `release` treats as sensitive."""
    return data.as_baskets().with_sensitive(release.sensitive_items)


@lru_cache(maxsize=2)
def parts(release: GroupedRelease, data: Baskets | Records) -> tuple[Baskets, Baskets]:
    """The published and the sensitive part of the original, with exactly the items that `release` lists.

    Marks of sensitive items in the original are not needed: the release says which items it treats as
    sensitive.

    Raises
    ------
    InputError
        The release was not made from this original.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> public, secret = parts(covey.anonymize(baskets, "degree(p=2)"), baskets)
    >>> public.items, secret.items
    (('a', 'b'), ('s',))
    """
    if release.kind != GroupedRelease.kind:
        raise ParameterError(
            f"This measures grouped releases, whose sensitive items are published as counts; got a "
            f"{release.kind} release."
        )
    original = data.as_baskets()
    unknown = sorted(set(release.sensitive_items) - set(original.items))
    if unknown:
        raise other_original(f"the original has no item {unknown[0]!r}, which the release counts")
    if release.sensitive_items:
        original = marked(release, data)
    occurring = original.supports() > 0
    public = original.only(~original.sensitive & occurring)
    secret = original.only(original.sensitive & occurring)
    if public.n != release.transactions.n:
        raise other_original(f"the original has {public.n:,} transactions, the release {release.transactions.n:,}")
    if public.items != release.transactions.items or secret.items != release.sensitive_items:
        raise other_original("the original and the release do not have the same items")
    return public, secret


@lru_cache(maxsize=2)
def holders(release: GroupedRelease, data: Baskets | Records) -> Postings:
    """Which rows hold each item, among the rows of the original that hold a sensitive one; numbers as by `joined`.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a"], ["b"], ["b", "s"], ["a", "s"]], sensitive=["s"])
    >>> found = holders(covey.anonymize(baskets, "degree(p=2)"), baskets)
    >>> found.containing(np.array([[0, 1], [1, 2]], np.int32)).tolist()  # s and a, a and b
    [1, 0]
    """
    public, secret = parts(release, data)
    return Postings.of_rows(*joined(public, secret, np.flatnonzero(secret.lengths())), secret.d + public.d)


def joined(public: Baskets, secret: Baskets, rows: Ints) -> tuple[Ints, Ids]:
    """Some rows of both parts as one: sensitive ids first, and published ids after, raised by how many those are."""
    hidden_ptr, hidden = take_rows(secret.indptr, secret.indices, rows)
    open_ptr, plain = take_rows(public.indptr, public.indices, rows)
    ids = np.empty(len(hidden) + len(plain), np.int32)
    ids[np.arange(len(hidden)) + np.repeat(open_ptr[:-1], np.diff(hidden_ptr))] = hidden
    ids[np.arange(len(plain)) + np.repeat(hidden_ptr[1:], np.diff(open_ptr))] = plain + np.int32(secret.d)
    return hidden_ptr + open_ptr, ids
