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
from covey.counting import counted
from covey.data import Baskets, Records, Taxonomy
from covey.data.csr import canonicalize, take_rows
from covey.kernels.verify.dealing import most_dealt
from covey.kernels.verify.record_fits import fitting_records
from covey.release.records import RecordsRelease
from covey.verdict import Check
from covey.verify.exposed import check_exposed
from covey.verify.sets_fidelity import known_labels, tree_of
from covey.verify.table_fidelity import attribute_checks, cover_of

#: Records of a cell that are looked for at first, and then: all. Few prove as much as all, if everybody gets one.
MOST = (4, 1 << 62)

#: Times that a record is held against a person in all; some tens of nanoseconds each.
TESTS = 2_000_000_000

EXACT = "every person has a published record of their own that covers them"
NECESSARY = "only a necessary condition was checked: NOT that everyone has a published record that covers them"


def compare(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check `release` against `original`; labels that are no items of it need the taxonomy."""
    checks = attribute_checks(release.attributes, original.attributes)
    secret = [column.name for column in original.attributes.of_role("sensitive")]
    columns = [column.name for column in release.attributes.columns]
    named, known = [*original.baskets.sensitive_items(), *secret], [*original.baskets.items, *secret]
    checks += check_exposed([*release.baskets.items, *columns], known, named, taxonomy)
    tree = tree_of(release.baskets, original.baskets, taxonomy)
    checks.append(known_labels(release.baskets, tree, taxonomy))
    if not all(check.passed for check in checks):
        return checks
    checks.append(_covered(release, original, tree))
    return checks


def _covered(release: RecordsRelease, original: Records, tree: Taxonomy) -> Check:
    """Deal records out to persons whom they fit.

    That everybody gets one is proved by any pairs that allow it, so few are tried first; only that someone does not
    takes all. Where there are too many for that, what could be shown is said.
    """
    cover = cover_of(release.attributes, original.attributes)
    records = _distinct(release.baskets, cover.cell_of, len(cover.size), tree)
    leaf_ptr, leaves = nodes_of(original.baskets, tree)
    matched, tests = 0, TESTS
    for most in MOST if cover.whole else ():
        done, whole, ptr, found = fitting_records(
            cover.row_of, cover.ptr, cover.cells, records.ptr, records.label_ptr, records.labels,
            tree.last, leaf_ptr, leaves, most, tests,
        )  # fmt: skip
        if done:
            matched = most_dealt(ptr, found, records.size)
        if matched == original.n or (done and whole):
            records_there = counted(len(records.size), "different record")
            detail = f"{matched:,} of {original.n:,} persons matched with {records_there}"
            return Check(name=EXACT, passed=matched == original.n, detail=detail)
    detail = (
        f"attributes fit, and {matched:,} of {original.n:,} persons got a record; others fit too many to try them all"
    )
    return Check.ok(NECESSARY, detail)


class Different(NamedTuple):
    """The different published records by the cell that their attributes are, the longest of each cell first.

    Those of cell c are ``ptr[c]`` to ``ptr[c + 1]``; record r is published ``size[r]`` times and has the nodes
    ``labels[label_ptr[r]:label_ptr[r + 1]]``.
    """

    ptr: Ints
    size: Ints
    label_ptr: Ints
    labels: Ids


def _distinct(sets: Baskets, cell: Ints, cells: int, tree: Taxonomy) -> Different:
    """The different published records, `cell` being that of each."""
    indptr, nodes = nodes_of(sets, tree)
    raw, edges = nodes.tobytes(), (4 * indptr).tolist()
    seen: dict[bytes, int] = {}
    number = np.array([seen.setdefault(raw[a:b], len(seen)) for a, b in pairwise(edges)], np.int64)
    _, first, size = np.unique(cell * max(len(seen), 1) + number, return_index=True, return_counts=True)
    order = np.lexsort((-np.diff(indptr)[first], cell[first]))
    label_ptr, labels = take_rows(indptr, nodes, first[order])
    ptr = np.searchsorted(cell[first][order], np.arange(cells + 1))
    return Different(ptr, size[order].astype(np.int64), label_ptr, labels)


def nodes_of(sets: Baskets, tree: Taxonomy) -> tuple[Ints, Ids]:
    """Sets of labels as nodes of a tree, in tour order."""
    indptr, nodes = sets.indptr.copy(), sets.indices.copy()
    canonicalize(indptr, nodes, np.array([tree.node(label) for label in sets.items] or [0], np.int32))
    return indptr, nodes
