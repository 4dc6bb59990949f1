"""degree(p), checked from the published tables, or of data as it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from covey.arrays import Ints, Mask
from covey.counting import counted
from covey.data import Baskets, Records
from covey.data.equal_rows import equal_rows
from covey.data.labels import alike, twins
from covey.guarantees.degree import Degree
from covey.progress import Progress, silent
from covey.release.grouped import GroupedRelease
from covey.verdict import Check, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """The counts of sensitive items in groups, as far as the guarantee is about them."""

    #: Counts, and those that are too high.
    total: int
    violating: int
    #: The lowest degree; None without any count.
    degree: float | None
    #: Item, count, group and its size, where the degree is lowest among those violating.
    worst: tuple[str, int, int, int] | None
    groups: int
    smallest: int
    largest: int
    #: What is counted, in the plural.
    unit: str = "transactions"


def check(promise: Degree, release: GroupedRelease) -> Verdict:
    """Check from the published tables alone that p · count <= size for every group and item.

    Where the release counts persons, they are what counts; first that their numbers are possible at all.
    """
    apart = counts_only(release.sensitive_items, release.transactions.items)
    possible: tuple[Check, ...] = ()
    if release.group_persons is not None:
        possible = (possible_persons(release, release.group_persons),)
        if not possible[0].passed:
            return Verdict(guarantee=promise.text, checks=possible)
    kept = verdict(promise, cells_of(promise, release), apart)
    merged = (normal_form(release),) if release.options.get("merge") is True else ()
    return replace(kept, checks=(*possible, *kept.checks, *merged))


def cells_of(promise: Degree, release: GroupedRelease) -> Cells:
    """What the counts of a release are, persons where these count.

    They are added up per group and item here, so that no split of one count can hide a violation. What people take for
    the same item is one: some may hold both, but counts do not tell.
    """
    m, item_of = max(len(release.sensitive_items), 1), alike(release.sensitive_items)
    cells, at = np.unique(release.count_group * m + item_of[release.count_item], return_inverse=True)
    count = np.zeros(len(cells), np.int64)
    np.add.at(count, at, release.count)
    unit = "transactions" if release.group_persons is None else "persons"
    return _cells(promise, release.members(), cells, count, release.sensitive_items, unit)


def _cells(promise: Degree, sizes: Ints, cells: Ints, count: Ints, items: tuple[str, ...], unit: str) -> Cells:
    """What counts in groups of these sizes are; cell g · items + s is item s in group g."""
    m = max(len(items), 1)
    size = sizes[cells // m]
    violating = np.flatnonzero(over_share(count, size, promise.p))
    degrees = size / np.maximum(count, 1)
    worst = None
    if len(violating):
        cell = violating[np.argmin(degrees[violating])]
        worst = items[cells[cell] % m], int(count[cell]), int(cells[cell] // m), int(size[cell])
    return Cells(
        total=len(count),
        violating=len(violating),
        degree=float(degrees.min()) if len(degrees) else None,
        worst=worst,
        groups=len(sizes),
        smallest=int(sizes.min()) if len(sizes) else 0,
        largest=int(sizes.max(initial=0)),
        unit=unit,
    )


def possible_persons(release: GroupedRelease, persons: Ints) -> Check:
    """That there can be such persons: each made one of the group's transactions or more, and holders one with the item.

    Whoever does not hold an item has at least one transaction without it, which bounds the total from above. Numbers
    that pass are possible; whether they are true, only the original can tell.
    """
    sizes, group, count = release.group_sizes(), release.count_group, release.count
    wrong = np.flatnonzero((persons < 1) | (persons > sizes))
    cells = np.flatnonzero(count > persons[group])
    problem = ""
    if len(wrong):
        g = wrong[0]
        problem = f"group {g} of {counted(sizes[g], 'transaction')} cannot have {counted(persons[g], 'person')}"
    elif len(cells):
        cell = cells[0]
        item = release.sensitive_items[release.count_item[cell]]
        whole = counted(persons[group[cell]], "person")
        problem = f"{item!r} cannot be held by {count[cell]:,} of {whole} (group {group[cell]})"
    elif release.totals is not None:
        in_groups = np.bincount(release.count_item, minlength=len(release.sensitive_items))
        # No sum can overflow: by now all of them are numbers of rows.
        most = np.bincount(release.count_item, release.most_count(), len(release.sensitive_items)).astype(np.int64)
        problem = impossible_total(release.sensitive_items, release.totals, in_groups, release.sensitive_totals(), most)
    return persons_possible(problem, sum(persons.tolist()))


def impossible_total(items: tuple[str, ...], totals: Ints, groups: Ints, least: Ints, most: Ints) -> str:
    """Which item's number of transactions is not possible or must not be stated, in words.

    Of an item that one group counts it would be that group's, by which holders could be told.
    """
    stated = totals > 0
    for place in np.flatnonzero((stated != (groups > 1)) | (stated & ((totals < least) | (totals > most))))[:1]:
        item = items[place]
        if stated[place] and groups[place] < 2:
            return f"the transactions with {item!r} are stated, and one group alone has them"
        if not stated[place]:
            return f"the transactions with {item!r} are not stated, though {groups[place]:,} groups have them"
        return f"{item!r} cannot be in {totals[place]:,} transactions, but in {least[place]:,} to {most[place]:,}"
    return ""


def persons_possible(problem: str, persons: int) -> Check:
    """What it means that numbers of persons are possible, or what the `problem` is."""
    stated = f"{counted(persons, 'person')}, as stated; the original can confirm it"
    return Check(name="the numbers of persons are possible", passed=not problem, detail=problem or stated)


def normal_form(release: GroupedRelease) -> Check:
    """That no two groups have the same size and the same counts, as a release in merged normal form states."""
    name = "groups of equal size and counts are merged"
    first = np.searchsorted(release.count_group, np.arange(release.groups + 1))
    sizes = np.stack([release.group_sizes(), release.members()], axis=1)
    cells = np.stack([release.count_item, release.count], axis=1)
    seen: dict[bytes, int] = {}
    for group in range(release.groups):
        look = sizes[group].tobytes() + cells[first[group] : first[group + 1]].tobytes()
        if seen.setdefault(look, group) != group:
            both = f"groups {seen[look]} and {group}"
            return Check.failed(name, f"{both} have equal sizes and counts, so they must be merged")
    return Check.ok(name, f"{counted(release.groups, 'group')}, all different")


def verdict(promise: Degree, found: Cells, apart: Check) -> Verdict:
    """What the counts say, wherever they were counted; `apart` is whether sensitive items are counts only."""
    if found.worst is not None:
        item, count, group, size = found.worst
        detail = (
            f"{found.violating:,} of {counted(found.total, 'group count')} too high; the worst: {item!r} is in {count} "
            f"of the {counted(size, found.unit[:-1])} of group {group}, so p = {promise.p} is not kept"
        )
    else:
        reached = "no sensitive occurrence" if found.degree is None else f"lowest degree {found.degree:.4g}"
        detail = f"{counted(found.groups, 'group')}, {counted(found.total, 'group count')} of {found.unit}, {reached}"
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(name=f"every group keeps {promise.text}", passed=not found.violating, detail=detail),
            apart,
        ),
        figures={
            "degree": found.degree,
            "groups": found.groups,
            "smallest_group": found.smallest,
            "largest_group": found.largest,
        },
    )


def counts_only(sensitive: tuple[str, ...], published: tuple[str, ...]) -> Check:
    """That no sensitive item, nor one a person would take for it, is published in single transactions."""
    leaked = twins(published, sensitive)
    detail = "no sensitive item among the published items"
    if leaked:
        item, secret = leaked[0]
        same = "" if item == secret else f", which reads like the sensitive item {secret!r}"
        detail = f"{item!r} is published in single transactions{same}"
    return Check(name="sensitive items are published as counts only", passed=not leaked, detail=detail)


def check_baskets(promise: Degree, data: Baskets | Records, *, progress: Progress = silent) -> Verdict:
    """Ask the same of data as it stands: transactions with the same published items are one group.

    Nobody can tell these apart by what is not sensitive, and everybody can tell them from the others. Where persons
    are named, it is persons whose transactions together hold the same items; attributes of records count as items.
    """
    promise.require_feasible(data.summary())
    people = data.as_baskets().by_person()
    public, secret = people.split()
    number, _, example = equal_rows(public.indptr, public.indices, public.d)
    group = np.argsort(np.argsort(example))[number]  # groups are numbered in the order of their first rows
    cells, count = np.unique(np.repeat(group, secret.lengths()) * secret.d + secret.indices, return_counts=True)
    found = _cells(promise, np.bincount(group, minlength=len(example)), cells, count, secret.items, people.unit)
    detail = f"{counted(found.groups, 'group')} of equal public items"
    if found.worst is not None:
        item, held, worst, size = found.worst
        equal = np.flatnonzero(group == worst)
        shown = ", ".join(map(str, equal[:5])) + (" …" if len(equal) > 5 else "")
        where = f"in {held} of the {size} {people.unit} with the same public items (numbers {shown})"
        if size == 1:
            where = f"held by the only {people.unit[:-1]} with the same public items (number {shown})"
        detail = f"{item!r} is {where}"
    name = f"{people.unit} with the same public items keep {promise.text}"
    check = Check(name=name, passed=found.worst is None, detail=detail)
    return Verdict(guarantee=promise.text, checks=(check,), figures={"degree": found.degree, "groups": found.groups})


def over_share(count: Ints, size: Ints, p: int) -> Mask:
    """Where more than 1 in `p` of `size` are counted: p · count > size, in whole numbers.

    Nothing is multiplied: no product can overflow, however large `p` is.

    Examples
    --------
    >>> over_share(np.array([1, 2]), np.array([10, 10]), 2**62).tolist()
    [True, True]
    """
    most = int(size.max(initial=0))
    allowed = size // p if p <= most else np.zeros_like(size)
    return np.asarray(count > allowed, np.bool_)
