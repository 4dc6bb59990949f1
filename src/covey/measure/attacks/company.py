"""Find the group or class of each person in a release: what two releases about the same people are compared by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Baskets, Records, Table
from covey.data.persons import found_again
from covey.errors import InputError, ParameterError
from covey.measure.homes import homes_of, kinds_of
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import parts
from covey.release.persons import require_same_unit
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.release.trace import remember, require_trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The group or class of each person, and what it tells someone who knows all that is ordinary of everybody.

    A person is a row of the original where no persons are counted.
    """

    #: The group or class of each person.
    home: Ints
    #: How many persons each group or class has.
    size: Ints
    #: For everything that is hidden: who has it in truth, 1 or 0 for each person.
    holds: Mapping[str, Floats]
    #: For all of that, and what was asked for besides: how likely each person has it as far as this release tells; left
    #: out where it tells nothing.
    share: Mapping[str, Floats]


def company_of(release: Release, original: object, about: Collection[str] = ()) -> Company:
    """The company of everybody in a release.

    Parameters
    ----------
    release, original
        As for `covey.measure.attacks.run_attacks`.
    about : collection of str
        What is hidden elsewhere: the attacker does not know it of anybody, also if this release publishes it.

    Raises
    ------
    ParameterError
        Releases of this kind have no groups or classes, or this one counts rows and persons have several.
    """
    require_same_unit(release.facts(), original)
    return _company(release, original, about)


@singledispatch
def _company(release: Release, original: object, about: Collection[str]) -> Company:
    """Find the company in a release of this kind."""
    raise ParameterError(
        f"A {release.kind} release has no groups or classes, so there is nothing that two releases could be compared "
        "by."
    )


def earlier_homes(data: Any, release: Release) -> Ints:
    """The group or class that each person of `data` had in an earlier release, -1 for newcomers; by its trace.

    Persons are found again by their names; where none are named, the release was made from the same rows.
    """
    trace = require_trace(release)
    home = homes_of(release, trace.person)
    people = getattr(data, "baskets", data)
    if trace.names is None and getattr(people, "names", None) is None:
        again = shared_rows(len(home), len(data) if data.persons is None else data.persons)
    else:
        again = same_people(people, trace)
    return np.where(again >= 0, home[again], -1)


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


@_company.register
def _of_grouped(release: GroupedRelease, original: Baskets, about: Collection[str] = ()) -> Company:
    """Groups, and the chance of each sensitive item: the mean over the groups of all who look the same.

    An item that is hidden elsewhere and published here is as likely as it is among those who look the same without it.
    """
    public, secret = (part.by_person() for part in parts(release, original))
    home, size, count = homes_of(release, original.as_baskets().person), release.members(), release.count
    kind = kinds_of(public.only(np.array([item not in about for item in public.items], np.bool_)))
    share = {}
    for s, item in enumerate(release.sensitive_items):
        chance = np.zeros(release.groups)
        of_item = release.count_item == s
        chance[release.count_group[of_item]] = count[of_item] / size[release.count_group[of_item]]
        share[item] = mean_by(kind, chance[home])
    for item in set(about) & set(public.items):
        share[item] = mean_by(kind, held(public, item))
    holds = {item: held(secret, item) for item in secret.items}
    return Company(home=home, size=size, holds=holds, share=share)


def mean_by(kind: Ints, value: Floats) -> Floats:
    """For each row the mean of the value over all rows of its kind."""
    often = np.bincount(kind)
    return (np.bincount(kind, value, len(often)) / np.maximum(often, 1))[kind]


def held(baskets: Baskets, item: str) -> Floats:
    """1 for each row that holds the item, 0 for the others."""
    found = np.zeros(baskets.n)
    entries = np.flatnonzero(baskets.indices == baskets.items.index(item))
    found[np.searchsorted(baskets.indptr, entries, side="right") - 1] = 1.0
    return found


@_company.register
def _of_sets(release: SetsRelease, original: Baskets, about: Collection[str] = ()) -> Company:
    """Classes of sets that are published alike, and the private items among them."""
    public, published = public_part(release, original), release.transactions
    kind, home = kinds_of(published), homes_of(release, None)
    example = np.unique(kind, return_index=True)[1]
    holds, share = {}, {}
    if release.private is not None:
        secret = original.by_person() if published.person is not None else original
        for item in release.private.items:
            holds[item] = held(secret, item)
            share[item] = (np.bincount(kind, held(release.private, item)) / np.bincount(kind))[home]
    seen = kinds_of(public.only(np.array([item not in about for item in public.items], np.bool_)))
    for item in set(about) & set(public.items) & set(published.items):
        share[item] = mean_by(seen, held(published, item)[example][home])
    return Company(home=home, size=np.bincount(kind), holds=holds, share=share)


#: A column with more values than this is left out: it tells persons apart by itself.
VALUES = 500


@_company.register
def _of_table(release: TableRelease, original: Table, about: Collection[str] = ()) -> Company:
    """Classes, and the chance of each sensitive value in them, which is called ``column: value``."""
    person = np.arange(original.n) if original.person is None else original.person.astype(np.int64)
    kind, home = release.classes(), homes_of(release, original.person)
    rows_in = np.bincount(kind)
    holds: dict[str, Floats] = {}
    share: dict[str, Floats] = {}
    for column in release.columns:
        if column.role == "quasi" or len(column.labels) > VALUES:
            continue
        theirs = original.column(column.name)
        for value, label in enumerate(column.labels):
            name = f"{column.name}: {label}"
            if column.role == "sensitive":
                holds[name] = np.zeros(len(home))
                holds[name][person[theirs.codes == theirs.values.index(label)]] = 1.0
            if column.role == "sensitive" or name in about:
                share[name] = (np.bincount(kind[column.codes == value], minlength=len(rows_in)) / rows_in)[home]
    size = rows_in if release.class_persons is None else release.class_persons
    return Company(home=home, size=size, holds=holds, share=share)


@_company.register
def _of_records(release: RecordsRelease, original: Records, about: Collection[str] = ()) -> Company:
    """Classes of persons with the same attributes; items are left out of account."""
    remember(release.attributes, require_trace(release))
    return _of_table(release.attributes, original.attributes, about)
