"""The original as a release sees it: published and sensitive items under the release's own numbers."""

from __future__ import annotations

from covey.data import Baskets, Records
from covey.data.amounts import whole
from covey.errors import InputError, ParameterError
from covey.once import once
from covey.release.grouped.model import GroupedRelease


def with_whole_secrets(release: GroupedRelease, original: Baskets | Records) -> Baskets | Records:
    """The original with the release's sensitive items as one each, where they were read in classes of amounts."""
    return original if isinstance(original, Records) else whole(original, release.sensitive_items)


@once
def marked(release: GroupedRelease, data: Baskets | Records) -> Baskets:
    """The original with exactly those items sensitive that `release` treats as sensitive."""
    return data.as_baskets().with_sensitive(release.sensitive_items)


@once
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
    remedy = "Give the data that this release was made from."
    unknown = sorted(set(release.sensitive_items) - set(original.items))
    if unknown:
        raise InputError(f"the original has no item {unknown[0]!r}, which the release counts", remedy=remedy)
    if release.sensitive_items:
        original = marked(release, data)
    occurring = original.supports() > 0
    public = original.only(~original.sensitive & occurring)
    secret = original.only(original.sensitive & occurring)
    if public.n != release.transactions.n:
        raise InputError(
            f"the original has {public.n:,} transactions, the release {release.transactions.n:,}",
            remedy=remedy,
        )
    if public.items != release.transactions.items or secret.items != release.sensitive_items:
        raise InputError("the original and the release do not have the same items", remedy=remedy)
    return public, secret
