"""A grouped release as it looks to someone who knows which transactions are one person's.

Published transactions are not linked. Someone who knows a person may know several of theirs, and in the worst case
all; so what is measured by person takes each person's items together, in the group that their transactions are in.
"""

from __future__ import annotations

import numpy as np

from covey.data import Baskets, Records
from covey.errors import InputError, ParameterError
from covey.once import once
from covey.release.grouped.model import GroupedRelease
from covey.release.grouped.original import marked, parts
from covey.release.grouped.publish import grouped
from covey.verify.row_matching import match_rows


def by_person(release: GroupedRelease, data: Baskets | Records) -> tuple[GroupedRelease, Baskets]:
    """Release and original with one basket per person; as they are where the release counts transactions.

    A person all of whose transactions have twins in several groups may be in any of these; one is taken.

    Examples
    --------
    >>> import covey
    >>> visits = covey.Baskets.of([["a", "s"], ["b"], ["c"]], sensitive=["s"], persons=["ann", "ann", "bob"])
    >>> seen, people = by_person(covey.anonymize(visits, "degree(p=2)", seed=0), visits)
    >>> seen.transactions.n, people.basket(0)
    (2, ['a', 'b', 's'])
    """
    original = data.as_baskets()
    return (release, original) if release.group_persons is None else _people(release, original)


def unplaced(release: GroupedRelease, original: Baskets) -> int:
    """How many persons are in a group that cannot be told: each of their baskets is in several groups.

    Examples
    --------
    >>> import covey
    >>> visits = covey.Baskets.of([["a", "s"], ["b"], ["c"]], sensitive=["s"], persons=["ann", "ann", "bob"])
    >>> unplaced(covey.anonymize(visits, "degree(p=2)", seed=0), visits)
    0
    """
    if release.group_persons is None or original.person is None:
        return 0
    matching = match_rows(release.transactions, parts(release, original)[0])
    places, _ = matching.located(release.group_ptr)
    return len(np.unique(original.person)) - len(np.unique(original.person[places]))


@once
def _people(release: GroupedRelease, original: Baskets) -> tuple[GroupedRelease, Baskets]:
    """Both with one basket per person."""
    if original.person is None:
        raise ParameterError(
            "This release counts persons. Say which column of the original names them: --person COLUMN (person=)."
        )
    public, _ = parts(release, original)
    matching = match_rows(release.transactions, public)
    if matching.problem:
        raise InputError(
            f"the release was not made from this original: {matching.problem}",
            remedy="Give the data that this release was made from.",
        )
    home = np.empty(int(original.person.max()) + 1, np.int64)
    anywhere = np.searchsorted(release.group_ptr, matching.ours, side="right") - 1
    home[original.person[matching.theirs]] = anywhere
    places, group = matching.located(release.group_ptr)
    home[original.person[places]] = group
    people = marked(release, original).by_person()
    used, home = np.unique(home, return_inverse=True)
    return grouped(people, home.reshape(-1), len(used), made=release.made, seed=0), people
