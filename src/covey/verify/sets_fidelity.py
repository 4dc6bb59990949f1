"""Is a release of sets made of this original, every label standing above what it replaces?

A global recoding is repeated on the original, with plain array work that no method uses, and compared row by row as
multisets. A local one is checked to be possible: the published sets can be dealt out to the original transactions so
that each set covers exactly the items of its transaction. Where too many sets fit too many transactions for that, each
set is checked alone, and the check's name says so."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Baskets, Taxonomy
from covey.data.cover import fitting_pairs, fitting_too_few
from covey.data.csr import beside, canonicalize, keep_items
from covey.data.tree import rows_of_nodes
from covey.errors import InputError
from covey.release.sets import SetsRelease
from covey.verdict import Check
from covey.verify import suppressed_fidelity
from covey.verify.exposed import check_exposed
from covey.verify.person_fidelity import same_unit
from covey.verify.row_matching import match_rows
from covey.verify.table_fidelity import most_matched

#: Pairs of published set and original transaction that are looked at before the exact check is left out.
PAIRS = 4_000_000

EXACT = "every published set covers exactly the items of its own original"
NECESSARY = "every published set covers exactly the items of enough originals (one set at a time)"


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
    if release.recoded == "suppressed":
        return checks + suppressed_fidelity.compare(release.transactions, people)
    return checks + _compare_recoded(release, people, taxonomy)


def _compare_recoded(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None) -> list[Check]:
    """Check a release with other labels than the original's; a taxonomy also lets the labels be checked."""
    same = release.transactions.n == original.n
    detail = f"{release.transactions.n:,} published, {original.n:,} in the original"
    checks = [Check(name=f"every {original.unit[:-1]} is published once", passed=same, detail=detail)]
    if not same:
        return checks
    if release.recoding is None:
        published, tree = release.transactions, tree_of(release.transactions, original, taxonomy)
        checks.append(known_labels(published, tree, taxonomy))
        if checks[-1].passed:  # then the published sets can perhaps be dealt out to the originals they cover
            checks.append(_assignable(published, original, tree))
        return checks
    checks += _labels(release, original, taxonomy)
    return [*checks, _recoded_rows(release, original)]


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
    recoding = {item: label for item, label in (release.recoding or {}).items() if label}
    published = set(release.transactions.items)
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
    nested = sorted(label for label in set(recoding.values()) if recoding.get(label, label) != label)
    if taxonomy is not None and not nested and all(label in taxonomy for label in published):
        # In tour order a label is below another iff it starts before the other's subtree ends.
        nodes = sorted(taxonomy.node(label) for label in published)
        for above, below in pairwise(nodes):
            if below <= taxonomy.last[above]:
                nested.append(taxonomy.labels[below])
    checks.append(
        Check(
            name="the domains of the labels exclude each other",
            passed=not nested,
            detail=f"{nested[0]!r} also covers part of another label" if nested else counted(len(published), "label"),
        )
    )
    unknown = sorted(published - {*recoding.values(), release.rest})
    checks.append(
        Check(
            name="suppressed items are gone everywhere",
            passed=not unknown,
            detail=f"{unknown[0]!r} is published but no item is recoded to it"
            if unknown
            else "every published label comes from the recoding",
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
    problem = match_rows(found, expected).problem
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


def _assignable(published: Baskets, original: Baskets, tree: Taxonomy) -> Check:
    """Whether the published sets can be dealt out to the transactions they cover.

    With more than `PAIRS` pairs that fit, only a necessary condition is checked, and the check's name says so: for
    each published set, the original has as many transactions that it covers.
    """
    tree.bind(original.items)
    set_ptr, sets, set_count = _distinct(published, tree)
    row_ptr, leaves, row_count = _distinct(original, tree)
    full = np.diff(set_ptr) > 0
    empty_sets = int(set_count[~full].sum())
    empty_rows = int(row_count[np.diff(row_ptr) == 0].sum())
    if empty_sets < empty_rows:
        empty = f"{counted(empty_rows, 'empty ' + original.unit[:-1])}"
        detail = f"{empty}, but only {counted(empty_sets, 'set')}"
        return Check.failed(EXACT, detail)
    node_ptr, node_rows, _ = rows_of_nodes(row_ptr, leaves, tree.parent)
    candidates = (set_ptr, sets, row_ptr, leaves, node_ptr, node_rows, tree.last)
    short = fitting_too_few(*candidates, set_count, row_count)
    if short >= 0:
        labels = ", ".join(tree.labels[x] for x in sets[set_ptr[short] : set_ptr[short + 1]][:6])
        detail = f"{{{labels}}} is published {counted(int(set_count[short]), 'time')}, but fits fewer {published.unit}"
        return Check.failed(EXACT, detail)
    complete, pair_set, pair_row = fitting_pairs(*candidates, PAIRS)
    if not complete:
        detail = f"{counted(len(set_count), 'different set')}; they fit too many {published.unit} to assign them"
        return Check.ok(NECESSARY, detail)
    # A transaction may also be published empty; that suppresses it, and covers nothing falsely.
    pair_ptr = np.searchsorted(pair_set, np.arange(len(set_count) + 1))
    dealt = most_matched(pair_ptr, pair_row, np.where(full, set_count, 0), row_count)
    wanted = int(set_count.sum()) - empty_sets
    if dealt < wanted:
        detail = f"only {dealt:,} of {counted(wanted, 'set')} find a {published.unit[:-1]} to cover"
        return Check.failed(EXACT, detail)
    return Check.ok(EXACT, f"{counted(published.n, 'set')} assigned to their {published.unit}")


def _distinct(baskets: Baskets, tree: Taxonomy) -> tuple[Ints, Ids, Ints]:
    """The different rows as nodes in tour order, and how often each occurs."""
    indptr, nodes = baskets.indptr.copy(), baskets.indices.copy()
    canonicalize(indptr, nodes, np.array([tree.node(label) for label in baskets.items], np.int32))
    rows = nodes.tobytes()
    seen: dict[bytes, int] = {}
    for start, stop in pairwise((4 * indptr).tolist()):
        row = rows[start:stop]
        seen[row] = seen.get(row, 0) + 1
    ptr = np.concatenate([[0], np.cumsum([len(row) // 4 for row in seen])]).astype(np.int64)
    return ptr, np.frombuffer(b"".join(seen), np.int32).copy(), np.array(list(seen.values()), np.int64)
