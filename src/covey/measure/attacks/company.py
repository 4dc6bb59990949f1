"""Find the group or class of each person in a release: what two releases about the same people are compared by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data import Baskets, Records, Table
from covey.data.baskets import unmarked
from covey.data.csr import take_rows, transpose
from covey.data.equal_rows import equal_rows
from covey.data.persons import found_again
from covey.data.set_classes import holders
from covey.errors import InputError, ParameterError, other_original
from covey.kernels.verify.covering import covering
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.release.grouped_original import parts
from covey.release.persons import require_same_unit
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.verify.placing import placing
from covey.verify.table_fidelity import ranges_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The group or class of each person, and what it tells someone who knows all that is ordinary of everybody.

    A person is a row of the original where no persons are counted.
    """

    #: The group or class of each person. Where several may be theirs, since others look the same, it is one that fits.
    home: Ints
    #: How many persons each group or class has.
    size: Ints
    #: For everything that is hidden: who has it in truth, 1 or 0 for each person.
    holds: Mapping[str, Floats]
    #: For all of that, and what was asked for besides: how likely each person has it as far as this release tells; left
    #: out where it tells nothing.
    share: Mapping[str, Floats]
    #: How many persons could be in another group or class just as well, as far as is known.
    unsure: int = 0


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


@_company.register
def _of_grouped(release: GroupedRelease, original: Baskets, about: Collection[str] = ()) -> Company:
    """Groups, and the chance of each sensitive item: the mean over the groups of all who look the same.

    An item that is hidden elsewhere and published here is as likely as it is among those who look the same without it.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["b"], ["c"], ["d"]], sensitive=["s"])
    >>> company_of(covey.anonymize(baskets, "degree(p=4)", seed=0), baskets).share["s"].tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    public, secret = (part.by_person() for part in parts(release, original))
    placed = placing(release, original.as_baskets())
    size, count = release.members(), release.count
    known = public.only(np.array([item not in about for item in public.items], np.bool_))
    kind = kinds_of(known)
    share = {}
    for s, item in enumerate(release.sensitive_items):
        told = np.zeros(release.groups)
        of_item = release.count_item == s
        told[release.count_group[of_item]] = count[of_item] / size[release.count_group[of_item]]
        share[item] = mean_by(kind, told[placed.home])
    for item in set(about) & set(public.items):
        share[item] = mean_by(kind, held(public, item))
    holds = {item: held(secret, item) for item in secret.items}
    return Company(home=placed.home, size=size, holds=holds, share=share, unsure=placed.unsure)


def kinds_of(baskets: Baskets) -> Ints:
    """A number for each row, equal for rows with equal items."""
    return equal_rows(*baskets.csr, baskets.d, seed=0)[0]


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


#: Pairs of a published set and an original one that are looked at.
SET_PAIRS = 20_000_000


@_company.register
def _of_sets(release: SetsRelease, original: Baskets, about: Collection[str] = ()) -> Company:
    """Classes of sets that are published alike, and the private items among them.

    Where every item is published alike everywhere, the recoding says what a person's set became. Where items were left
    out one basket at a time, it is taken to be the largest published set that the person's has in it.

    Raises
    ------
    ParameterError
        Baskets were generalized one by one: nobody can tell from the files what became of which.
    """
    public = public_part(release, original)
    if public.n != release.transactions.n:
        raise other_original(f"the original has {public.n:,} sets, the release {release.transactions.n:,}")
    if release.recoded == "local":
        raise ParameterError(
            "This release generalizes baskets one by one, so nobody can tell from it which basket became which."
        )
    published = release.transactions
    kind = kinds_of(published)
    example = np.unique(kind, return_index=True)[1]
    home = _recoded(release, public, kind) if release.recoded == "global" else _largest(published, example, public)
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


def _recoded(release: SetsRelease, public: Baskets, kind: Ints) -> Ints:
    """The class of each original set by what the recoding makes of it."""
    published, recoding = release.transactions, release.recoding or {}
    place = {label: i for i, label in enumerate(published.items)}
    target = np.array([place.get(recoding.get(item, release.rest), -1) for item in public.items], np.int64)
    entries = target[public.indices]
    rows = public.row_of_entries()[entries >= 0]
    cells = np.unique(rows * max(published.d, 1) + entries[entries >= 0])
    ours = np.searchsorted(cells, np.arange(public.n + 1) * max(published.d, 1))
    indptr = np.concatenate([published.indptr, published.indptr[-1] + ours[1:]])
    indices = np.concatenate([published.indices, (cells % max(published.d, 1)).astype(np.int32)])
    number = kinds_of(unmarked(indptr, indices, published.items))
    class_of = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
    class_of[number[: published.n]] = kind
    home = class_of[number[published.n :]]
    if (home < 0).any():
        raise other_original("the release was not made from this original: a set of the original is not published")
    return home


def _largest(published: Baskets, example: Ints, public: Baskets) -> Ints:
    """The class of each original set: the largest published set that it holds, the first of equally large ones."""
    place = {item: i for i, item in enumerate(public.items)}
    rename = np.array([place.get(item, -1) for item in published.items], np.int32)
    if (rename < 0).any():
        raise other_original("the release was not made from this original: it publishes other items")
    set_ptr, sets = take_rows(published.indptr, rename[published.indices], example)
    lengths = np.diff(set_ptr)
    empty, full = np.flatnonzero(lengths == 0), np.flatnonzero(lengths)
    home = np.full(public.n, empty[0] if len(empty) else -1, np.int64)
    by_item = transpose(*public.csr, public.d)
    pair_ptr, rows = holders(np.append(set_ptr[full], set_ptr[-1]), sets, *public.csr, *by_item, SET_PAIRS)
    if len(rows) > SET_PAIRS:
        raise ParameterError("Too many published sets fit too many baskets to tell who was published as what.")
    for c in np.argsort(lengths[full], kind="stable"):
        home[rows[pair_ptr[c] : pair_ptr[c + 1]]] = full[c]
    if (home < 0).any():
        raise other_original("the release was not made from this original: no published set fits one of the original's")
    return home


#: Pairs of a person and a class that covers them that are looked at.
PAIRS_COVERED = 1 << 25
#: A column with more values than this is left out: it tells persons apart by itself.
VALUES = 500


@_company.register
def _of_table(release: TableRelease, original: Table, about: Collection[str] = ()) -> Company:
    """Classes, and the chance of each sensitive value: its share of all published rows that cover the person's.

    A person is at home in the narrowest class that covers all their rows. What is hidden is written ``column: value``.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [20, 21, 40, 41], "ill": ["flu", "gout", "flu", "flu"]}, sensitive=["ill"])
    >>> made = company_of(covey.anonymize(people, "k-anonymity(k=2)", "mondrian", seed=0), people)
    >>> made.share["ill: gout"].tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    person = np.arange(original.n) if original.person is None else original.person.astype(np.int64)
    people, kind = int(person.max(initial=-1)) + 1, release.classes()
    rows_in = np.bincount(kind)
    low, high = ranges_of(
        release, original, [c.name for c in release.of_role("quasi")], np.unique(kind, return_index=True)[1]
    )
    who, cell = _covered(release, original, low, high, person)
    # How much each class leaves open: the logarithm of the number of different rows that it covers.
    width = np.log(np.maximum(high - low + 1, 1)).sum(axis=1)
    home = np.full(people, -1, np.int64)
    widest_first = np.lexsort((-cell, -width[cell]))  # the narrowest is written last
    home[who[widest_first]] = cell[widest_first]
    if (home < 0).any():
        raise InputError(
            "the release was not made from this original: no published row covers one of the original's",
            remedy="Give the data that this release was made from, with the same hierarchies.",
        )
    rows_of = np.bincount(who, rows_in[cell], people)
    holds: dict[str, Floats] = {}
    share: dict[str, Floats] = {}
    for column in release.columns:
        if column.role == "quasi" or len(column.labels) > VALUES:
            continue
        theirs = original.column(column.name)
        for value, label in enumerate(column.labels):
            name = f"{column.name}: {label}"
            if column.role == "sensitive":
                holds[name] = np.zeros(people)
                holds[name][person[theirs.codes == theirs.values.index(label)]] = 1.0
            if column.role == "sensitive" or name in about:
                told = np.bincount(kind[column.codes == value], minlength=len(rows_in))
                share[name] = np.bincount(who, told[cell], people) / rows_of
    size = rows_in if release.class_persons is None else release.class_persons
    return Company(home=home, size=size, holds=holds, share=share)


@_company.register
def _of_records(release: RecordsRelease, original: Records, about: Collection[str] = ()) -> Company:
    """Classes of persons with the same attributes; items are left out of account."""
    return _of_table(release.attributes, original.attributes, about)


def _covered(release: TableRelease, original: Table, low: Ids, high: Ids, person: Ints) -> tuple[Ints, Ints]:
    """Pairs of a person and a class, from its `low` to its `high` codes, that covers all rows of the person."""
    quasi = np.stack([original.column(c.name).codes for c in release.of_role("quasi")], axis=1)
    rows, row_of = np.unique(quasi, axis=0, return_inverse=True)
    row_of, classes = row_of.reshape(-1), len(low)
    ptr, cells = covering(
        np.ascontiguousarray(rows), np.zeros(len(rows), np.int64), low, high, np.array([0, classes]), PAIRS_COVERED
    )
    if len(ptr) <= len(rows):
        raise ParameterError("Too many classes cover too many rows to tell who was published as what.")
    # A person is in a class that covers each of their different rows.
    theirs = np.unique(person * len(rows) + row_of)
    who, row = theirs // len(rows), theirs % len(rows)
    count = np.diff(ptr)[row]
    shift = np.repeat(ptr[row] - np.cumsum(count) + count, count)
    found, often = np.unique(
        np.repeat(who, count) * classes + cells[np.arange(int(count.sum())) + shift], return_counts=True
    )
    whole = often == np.bincount(who)[found // classes]
    return found[whole] // classes, found[whole] % classes
