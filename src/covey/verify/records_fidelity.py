"""Are released records made of this original: does every person have a published record of their own that covers them?

Checked without the method's classes: a published record fits a person when its attributes cover the person's, its
unchanged columns are the person's, and each of its labels stands above an item of the person. A matching then looks
for a record for everybody.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets, Records, Taxonomy
from covey.kernels.verify.dealing import most_dealt
from covey.release.records import RecordsRelease
from covey.verdict import Check
from covey.verify.recoded_fidelity import coverage, tree_of
from covey.verify.row_order import check_fits
from covey.verify.table_fidelity import attribute_checks, cover_of, coverage_of

#: Pairs of a person and a published record that are looked at before the exact check is left out.
PAIRS = 20_000_000

#: Pairs whose items are compared at a time; all of them at once would take gigabytes.
PART = 1 << 20

EXACT = "every person has a published record of their own that covers them"
NECESSARY = "only a necessary condition was checked: NOT that everybody has a published record that covers them"


class Pairs(NamedTuple):
    """Which different published records can be whose; not all pairs when not `whole`.

    `first` and `size` are, for each different record, one row that is published so and how many are; record
    `record[i]` of these fits person `person[i]`, and pairs stand by person.
    """

    record: Ints
    person: Ints
    first: Ints
    size: Ints
    whole: bool


def compare(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check `release` against `original`; labels that are no items of it need the taxonomy."""
    checks = attribute_checks(release.attributes, original.attributes)
    tree = tree_of(release.baskets, original.baskets, taxonomy)
    unknown = [label for label in release.baskets.items if label not in tree]
    checks.append(
        Check(
            name="every label is a node of the taxonomy",
            passed=not unknown,
            detail=f"{unknown[0]!r} is none; give the taxonomy the release was made with"
            if unknown
            else f"{release.baskets.d:,} labels",
        )
    )
    if not all(check.passed for check in checks):
        return checks
    items = coverage(release.baskets, original.baskets, tree)
    attributes = coverage_of(release.attributes, original.attributes)
    checks.append(_covered(fitting(release, original, tree), original.n))
    checks.append(check_fits(release.n, lambda ours, theirs: items(ours, theirs) & attributes(ours, theirs)))
    return checks


def _covered(pairs: Pairs, persons: int) -> Check:
    if not pairs.whole:
        detail = "attributes fit, but so many records fit so many persons that items were not compared"
        return Check(name=NECESSARY, passed=True, detail=detail)
    ptr = np.searchsorted(pairs.person, np.arange(persons + 1))
    matched = most_dealt(ptr, pairs.record.astype(np.int32), pairs.size)
    detail = f"{matched:,} of {persons:,} persons matched with {len(pairs.size):,} different records"
    return Check(name=EXACT, passed=matched == persons, detail=detail)


def fitting(release: RecordsRelease, original: Records, tree: Taxonomy) -> Pairs:
    """All pairs of a different published record and a person whom it fits."""
    cover = cover_of(release.attributes, original.attributes)
    record_of = _distinct(release.baskets, cover.cell_of)
    _, first, size = np.unique(record_of, return_index=True, return_counts=True)
    records = np.bincount(cover.cell_of[first], minlength=len(cover.size))
    nothing = np.empty(0, np.int64)
    # Everybody can be any of the cells that cover them, and in a cell any of its different records.
    person, cell = (
        _spread(np.arange(original.n), cover.row_of, cover.ptr, cover.cells) if cover.whole else (nothing,) * 2
    )
    if not cover.whole or int(records[cell].sum()) > PAIRS:
        return Pairs(nothing, nothing, first, size.astype(np.int64), False)
    start = np.concatenate([[0], np.cumsum(records)])
    person, record = _spread(person, cell, start, np.arange(len(first)))
    fits = coverage(release.baskets, original.baskets, tree)
    parts = [slice(at, at + PART) for at in range(0, len(record), PART)]
    kept = np.concatenate([np.empty(0, np.bool_), *(fits(first[record[part]], person[part]) for part in parts)])
    return Pairs(record[kept], person[kept], first, size.astype(np.int64), True)


def _distinct(sets: Baskets, cell: Ints) -> Ints:
    """A number for each published record, equal for equal ones, ascending with the cell that it is in."""
    labels, edges = sets.indices.tobytes(), (4 * sets.indptr).tolist()
    seen: dict[bytes, int] = {}
    number = [seen.setdefault(labels[a:b], len(seen)) for a, b in pairwise(edges)]
    keys = cell * max(len(seen), 1) + np.array(number, np.int64)
    return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _spread(who: Ints, at: Ints, ptr: Ints, found: Ints | Ids) -> tuple[Ints, Ints]:
    """Each of `who` as often as there are ``found[ptr[at]:ptr[at + 1]]`` for them, and these."""
    many = ptr[at + 1] - ptr[at]
    inside = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return np.repeat(who, many), found[np.repeat(ptr[at], many) + inside].astype(np.int64)
