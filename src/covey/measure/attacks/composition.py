"""Composition: what two releases about the same people give away together, by intersecting groups and classes.

Each release hides a person among others; together they hide the person among those who are with them in both. Whoever
is in a group that counts a sensitive item, and in the other release in one that does not, no longer hides anybody
(Ganta, Kasiviswanathan, Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008). The attacker
knows everything ordinary of everybody, and takes what is hidden to be the same in both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.counting import counted
from covey.data import Baskets, Table
from covey.data.kinds import data_kind
from covey.data.persons import found_again
from covey.errors import InputError, ParameterError
from covey.guarantees import guarantee
from covey.measure.attacks.result import AttackResult, percent, promised
from covey.measure.study import Study, expected_hits, homes_of, kinds_of
from covey.release.base import Release, require_same_unit
from covey.release.grouped import GroupedRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.release.trace import remember, require_trace

#: A column with more values than this is left out: it tells persons apart by itself.
VALUES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The group or class of each person, and what it gives away to someone who knows all that is ordinary.

    A person is a row of the original where no persons are counted.
    """

    #: The group or class of each person.
    home: Ints
    #: How many persons each group or class has.
    size: Ints
    #: For everything that is hidden: who has it in truth, 1 or 0 for each person.
    holds: Mapping[str, Floats]
    #: For all of that, and what was asked for besides: how likely each person has it by this release alone; left out
    #: where it says nothing.
    share: Mapping[str, Floats]


def company_of(release: Release, original: Any, about: Collection[str] = ()) -> Company:
    """Return the company of everybody in a release.

    What is `about` is hidden elsewhere: the attacker does not know it of anybody, also if this release publishes it.

    Raises
    ------
    ParameterError
        Releases of this kind have no groups or classes, or this one counts rows and persons have several.
    """
    require_same_unit(release.facts(), original)
    match release:
        case GroupedRelease():
            return _of_groups(release, original, about)
        case SetsRelease():
            return _of_sets(release, original, about)
        case TableRelease():
            return _of_table(release, original, about)
        case RecordsRelease():  # items are left out of account
            remember(release.attributes, require_trace(release))
            return _of_table(release.attributes, original.attributes, about)
    homes_of(release, None)  # refuses it by its kind
    raise AssertionError


def _of_groups(release: GroupedRelease, original: Baskets, about: Collection[str]) -> Company:
    """Return groups, and the chance of each sensitive item: the mean over the groups of all who look the same.

    An item that is hidden elsewhere and published here is as likely as it is among those who look the same without it.
    """
    study = Study(release, original)
    public, secret = study.public.by_person(), study.secret.by_person()
    home, size = homes_of(release, study.original.person), release.members()
    kind, share = _seen(public, about), {}
    for s, item in enumerate(release.sensitive_items):
        chance, of_item = np.zeros(release.groups), release.count_item == s
        groups = release.count_group[of_item]
        chance[groups] = release.count[of_item] / size[groups]
        share[item] = _mean_by(kind, chance[home])
    share |= {item: _mean_by(kind, _held(public, item)) for item in set(about) & set(public.items)}
    return Company(home=home, size=size, holds={item: _held(secret, item) for item in secret.items}, share=share)


def _of_sets(release: SetsRelease, original: Baskets, about: Collection[str]) -> Company:
    """Return classes of sets that are published alike, and the private items among them."""
    public, published = public_part(release, original), release.transactions
    kind, home = kinds_of(published), homes_of(release, None)
    size, example = np.bincount(kind), np.unique(kind, return_index=True)[1]
    holds, share = {}, {}
    if release.private is not None:
        secret = original.by_person() if published.person is not None else original
        for item in release.private.items:
            holds[item] = _held(secret, item)
            share[item] = (np.bincount(kind, _held(release.private, item)) / size)[home]
    seen = _seen(public, about)
    for item in set(about) & set(public.items) & set(published.items):
        share[item] = _mean_by(seen, _held(published, item)[example][home])
    return Company(home=home, size=size, holds=holds, share=share)


def _of_table(release: TableRelease, original: Table, about: Collection[str]) -> Company:
    """Return classes, and the chance of each sensitive value in them, which is called ``column: value``."""
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


def _seen(public: Baskets, about: Collection[str]) -> Ints:
    """Return a number for each row, equal for those that look the same to someone who does not know `about`."""
    return kinds_of(public.only(np.array([item not in about for item in public.items], np.bool_)))


def _mean_by(kind: Ints, value: Floats) -> Floats:
    """Return for each row the mean of the value over all rows of its kind."""
    often = np.bincount(kind)
    return (np.bincount(kind, value, len(often)) / np.maximum(often, 1))[kind]


def _held(baskets: Baskets, item: str) -> Floats:
    """Return 1 for each row that holds the item, 0 for the others."""
    found = np.zeros(baskets.n)
    found[baskets.row_of_entries()[baskets.indices == baskets.items.index(item)]] = 1.0
    return found


def earlier_homes(data: Any, release: Release) -> Ints:
    """Return the group or class that each person of `data` had in an earlier release, -1 for newcomers; by its trace.

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
    """Return who is who in two releases of one original, by how many each is about: everybody is in their own place."""
    if mine != theirs:
        raise ParameterError(
            "One of the releases counts persons and the other rows. Both must be made with --person, or both without."
        )
    return np.arange(mine)


def same_people(mine: object, theirs: object) -> Ints:
    """Return for each of my persons the number of the same person in the other data, or -1, by their names.

    Examples
    --------
    >>> import covey
    >>> june = covey.Baskets.of([["tea"], ["ale"]], persons=["ann", "bob"])
    >>> july = covey.Baskets.of([["ale"], ["tea"]], persons=["bob", "cid"])
    >>> same_people(july, june).tolist()
    [1, -1]
    """
    ours, others = (getattr(getattr(data, "baskets", data), "names", None) for data in (mine, theirs))
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


def compose(
    release: Release, original: Any, other: Release, other_original: Any = None, *, same_rows: bool = False
) -> list[AttackResult]:
    """Attack a release with the help of another one about the same people.

    Parameters
    ----------
    release, original
        What is attacked, and what it was made from.
    other : a release of any kind
        What else is known.
    other_original : data or None
        What `other` was made from; its persons are found again by their names. None: it was made from `original`, too.
    same_rows : bool
        Whether the two originals are the same rows in the same order, read with other roles perhaps.

    Returns
    -------
    list of AttackResult
        `company`, and where `release` hides something that `other` gives away, `composition`. What `release` gives away
        alone is their `chance`.

    Raises
    ------
    ParameterError
        Releases of this kind have no groups or classes, or it is not known who is who.
    InputError
        A release was not made from its original, or nobody is in both.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([[f"i{i}", "s"] if i % 4 == 0 else [f"i{i}"] for i in range(40)], sensitive=["s"])
    >>> june, july = (covey.anonymize(baskets, "degree(p=4)", "anatomy", merge=False, seed=seed) for seed in (1, 2))
    >>> [(result.attack, result.success_rate > result.chance) for result in compose(june, baskets, july)]
    [('company', True), ('composition', False)]
    """
    mine = company_of(release, original)
    theirs = company_of(other, original if other_original is None else other_original, tuple(mine.holds))
    if other_original is not None and not same_rows:
        again = same_people(original, other_original)
    else:
        again = shared_rows(len(mine.home), len(theirs.home))
    both = np.flatnonzero(again >= 0)
    again = again[both]
    # What is looked for, one and many: people, or rows where nobody has said whose they are.
    kind, named = data_kind(original.kind), getattr(original, "persons", None) is not None
    one, many = ("person", "people") if named else (kind.row, kind.rows)

    _, at, people = np.unique(
        mine.home[both] * len(theirs.size) + theirs.home[again], return_inverse=True, return_counts=True
    )
    left = people[at.reshape(-1)]
    alone, single = float((1 / mine.size[mine.home[both]]).mean()), float((left == 1).mean())
    company = AttackResult.of(
        "company",
        float((1 / left).mean()),
        claim=promised(release, "k") or promised(release, "p") or 1.0,
        chance=alone,
        targets=len(both),
        explanation=(
            f"Knows in which group or class a {one} is in both releases, and picks one of those in the same two at "
            f"random. Right for {{right}} of the {len(both):,} {many} in both; "
            f"for {percent(alone)} with the first release alone. {percent(single)} share both with no other."
        ),
        details={"people_in_both": len(both), "median_left": float(np.median(left)), "left_alone": single},
    )
    shared = [name for name in mine.holds if name in theirs.share and mine.holds[name][both].any()]
    if not shared:
        return [company]

    right = first_alone = 0.0
    occurrences = 0
    for name in shared:
        holds, first, second = mine.holds[name][both], mine.share[name][both], theirs.share[name][again]
        right += _named(_odds(first) * _odds(second), holds)
        first_alone += _named(first, holds)
        occurrences += int(holds.sum())
    rate, before = right / occurrences, first_alone / occurrences
    composition = AttackResult.of(
        "composition",
        rate,
        claim=guarantee(release.guarantee).certainty or before,
        chance=before,
        targets=occurrences,
        explanation=(
            f"Knows all ordinary items of the {len(both):,} {many} in both releases, and combines them: what "
            f"cannot have an item in one of them is ruled out. For everything hidden, it names as many {many} as "
            f"have it, the most likely first. Right for {{right}} of {counted(occurrences, 'occurrence')}; "
            f"for {percent(before)} with the first release alone."
        ),
        details={"people_in_both": len(both), "alone": before, "hidden": len(shared)},
    )
    return [company, composition]


def _odds(share: Floats) -> Floats:
    """Return chances as odds; certainty stays finite, so that nothing is not a number."""
    return share / np.maximum(1 - share, 1e-12)


def _named(score: Floats, holds: Floats) -> float:
    """Return how many of as many likeliest people as hold it are holders; what differs in the last digits is a tie."""
    count = np.array([int(holds.sum())])
    return float(expected_hits(np.array([0, len(score)]), np.round(score, 12), holds, count)[0])
