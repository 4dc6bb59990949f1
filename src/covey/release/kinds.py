"""The kinds of release that this version knows."""

from __future__ import annotations

from covey.errors import ReleaseError
from covey.release.base import Release
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table import TableRelease

#: One line per kind of release.
RELEASE_KINDS: dict[str, type[Release]] = {
    "grouped": GroupedRelease,
    "sets": SetsRelease,
    "table": TableRelease,
    "ratings": RatingsRelease,
    "records": RecordsRelease,
    "chunks": ChunksRelease,
}


def release_kind(name: str) -> type[Release]:
    """Return the class of the releases of this kind."""
    if name not in RELEASE_KINDS:
        raise ReleaseError(f"This version of covey does not know releases of the kind {name!r}.")
    return RELEASE_KINDS[name]


def nearly_unique(share: float) -> bool:
    """Return whether a column published as it was tells people apart by itself, by its distinct values per row.

    Examples
    --------
    >>> nearly_unique(0.95), nearly_unique(0.01)
    (True, False)
    """
    return share >= 0.5
