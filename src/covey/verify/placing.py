"""In which group each person of an original is, as far as a grouped release tells.

Published transactions are not linked to persons, and a common basket is in many groups. But a group has all baskets of
each of its persons, exactly as often, and states how many persons it has and how many of them, and of their baskets,
have each sensitive item. Who can only be in one group is placed there; what that group has left then rules it out for
others, and so on. Whoever remains gets a group such that everything published is as it is stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Baskets, Records
from covey.data.equal_rows import equal_rows
from covey.errors import ParameterError
from covey.kernels.verify.placing import (
    list_groups,
    place_forced,
    place_where_room,
    rarest_needs,
)
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import parts
from covey.verify.row_matching import paired

#: Types with so few groups first: what is left after them is less.
FIRST = (4, 64, 1024, 1 << 40)
#: So many groups are listed for all types at once; so many are looked at for who is certain.
LISTED, LOOKS = 1 << 18, 1 << 19


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Placing:
    """The group of each person.

    Attributes
    ----------
    home : int64 array
        The group of each person, or of each row where the original names no persons.
    sure : bool array
        Who cannot be in another group; but those who have the same baskets and secrets may change places with one
        another, which makes no difference to any figure.
    misfits : int
        How many of the others are in a group that cannot have them all, because no better place was found for them.
    possible : bool
        False where it is proved that these persons cannot be in these groups at all.
    """

    home: Ints
    sure: Mask
    misfits: int
    possible: bool

    @property
    def unsure(self) -> int:
        """How many could be in other groups just as well."""
        return int((~self.sure).sum())

    @property
    def note(self) -> str:
        """What figures by person leave open, in a sentence; empty where nothing is."""
        return unsure_in_words(self.unsure, len(self.home), self.misfits)

    @property
    def figures(self) -> dict[str, Any]:
        """The same as figures for JSON."""
        return person_figures(len(self.home), self.unsure, self.misfits)


def person_figures(persons: int, unsure: int, misfits: int = 0) -> dict[str, Any]:
    """How many persons are measured, how many of them could be in several groups, and what that means if any could."""
    note = unsure_in_words(unsure, persons, misfits)
    return {"persons": persons, "unsure_persons": unsure, **({"approximate": note} if note else {})}


def unsure_in_words(unsure: int, persons: int, misfits: int = 0) -> str:
    """What figures by person leave open if it is not certain of some of them in which group they are.

    Examples
    --------
    >>> unsure_in_words(12, 400)
    'Figures by person are approximate: 12 of 400 persons could be in several groups; each was put into one of them.'
    >>> unsure_in_words(0, 400)
    ''
    """
    if not unsure:
        return ""
    besides = f" For {misfits:,} of these, no group was found that fits in all." if misfits else ""
    return (
        f"Figures by person are approximate: {unsure:,} of {persons:,} persons could be in several groups; each "
        f"was put into one of them.{besides}"
    )


def approximate(release: GroupedRelease, data: Baskets | Records) -> str:
    """What figures by person leave open; empty where nothing is, or where transactions are counted."""
    return "" if release.group_persons is None else placing(release, data.as_baskets()).note


@lru_cache(maxsize=1)
def placing(release: GroupedRelease, data: Baskets | Records) -> Placing:
    """Find the group of each person; where the release counts rows, nobody may have two.

    Raises
    ------
    ParameterError
        The release counts persons, and nobody has said who they are in the original.
    InputError
        The release was not made from this original.

    Examples
    --------
    >>> import covey
    >>> visits = covey.Baskets.of([["a", "s"], ["b"], ["c"]], sensitive=["s"], persons=["ann", "ann", "bob"])
    >>> placing(covey.anonymize(visits, "degree(p=2)", seed=0), visits).home
    array([0, 0])
    """
    if release.group_persons is not None and data.as_baskets().person is None:
        raise ParameterError(
            "This release counts persons. Say which column of the original names them: --person COLUMN (person=)."
        )
    need, groups, anywhere = _needs_and_groups(release, data)
    number, example = _types(need)
    search = _Search(need.rows(example), groups, np.bincount(number, minlength=len(example)))
    search.place_forced()
    unsure = search.left.copy()
    if unsure.any():
        search.place_rest()
    # Those of a type get its groups in turn, the certain ones first; whoever comes last may get none.
    turn = np.argsort(number, kind="stable")
    place = np.empty(len(number), np.int64)
    place[turn] = np.arange(len(number)) - np.searchsorted(number[turn], number[turn])
    home = search.homes(number, place)
    sure = place < (search.persons - unsure)[number]
    return Placing(
        home=np.where(home < 0, anywhere, home), sure=sure, misfits=int(search.left.sum()), possible=search.possible
    )


@dataclass(frozen=True, slots=True)
class _Amounts:
    """Rows of resources, ascending, with how much of each: what persons need, or what groups have."""

    ptr: Ints
    what: Ints
    much: Ints

    @classmethod
    def of(cls, rows: int, resources: int, keys: Ints, much: Ints) -> _Amounts:
        """By keys, which are row times `resources` plus resource; none may occur twice."""
        order = np.argsort(keys, kind="stable")
        ptr = np.searchsorted(keys, np.arange(rows + 1) * resources, sorter=order)
        return cls(ptr.astype(np.int64), keys[order] % resources, much[order].astype(np.int64))

    def rows(self, which: Ints) -> _Amounts:
        """Some of the rows."""
        length = np.diff(self.ptr)[which]
        ptr = np.concatenate([[0], np.cumsum(length)])
        at = np.repeat(self.ptr[which] - ptr[:-1], length) + np.arange(ptr[-1])
        return _Amounts(ptr, self.what[at], self.much[at])


def _needs_and_groups(release: GroupedRelease, data: Baskets | Records) -> tuple[_Amounts, _Amounts, Ints]:
    """What persons need and what groups have, and a group for each person that has one of the person's baskets.

    Resources are the distinct baskets, then holders of each sensitive item, then places for persons where they count.
    """
    public, secret = parts(release, data)
    published, kind, kinds = paired(release.transactions, public)
    person = np.arange(public.n) if public.person is None else public.person
    persons, m = int(person.max(initial=-1)) + 1, secret.d
    group_of_row = np.repeat(np.arange(release.groups), release.group_sizes())
    resources = kinds + m + 1
    own = person.astype(np.int64) * resources
    there, copies = np.unique(group_of_row * resources + published, return_counts=True)
    needed, keys, much = [own + kind], [there], [copies]
    if release.group_persons is not None:
        secret = secret.by_person()
        needed.append(np.arange(persons) * resources + kinds + m)
        keys.append(np.arange(release.groups) * resources + kinds + m)
        much.append(release.group_persons)
    needed.append(np.repeat(np.arange(persons) * resources, secret.lengths()) + kinds + secret.indices)
    keys.append(release.count_group * resources + kinds + release.count_item)
    much.append(release.count)
    group_of_kind, anywhere = np.empty(kinds, np.int64), np.empty(persons, np.int64)
    group_of_kind[published] = group_of_row
    anywhere[person] = group_of_kind[kind]
    need = _Amounts.of(persons, resources, *np.unique(np.concatenate(needed), return_counts=True))
    return need, _Amounts.of(release.groups, resources, np.concatenate(keys), np.concatenate(much)), anywhere


def _types(need: _Amounts) -> tuple[Ints, Ints]:
    """The type of each person, who are of one type if they need the same, and a person of each."""
    pairs, at = np.unique(need.what * (need.much.max(initial=0) + 1) + need.much, return_inverse=True)
    number, _, example = equal_rows(need.ptr, at.reshape(-1).astype(np.int32), len(pairs), seed=0)
    return number, example


@dataclass(frozen=True, slots=True)
class _Listed:
    """Types with the groups that have room for one of them, as kernels take them, and how many were placed in each."""

    kinds: Ints
    ptr: Ints
    groups: Ints
    placed: Ints
    stop: Ints
    most: Ints

    @classmethod
    def of(cls, kinds: Ints, ptr: Ints, groups: Ints) -> _Listed:
        """With nobody placed yet."""
        return cls(kinds, ptr, groups, np.zeros(len(groups), np.int64), ptr[1:].copy(), np.empty(len(groups), np.int64))

    @property
    def state(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """What kernels change."""
        return self.ptr, self.groups, self.placed, self.stop, self.most

    def done(self) -> tuple[Ints, Ints, Ints]:
        """(type, group, how many were placed)."""
        at = np.flatnonzero(self.placed)
        return np.repeat(self.kinds, np.diff(self.ptr))[at], self.groups[at], self.placed[at]


class _Search:
    """Types of persons who have no group yet, and what is left of the groups."""

    def __init__(self, need: _Amounts, groups: _Amounts, persons: Ints) -> None:
        self.need, self.groups, self.persons = need, groups, persons
        self.left, self.room = persons.copy(), groups.much.copy()
        self.resources = int(max(need.what.max(initial=-1), groups.what.max(initial=-1))) + 1
        self.both = need.ptr, need.what, need.much, groups.ptr, groups.what, self.room
        self.supply = np.zeros(len(self.room), np.int64)
        self.done: list[tuple[Ints, Ints, Ints]] = []
        self.looks, self.possible = LOOKS, True

    def place_forced(self) -> None:
        """Place those who cannot be anywhere else, as far as that is seen."""
        for few in FIRST:
            listed, told = self._list(few)
            placed = 1
            while placed > 0 and self.looks > 0:
                placed = place_forced(listed.kinds, self.left, *listed.state, self.supply, told, self.both)
                self.looks -= len(listed.groups)
            self.done.append(listed.done())
            self.possible &= placed >= 0

    def place_rest(self) -> None:
        """Give all others a group that has room for them, as far as one is found."""
        kinds, having, rarest, _ = self._open()
        last = _Listed.of(kinds, *list_groups(kinds, rarest, LISTED // max(len(kinds), 1), *having, self.both))
        place_where_room(kinds, self.left, *last.state[:3], self.both)
        self.done.append(last.done())

    def _list(self, few: int) -> tuple[_Listed, Mask]:
        """The types that at most `few` groups could have, with these; and the resources that no other types need."""
        kinds, having, rarest, often = self._open()
        listed = often <= few
        listed[np.argsort(often, kind="stable")] &= np.cumsum(np.sort(often)) <= LISTED
        told = np.ones(self.resources, np.bool_)
        told[self.need.rows(kinds[~listed]).what] = False
        found = list_groups(kinds[listed], rarest[listed], LISTED, *having, self.both)
        return _Listed.of(kinds[listed], *found), told

    def _open(self) -> tuple[Ints, tuple[Ints, Ints], Ints, Ints]:
        """Types of whom some have no group; who has some of each resource; and the rarest they need, with how many."""
        kinds, some = np.flatnonzero(self.left > 0), np.flatnonzero(self.room > 0)
        order = some[np.argsort(self.groups.what[some], kind="stable")]
        often = np.bincount(self.groups.what[some], minlength=self.resources)
        owner = np.searchsorted(self.groups.ptr, order, side="right") - 1
        rarest = rarest_needs(kinds, self.need.ptr, self.need.what, often)
        return kinds, (np.concatenate([[0], np.cumsum(often)]), owner), rarest, often[rarest]

    def homes(self, number: Ints, place: Ints) -> Ints:
        """The group of each person, by the type of each and the place among those of the type; -1 for none."""
        kind, group, often = (np.concatenate(part) for part in zip(*self.done, strict=True))
        order = np.argsort(kind, kind="stable")
        kind, group = np.repeat(kind[order], often[order]), np.repeat(group[order], often[order])
        first = np.searchsorted(kind, np.arange(len(self.left) + 1))
        at = first[number] + place
        has = at < first[number + 1]
        home = np.full(len(number), -1, np.int64)
        home[has] = group[at[has]]
        return home
