"""Are the persons that a grouped release counts those of its original?

A transaction of the original is in a certain group when all that are published like it are in that one group, and
then whoever made it is *placed* there. All that the release states is compared with the placed persons, and what is
left with the others, all of whose transactions have twins in several groups: where these are is the publisher's word.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Baskets
from covey.errors import ParameterError
from covey.release.grouped.model import GroupedRelease
from covey.verdict import Check
from covey.verify.row_matching import Matching


def same_unit(counted: bool, named: int | None, what: str) -> Check | None:
    """That a release counts persons if they are named in the original; None where neither is so.

    Raises
    ------
    ParameterError
        The release counts persons, and nobody has said who they are.
    """
    if named is None:
        if counted:
            raise ParameterError(
                "This release counts persons. To compare it with the original, say which column names them: "
                "--person COLUMN (person= in Python)."
            )
        return None
    detail = f"{named:,} persons"
    if not counted:
        detail = f"it counts {what}, though the original names {named:,} persons"
    return Check(name="the release counts persons", passed=counted, detail=detail)


def same_persons(release: GroupedRelease, secret: Baskets, matching: Matching, named: Ids) -> list[Check]:
    """Check the numbers of persons; `secret` are the sensitive items of the original, `named` its persons."""
    people = secret.by_person()
    places, group = matching.located(release.group_ptr)
    home = np.full(people.n, -1, np.int64)
    home[named[places]] = group
    torn = np.flatnonzero(home[named[places]] != group)
    detail = f"{int((home >= 0).sum()):,} of {people.n:,} persons have a transaction that only one group has"
    if len(torn):
        one = named[places[torn[0]]]
        parts = np.unique(group[named[places] == one])
        detail = f"a person has transactions in the groups {parts[0]} and {parts[1]}"
    lacking = not len(torn) and _lacking(release, matching, home, named)
    if lacking:
        detail = "a group lacks a transaction of a person who is in it"
    together = Check(
        name="all transactions of a person are in one group",
        passed=not len(torn) and not lacking,
        detail=detail,
    )
    checks = [_totals(release, people), together]
    if all(check.passed for check in checks):
        checks.append(_as_stated(release, people, home, np.bincount(named, minlength=people.n)))
    return checks


def _lacking(release: GroupedRelease, matching: Matching, home: Ints, named: Ids) -> bool:
    """Whether a group publishes some basket less often than those who are certainly in it have such a one."""
    group = np.searchsorted(release.group_ptr, matching.ours, side="right") - 1
    published, there = np.unique(matching.kind * release.groups + group, return_counts=True)
    owner = home[named[matching.theirs]]
    wanted, needed = np.unique((matching.kind * release.groups + owner)[owner >= 0], return_counts=True)
    at = np.minimum(np.searchsorted(published, wanted), max(len(published) - 1, 0))
    return bool(((published[at] != wanted) | (there[at] < needed)).any()) if len(published) else False


def _totals(release: GroupedRelease, people: Baskets) -> Check:
    """That all persons are counted once, and every item's holders once."""
    assert release.holders is not None
    stated = np.zeros(people.d, np.int64)
    np.add.at(stated, release.count_item, release.holders)
    wrong = np.flatnonzero(stated != people.supports())
    detail = f"{people.n:,} persons, {people.entries:,} holders of sensitive items in all"
    if release.persons != people.n:
        detail = f"{release.persons:,} persons are stated, the original has {people.n:,}"
    elif len(wrong):
        s = wrong[0]
        detail = f"{people.items[s]!r} is held by {people.supports()[s]:,} persons; the release states {stated[s]:,}"
    passed = release.persons == people.n and not len(wrong)
    return Check(name="the totals of persons agree", passed=passed, detail=detail)


def _as_stated(release: GroupedRelease, people: Baskets, home: Ints, made: Ints) -> Check:
    """That no group has fewer persons, holders or transactions than those placed in it, nor more than can be added.

    `made` is how many transactions each person has.
    """
    assert release.group_persons is not None
    assert release.holders is not None
    placed = home >= 0
    others = release.group_persons - np.bincount(home[placed], minlength=release.groups)
    rows = release.group_sizes() - np.bincount(home[placed], weights=made[placed], minlength=release.groups).astype(
        np.int64
    )
    # Each of the others made at least one of the transactions that are left, and nobody else did.
    wrong = np.flatnonzero((others < 0) | (rows < others) | ((others == 0) & (rows > 0)))
    m = max(people.d, 1)
    stated = release.count_group * m + release.count_item
    home_of_entry = np.repeat(home, people.lengths())
    held = (home_of_entry * m + people.indices)[home_of_entry >= 0]
    cells, count = np.unique(held, return_counts=True)
    at = np.minimum(np.searchsorted(stated, cells), max(len(stated) - 1, 0))
    missing = np.flatnonzero(stated[at] != cells) if len(stated) else np.arange(len(cells))
    left = release.holders.copy()
    if not len(missing):
        left[at] -= count
    bad = np.flatnonzero((left < 0) | (left > others[release.count_group]))
    name = "every group has the persons that it states"
    detail = f"exactly so for {int((others == 0).sum()):,} of {release.groups:,} groups, possibly for the rest"
    if len(wrong):
        detail = f"group {wrong[0]} cannot have {release.group_persons[wrong[0]]:,} persons"
    elif len(missing) or len(bad):
        cell = cells[missing[0]] if len(missing) else stated[bad[0]]
        detail = f"group {cell // m} does not have as many who hold {people.items[cell % m]!r} as it states"
    return Check(name=name, passed=not (len(wrong) or len(missing) or len(bad)), detail=detail)
