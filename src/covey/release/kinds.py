"""The kinds of release that this version knows."""

from __future__ import annotations

from covey.data.kinds import data_kind
from covey.errors import CoveyError, ReleaseError
from covey.guarantees import guarantee
from covey.guarantees.words import Promise
from covey.guarantees.words import promise as in_words
from covey.release.base import Release, counts_persons, data_of
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.manifest import Manifest
from covey.release.model import ModelRelease
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table import TableRelease

#: One line per kind of release.
RELEASE_KINDS: dict[str, type[Release]] = {
    "grouped": GroupedRelease,
    "model": ModelRelease,
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


def promise_of(text: str, release: str, *, by_person: bool = False, data: str = "", literal: bool = False) -> Promise:
    """Return the plain words for a guarantee, given as text, that releases of a kind keep, counting persons or rows.

    `data` is the kind of data, where releases of this kind can be made from several. With `literal`, every parameter is
    explained as it is stated, as the documents of a release do; otherwise a spread of 0, which asks for nothing, is
    left out.

    Examples
    --------
    >>> promise_of("degree(p=10)", "grouped").short
    'In every group, at most 1 member in 10 has any given sensitive item.'
    """
    try:
        promise, kind = guarantee(text), release_kind(release).words
    except CoveyError:  # what this version does not know, it can still name
        return Promise(short=f"The release keeps {text}.")
    one_each = kind.row == "person" or data == "records"
    unit = "one each" if one_each else "by person" if by_person else "" if release == "ratings" else "rows"
    row = "person" if one_each or by_person else kind.row
    filled = {
        "row": row,
        "unit": kind.row,
        "group": kind.group,
        "things": data_kind(data or "baskets").things,
        "nobody": "nobody" if row == "person" else f"no {row}",
        "published": "set" if row == "person" else row,
    }
    return in_words(promise if literal else promise.essential(), {release, unit}, filled)


def promise_in(manifest: Manifest) -> Promise:
    """Return the plain words for what a manifest promises."""
    by_person, data = counts_persons(manifest.facts), data_of(manifest.facts)
    return promise_of(manifest.guarantee, manifest.kind, by_person=by_person, data=data, literal=True)


def nearly_unique(share: float) -> bool:
    """Return whether a column published as it was tells people apart by itself, by its distinct values per row.

    Examples
    --------
    >>> nearly_unique(0.95), nearly_unique(0.01)
    (True, False)
    """
    return share >= 0.5
