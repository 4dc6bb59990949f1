"""Check that a release of sets is made of its original, every label standing above what it replaces.

A global recoding is repeated on the original and compared row by row as multisets. What local recoding or suppression
made of a single transaction only the trace tells; with it every row is compared with its own original.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Baskets, Taxonomy
from covey.data.csr import beside, canonicalize, keep_items, take_rows
from covey.data.jit import kernel
from covey.errors import InputError
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.trace import trace_of
from covey.verdict import Check
from covey.verify.original_parts import (
    check_exposed,
    difference,
    known_items,
    not_checked,
    one_to_one,
    published_once,
    same_rows,
    same_unit,
)


def compare(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check that every original transaction is published once, with labels that stand above its items.

    Where persons are named, it is everybody's transactions together.
    """
    unit = same_unit(release.transactions.person is not None, original.persons, "transactions")
    checks = [] if unit is None else [unit]
    if unit is not None and not unit.passed:
        return checks
    people = original if unit is None else original.by_person()
    if release.private is None:
        checks += check_exposed(release.transactions.items, original.items, original.sensitive_items(), taxonomy)
    elif release.recoding is None:
        detail = f"they cannot be compared beside sets whose recoding is {release.recoded!r}"
        return [*checks, Check.failed("the private items are the original's", detail)]
    published = release.transactions
    checks.append(published_once(published.n, people.n, people.unit))
    if not checks[-1].passed:
        return checks
    if release.recoding is not None:
        checks += _labels(release, people, taxonomy)
        return [*checks, _recoded_rows(release, people)]
    if release.recoded == "suppressed":
        checks.append(known_items(published.items, [people.items[i] for i in np.flatnonzero(people.supports())]))
        tree = Taxonomy.flat(people.items)
    else:
        tree = tree_of(published, people, taxonomy)
        checks.append(known_labels(published, tree, taxonomy))
    if checks[-1].passed:
        checks += covered_rows(release, published, people, tree, local=release.recoded == "local")
    return checks


def covered_rows(
    release: SetsRelease | RecordsRelease, published: Baskets, original: Baskets, tree: Taxonomy, *, local: bool
) -> list[Check]:
    """That each row has labels that stand above items of its own original; if `local`, above all or it is empty."""
    what = "every published set covers items of its own original alone"
    trace = trace_of(release)
    if trace is None:
        return [not_checked(what)]
    checks = [one_to_one(trace.rows, published.n, original.n)]
    if checks[0].passed:
        label_ptr, labels = nodes_of(published, tree)
        leaf_ptr, leaves = take_rows(*nodes_of(original, tree), trace.rows)
        wrong = first_uncovered(label_ptr, labels, leaf_ptr, leaves, tree.last, local)
        detail = counted(published.n, "set") if wrong < 0 else f"{{{', '.join(published.basket(wrong)[:6])}}} does not"
        checks.append(Check(name=what, passed=wrong < 0, detail=detail))
    return checks


def nodes_of(sets: Baskets, tree: Taxonomy) -> tuple[Ints, Ids]:
    """Sets of labels as nodes of a tree, in tour order."""
    indptr, nodes = sets.indptr.copy(), sets.indices.copy()
    canonicalize(indptr, nodes, np.array([tree.node(label) for label in sets.items] or [0], np.int32))
    return indptr, nodes


def tree_of(published: Baskets, original: Baskets, taxonomy: Taxonomy | None) -> Taxonomy:
    """What labels were generalized along: the taxonomy, or the flat one if the labels need no other."""
    if taxonomy is not None:
        return taxonomy
    tree = Taxonomy.flat(original.items)
    if any(label not in tree for label in published.items):
        raise InputError(
            "the release was generalized along a taxonomy, which comparing it with its original needs",
            remedy="Give it with --taxonomy (taxonomy=).",
        )
    return tree


def _labels(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None) -> list[Check]:
    """The recoding by itself: ancestors, exclusive domains, nothing in it that is not known from elsewhere."""
    recoding, published = release.recoding or {}, release.transactions.items
    known = set(original.items) if taxonomy is None else {*original.items, *taxonomy.labels}
    strange = sorted(set(recoding) - known)
    hint = "" if taxonomy is not None else "; if the release was made with a taxonomy, give it with --taxonomy"
    checks = [
        Check(
            name="the recoding names only items of the original or of the taxonomy",
            passed=not strange,
            detail=f"{strange[0]!r} is not{hint}" if strange else counted(len(recoding), "item"),
        )
    ]
    if not strange:
        checks.append(_above(release.rest, recoding, original, tree_of(release.transactions, original, taxonomy)))
    nested = []
    if taxonomy is not None:
        # In tour order a label is below another iff it starts before the other's subtree ends.
        nodes = sorted(taxonomy.node(label) for label in published if label in taxonomy)
        nested = [taxonomy.labels[below] for above, below in pairwise(nodes) if below <= taxonomy.last[above]]
    checks.append(
        Check(
            name="the domains of the labels exclude each other",
            passed=not nested,
            detail=f"{nested[0]!r} also covers part of another label" if nested else counted(len(published), "label"),
        )
    )
    return checks


def _above(rest: str, recoding: Mapping[str, str], original: Baskets, tree: Taxonomy) -> Check:
    """That every label stands above what it replaces; the rest that a recoding does not list is "any item"."""
    wrong = [
        f"{item!r} is published as {label!r}, which is not above it"
        for item, label in recoding.items()
        if item not in tree or label not in tree or not tree.is_ancestor(tree.node(label), tree.node(item))
    ]
    if rest and rest != (root := Taxonomy.flat(original.items).labels[0]):
        wrong.append(f"the rest is published as {rest!r} instead of {root!r}")
    return Check(
        name="every label is above what it replaces in the taxonomy",
        passed=not wrong,
        detail=wrong[0] if wrong else f"{counted(len(recoding), 'item')} in the taxonomy",
    )


def _recoded_rows(release: SetsRelease, original: Baskets) -> Check:
    """Repeat the recoding on the original and compare the rows, private items with them, as multisets."""
    name = "the published sets are the original's, recoded"
    private = release.private
    secret = np.zeros(original.d, np.bool_)
    if private is not None:
        known = original.sensitive_items() or [i for i in private.items if i in set(original.items)]
        secret = np.isin(np.array(original.items, object), np.array(known, object))
    recoding = release.recoding or {}
    target = [
        f"private\0{item}" if secret[i] else f"public\0{label}" if (label := recoding.get(item, release.rest)) else ""
        for i, item in enumerate(original.items)
    ]
    labels = sorted(set(target) - {""})
    place = {label: i for i, label in enumerate(labels)}
    code = np.array([place.get(label, -1) for label in target], np.int32)
    expected = _occurring(*keep_items(original.indptr, original.indices, code), labels)
    published = release.transactions
    rows = published.indptr.copy(), published.indices.copy()
    names = [f"public\0{label}" for label in published.items]
    if private is not None:
        if private.n != published.n:
            return Check.failed(name, f"{counted(private.n, 'row')} of private items")
        rows = beside(*rows, private.indptr, private.indices + np.int32(len(names)))
        names += [f"private\0{label}" for label in private.items]
    found = _occurring(*rows, names)
    problem = difference(found, expected) or _moved_rows(release, found, expected)
    for word in ("public\0", "private\0", "public\\x00", "private\\x00"):
        problem = problem.replace(word, "")
    return Check(name=name, passed=not problem, detail=problem or counted(published.entries, "entry"))


def _occurring(indptr: Ints, ids: Ids, labels: list[str]) -> Baskets:
    """Baskets of the labels that occur, each once in a row."""
    made = Baskets.build(indptr, ids, labels)
    return made.only(made.supports() > 0)


def known_labels(published: Baskets, tree: Taxonomy, taxonomy: Taxonomy | None) -> Check:
    """That every label is in the tree of `tree_of`, which is a flat one where no taxonomy is given."""
    unknown = [label for label in published.items if label not in tree]
    return Check(
        name="every label is an item of the original, or * for any"
        if taxonomy is None
        else "every label is a node of the taxonomy",
        passed=not unknown,
        detail=f"{unknown[0]!r} is not; give the taxonomy the release was made with"
        if unknown
        else counted(published.d, "label"),
    )


def _moved_rows(release: SetsRelease, found: Baskets, expected: Baskets) -> str:
    """How the published rows differ, row by row, from what the trace expects them to be, in words."""
    trace = trace_of(release)
    if trace is None:
        return ""
    check = one_to_one(trace.rows, found.n, expected.n)
    if not check.passed:
        return f"{check.name}: {check.detail}"
    return "" if same_rows(expected, trace.rows, found) else "a published set differs from that of its own original"


@kernel
def first_uncovered(
    label_ptr: Ints, labels: Ids, leaf_ptr: Ints, leaves: Ids, last: Ids, whole: bool
) -> int:  # fmt: skip
    """Return the first row with a label that stands above none of its leaves, or -1.

    If `whole`, also one with labels that do not stand above all of its leaves. Cost as for `covers`, for each row.
    """
    for row in range(len(label_ptr) - 1):
        own, below = labels[label_ptr[row] : label_ptr[row + 1]], leaves[leaf_ptr[row] : leaf_ptr[row + 1]]
        if whole:
            if len(own) > 0 and not covers(own, below, last):
                return row
            continue
        for label in own:
            at = np.searchsorted(below, label)
            if at == len(below) or below[at] > last[label]:
                return row
    return -1


@kernel
def covers(labels: Ids, leaves: Ids, last: Ids) -> bool:
    """Whether every leaf lies below a label and every label above a leaf.

    Precondition: both ascending, in tour order. O(labels + leaves, times the labels nested in each other).
    """
    for i in range(len(labels)):
        at = np.searchsorted(leaves, labels[i])
        if at == len(leaves) or leaves[at] > last[labels[i]]:
            return False
    for e in range(len(leaves)):
        inside = False
        for i in range(np.searchsorted(labels, leaves[e], side="right") - 1, -1, -1):
            if leaves[e] <= last[labels[i]]:
                inside = True
                break
        if not inside:
            return False
    return True
