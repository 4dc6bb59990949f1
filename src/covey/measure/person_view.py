"""A grouped release as it looks to someone who knows which transactions are one person's.

Published transactions are not linked. Someone who knows a person may know several of theirs, and in the worst case
all; so what is measured by person takes each person's items together, in the group that their transactions are in.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Records
from covey.errors import ParameterError
from covey.measure.homes import homes_of
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import marked
from covey.release.grouping import arranged


def by_person(release: GroupedRelease, data: Baskets | Records) -> tuple[GroupedRelease, Baskets]:
    """Release and original with one basket per person; as they are where the release counts transactions.

    The trace of the release has the group of each person; where persons are rows none is needed.

    Examples
    --------
    >>> import covey
    >>> visits = covey.Baskets.of([["a", "s"], ["b"], ["c"]], sensitive=["s"], persons=["ann", "ann", "bob"])
    >>> seen, people = by_person(covey.anonymize(visits, "degree(p=2)", seed=0), visits)
    >>> seen.transactions.n, people.basket(0)
    (2, ['a', 'b', 's'])
    """
    original = data.as_baskets()
    return (release, original) if _are_rows(release, original) else _people(release, original)[:2]


def visits_of(release: GroupedRelease, data: Baskets | Records) -> Ints | None:
    """How many transactions each person of the release by person has; None where rows are all there is of anybody."""
    original = data.as_baskets()
    return None if _are_rows(release, original) else _people(release, original)[2]


def _are_rows(release: GroupedRelease, original: Baskets) -> bool:
    """Whether everybody has one row, so that rows need not be linked."""
    return release.group_persons is None or original.persons == original.n


@lru_cache(maxsize=1)
def _people(release: GroupedRelease, original: Baskets) -> tuple[GroupedRelease, Baskets, Ints]:
    """Both with one basket per person, and how many transactions each released person has."""
    if original.person is None:
        raise ParameterError(
            "This release counts persons. Say which column of the original names them: --person COLUMN (person=)."
        )
    home, people = homes_of(release, original.person), marked(release, original).by_person()
    seen, rows = arranged(people, home, release.groups, made=release.made, seed=0)
    return seen, people, np.bincount(original.person)[rows]
