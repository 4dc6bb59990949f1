"""Who is published with whom: what two releases about the same people are compared by, one module per kind of release.

Which function finds it is said by the kind (`covey.release.kinds.ReleaseKind.company`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.data.persons import found_again
from covey.errors import InputError, ParameterError
from covey.lazy import load
from covey.release.kinds import release_kind
from covey.release.persons import require_same_unit

__all__ = ["Company", "company_of", "earlier_homes", "same_people"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The group or class of each person, and what it tells someone who knows all that is ordinary of everybody.

    A person is a row of the original where no persons are counted.

    Attributes
    ----------
    home : int64 array
        The group or class of each person. Where several may be theirs, since others look the same, it is one that fits.
    size : int64 array
        How many persons each group or class has.
    holds : mapping
        For everything that is hidden: who has it in truth, 1 or 0 for each person.
    share : mapping
        For all of that, and what was asked for besides: how likely each person has it as far as this release tells;
        left out where it tells nothing.
    unsure : int
        How many persons could be in another group or class just as well, as far as is known.
    """

    home: Ints
    size: Ints
    holds: Mapping[str, Floats]
    share: Mapping[str, Floats]
    unsure: int = 0


def company_of(release: Any, original: Any, about: Collection[str] = ()) -> Company:
    """The company of everybody in a release.

    Parameters
    ----------
    release, original
        As for `covey.attacks.run_attacks`.
    about : collection of str
        What is hidden elsewhere: the attacker does not know it of anybody, also if this release publishes it.

    Raises
    ------
    ParameterError
        Releases of this kind have no groups or classes, or this one counts rows and persons have several.
    """
    kind = release_kind(release.kind)
    if kind.company is None:
        raise ParameterError(
            f"A {release.kind} release has no groups or classes, so there is nothing that two releases could be "
            "compared by."
        )
    require_same_unit(release.facts(), original)
    made: Company = load(kind.company)(release, original, about)
    return made


def earlier_homes(data: Any, release: Any, original: Any = None) -> tuple[Ints, int]:
    """The group or class that each person of `data` had in an earlier release, -1 for newcomers; and `Company.unsure`.

    Parameters
    ----------
    data : data
        What is to be published now.
    release, original
        The earlier release and what it was made from; None where that is `data`, too.
    """
    company = company_of(release, data if original is None else original)
    home = company.home
    if original is not None:
        again = same_people(data, original)
    else:
        again = shared_rows(len(home), len(data) if data.persons is None else data.persons)
    return np.where(again >= 0, home[again], -1), company.unsure


def shared_rows(mine: int, theirs: int) -> Ints:
    """Who is who in two releases of one original, by how many each is about: everybody is in their own place."""
    if mine != theirs:
        raise ParameterError(
            "One of the releases counts persons and the other rows. Both must be made with --person, or both without."
        )
    return np.arange(mine)


def same_people(mine: Any, theirs: Any) -> Ints:
    """For each of my persons the number of the same person in the other data, or -1.

    The names of the persons tell; without them nobody can say who is who in two data sets.

    Raises
    ------
    ParameterError
        Persons are not named in both.
    InputError
        Nobody is in both.

    Examples
    --------
    >>> import covey
    >>> june = covey.Baskets.of([["tea"], ["ale"]], persons=["ann", "bob"])
    >>> july = covey.Baskets.of([["ale"], ["tea"]], persons=["bob", "cid"])
    >>> same_people(july, june).tolist()
    [1, -1]
    """
    names = [getattr(data, "baskets", data) for data in (mine, theirs)]
    ours, others = (getattr(data, "names", None) for data in names)
    if ours is None or others is None:
        raise ParameterError(
            "Two data sets can be about the same people only if both name them. Say which column does: --person "
            "COLUMN (person=); it must have the same name in both."
        )
    found = found_again(ours, others)
    if not (found >= 0).any():
        raise InputError(
            "nobody is in both data sets",
            remedy="Check that --person is the column that names the same persons in both.",
        )
    return found
