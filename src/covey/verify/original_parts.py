"""Checks against the original that several kinds of release have in common."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.data import Baskets, Taxonomy
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows
from covey.data.labels import twins
from covey.errors import ParameterError
from covey.verdict import Check


def not_checked(what: str) -> Check:
    """State what cannot be checked without the trace; it passes, because nothing speaks against it."""
    return Check.ok(f"not checked without the trace: {what}", "give the dataset, or --trace FILE, to check it")


def one_to_one(rows: Ints, published: int, original: int, *, all_of_them: bool = True) -> Check:
    """That the trace names an original row for each published one, none twice and, if need be, each."""
    problem = ""
    if len(rows) != published:
        problem = f"it has {counted(len(rows), 'row')}, and {published:,} are published"
    elif len(rows) and (rows.min() < 0 or rows.max() >= original):
        problem = f"it names a row outside of the {original:,} of the original"
    elif bool((np.bincount(rows, minlength=original) > 1).any()):
        problem = "it names an original row twice"
    elif all_of_them and published != original:
        problem = f"{published:,} rows are published, and the original has {original:,}"
    return Check(
        name="the trace gives every published row an original of its own",
        passed=not problem,
        detail=problem or f"{published:,} of {counted(original, 'row')}",
    )


def in_one_group(group: Ints, person: Ids, what: str) -> Check:
    """That all rows of a person are in one group or class."""
    home = np.empty(int(person.max(initial=-1)) + 1, np.int64)
    home[person] = group
    torn = np.flatnonzero(home[person] != group)
    detail = counted(len(home), "person")
    if len(torn):
        parts = np.unique(group[person == person[torn[0]]])
        detail = f"a person has {what} in the groups {parts[0]} and {parts[1]}"
    return Check(name=f"all {what} of a person are in one group", passed=not len(torn), detail=detail)


def same_unit(by_person: bool, known: int | None, what: str) -> Check | None:
    """That a release counts persons if they are named in the original; None where neither is so.

    Raises
    ------
    ParameterError
        The release counts persons, and the original does not name them.
    """
    if known is None:
        if by_person:
            raise ParameterError(
                "This release counts persons. To compare it with the original, say which column names them: "
                "--person COLUMN (person= in Python)."
            )
        return None
    detail = counted(known, "person")
    if not by_person:
        detail = f"it counts {what}, though the original names {detail}"
    return Check(name="the release counts persons", passed=by_person, detail=detail)


def same_sensitive(ours: Collection[str], items: Collection[str], known: Collection[str], given: bool) -> Check:
    """That the items which a release counts are in the original and, if some are marked there, exactly these."""
    name = "the sensitive items are those named" if given else "the sensitive items occur in the original"
    unknown = sorted(set(ours) - set(items))
    if unknown:
        return Check.failed(name, f"{unknown[0]!r} does not occur in the original")
    if items and len(ours) == len(items):
        return Check.failed(name, "no item of the original is left to publish")
    differing = sorted(set(known) ^ set(ours)) if given else []
    if differing:
        where = "not counted in the release" if differing[0] in known else "sensitive only in the release"
        return Check.failed(name, f"{differing[0]!r} is {where}")
    them = "it" if len(ours) == 1 else "them"
    hint = "" if given else f", as the release names {them}; give --sensitive to compare with your own list"
    return Check.ok(name, f"{counted(len(ours), 'item')}{hint}")


def same_totals(labels: Sequence[str], ours: Ints, theirs: Ints) -> Check:
    """That every sensitive item is counted as often as the original has it."""
    wrong = np.flatnonzero(ours != theirs)
    detail = counted(int(ours.sum()), "occurrence")
    if len(wrong):
        s = wrong[0]
        detail = f"{labels[s]!r} is counted {counted(int(ours[s]), 'time')}, the original has {theirs[s]:,}"
    return Check(name="the totals of the sensitive items agree", passed=not len(wrong), detail=detail)


def same_holders(labels: Sequence[str], stated: int, persons: int, ours: Ints, theirs: Ints) -> Check:
    """That all persons are counted once, and every item's holders once."""
    wrong = np.flatnonzero(ours != theirs)
    detail = f"{sizes(persons=persons, holders=int(theirs.sum()))} of sensitive items in all"
    if stated != persons:
        detail = f"{counted(stated, 'person')} stated, the original has {persons:,}"
    elif len(wrong):
        s = wrong[0]
        detail = f"{labels[s]!r} has {counted(theirs[s], 'holder')}; the release states {ours[s]:,}"
    return Check(name="the totals of persons agree", passed=stated == persons and not len(wrong), detail=detail)


def published_once(ours: int, theirs: int, unit: str = "transactions") -> Check:
    """That as many transactions, or persons, are published as there were."""
    detail = counted(ours, unit[:-1]) if ours == theirs else f"{ours:,} published, {theirs:,} in the original"
    return Check(name=f"every {unit[:-1]} is published once", passed=ours == theirs, detail=detail)


def known_items(published: Collection[str], known: Collection[str]) -> Check:
    """That no item is published which the original does not have."""
    invented = sorted(set(published) - set(known))
    return Check(
        name="every published item is in the original",
        passed=not invented,
        detail=f"{invented[0]!r} is not" if invented else counted(len(published), "item"),
    )


def check_exposed(
    published: Sequence[str], items: Sequence[str], sensitive: Collection[str], taxonomy: Taxonomy | None = None
) -> list[Check]:
    """That no `sensitive` one of the original's `items` is published, nor a label that stands for such items only.

    No check where nothing is sensitive.

    Examples
    --------
    >>> check_exposed(["wine"], ["test", "wine"], ["test"])[0].passed
    True
    """
    if not sensitive:
        return []
    exposed = [label for label, _ in twins(published, sensitive)]
    if taxonomy is not None:
        exposed += _broader(published, items, set(sensitive), taxonomy)
    named = counted(len(sensitive), "sensitive item")
    detail = f"{named} of the original left out"
    if exposed:
        detail = f"{exposed[0]!r} is, though this promise treats all items alike; promise one that protects them"
    return [Check(name="no sensitive item is published like any other", passed=not exposed, detail=detail)]


def _broader(published: Sequence[str], items: Sequence[str], sensitive: set[str], tree: Taxonomy) -> list[str]:
    """The labels that stand for sensitive items of the original and for no others."""
    there = np.zeros((2, tree.size + 1), np.int64)
    for item in items:
        if item in tree:
            there[:, tree.node(item) + 1] = 1, item in sensitive
    # In tour order what is below a node stands behind it, up to the last.
    every, secret = there.cumsum(axis=1)
    nodes = np.array([tree.node(label) for label in published if label in tree], np.int64)
    ends = tree.last[nodes] + 1
    wholly = secret[ends] - secret[nodes]
    found = (wholly > 0) & (wholly == every[ends] - every[nodes])
    return [tree.labels[node] for node in nodes[found]]


def difference(published: Baskets, original: Baskets) -> str:
    """How the two differ as multisets of baskets, in words; empty when they do not. O(entries + rows log rows)."""
    if published.n != original.n:
        return f"{published.n:,} transactions are published, the original has {original.n:,}"
    if published.items != original.items:
        invented = sorted(set(published.items) - set(original.items))
        lost = sorted(set(original.items) - set(published.items))
        what = f"{invented[0]!r} is published but not in" if invented else f"{lost[0]!r} is missing from"
        return f"the item {what} the {'original' if invented else 'release'}"
    n = original.n
    indptr = np.concatenate([published.indptr, published.indptr[-1] + original.indptr[1:]])
    number = equal_rows(indptr, np.concatenate([published.indices, original.indices]), original.d)[0]
    size = int(number.max(initial=-1)) + 1
    ours, theirs = np.bincount(number[:n], minlength=size), np.bincount(number[n:], minlength=size)
    wrong = np.flatnonzero(ours[number[:n]] > theirs[number[:n]])
    if not len(wrong):
        return ""
    row = int(wrong[np.argmax((ours - theirs)[number[wrong]])])
    return other_often(published.basket(row), int(ours[number[row]]), int(theirs[number[row]]))


def same_rows(original: Baskets, rows: Ints, published: Baskets) -> bool:
    """Whether these rows of an original are, one by one, those of `published`, over the same items."""
    indptr, indices = take_rows(original.indptr, original.indices, rows)
    return np.array_equal(indptr, published.indptr) and np.array_equal(indices, published.indices)


def other_often(basket: list[str], here: int, there: int) -> str:
    """That a basket is published more or less often than it is in the original, in words."""
    shown = ", ".join(basket[:6]) + (" …" if len(basket) > 6 else "")
    return f"the basket {{{shown}}} is published {counted(here, 'time')}, the original has it {counted(there, 'time')}"
