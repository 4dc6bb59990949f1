"""Checks against the original that several kinds of release have in common."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
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
