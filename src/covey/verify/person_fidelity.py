"""Are the persons that a grouped release counts those of its original?

A transaction of the original is in a certain group when all that are published like it are in that one group, and
then whoever made it is in that group with everything else. Where transactions have twins in several groups, there must
still be a way to put everybody into one group each, such that all that is published and stated comes out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data import Baskets
from covey.errors import ParameterError
from covey.release.grouped import GroupedRelease
from covey.verdict import Check
from covey.verify.placing import Placing, placing
from covey.verify.row_matching import Matching

EXACT = "every group has the persons that it states"
NECESSARY = "only a necessary condition was checked: NOT that every group has the persons that it states"


def same_unit(by_person: bool, named: int | None, what: str) -> Check | None:
    """That a release counts persons if they are named in the original; None where neither is so.

    Raises
    ------
    ParameterError
        The release counts persons, and nobody has said who they are.
    """
    if named is None:
        if by_person:
            raise ParameterError(
                "This release counts persons. To compare it with the original, say which column names them: "
                "--person COLUMN (person= in Python)."
            )
        return None
    detail = counted(named, "person")
    if not by_person:
        detail = f"it counts {what}, though the original names {detail}"
    return Check(name="the release counts persons", passed=by_person, detail=detail)


def same_persons(release: GroupedRelease, original: Baskets, secret: Baskets, matching: Matching) -> list[Check]:
    """Check the numbers of persons; `secret` are the sensitive items of the original."""
    people = secret.by_person()
    totals = same_holders(people.items, release.persons or 0, people.n, release.sensitive_totals(), people.supports())
    together = _one_group_each(release, original, matching)
    if not (totals.passed and together.passed):
        return [totals, together]
    return [totals, together, _as_stated(placing(release, original))]


def _one_group_each(release: GroupedRelease, original: Baskets, matching: Matching) -> Check:
    """That nobody has transactions in two groups, as far as their baskets are published in one group only."""
    assert original.person is not None
    places, group = matching.located(release.group_ptr)
    owner = original.person[places]
    home = np.full(original.persons or 0, -1, np.int64)
    home[owner] = group
    torn = np.flatnonzero(home[owner] != group)
    found = int((home >= 0).sum())
    detail = f"{found:,} of {original.persons:,} persons have a transaction that only one group has"
    if len(torn):
        parts = np.unique(group[owner == owner[torn[0]]])
        detail = f"a person has transactions in the groups {parts[0]} and {parts[1]}"
    return Check(name="all transactions of a person are in one group", passed=not len(torn), detail=detail)


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


def _as_stated(found: Placing) -> Check:
    """That the persons can be in the groups such that each publishes what its own have, and as many as it states.

    To find everybody a place can take forever. Where the search ends without, nothing is proved, so that the release is
    not refused; the check's name says what was not shown.
    """
    persons, name = len(found.home), EXACT
    detail = f"all {persons:,} persons have a place"
    if not found.possible:
        detail = "the persons cannot be put into groups such that each has the transactions and holders that it states"
    elif found.misfits:
        placed = persons - found.misfits
        detail = f"{placed:,} of {persons:,} persons have a place; none was found for the others"
        name = NECESSARY
    elif found.unsure:
        detail += f", {found.unsure:,} of them in one of several groups"
    return Check(name=name, passed=found.possible, detail=detail)
