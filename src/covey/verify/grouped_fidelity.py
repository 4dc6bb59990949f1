"""Is a release made of this original, all of it and nothing else?

Checked with loops that no method uses: published baskets as multisets against the original's, totals of the
sensitive items, and whether every group's counts are possible for the members it publishes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data import Baskets, Records
from covey.kernels.verify.fidelity import first_impossible_count
from covey.release.grouped import GroupedRelease
from covey.verdict import Check
from covey.verify.person_fidelity import same_persons, same_unit
from covey.verify.row_matching import Matching, match_rows
from covey.verify.table_fidelity import other_columns


def compare(release: GroupedRelease, data: Baskets | Records, taxonomy: Any = None) -> list[Check]:
    """Check `release` against the original, whose own marks of what is sensitive count if it has any.

    Attributes of records are compared as items: a person is published with exactly the values they have.
    """
    columns = _same_columns(release, data) if isinstance(data, Records) else None
    if columns is not None and not columns.passed:
        return [columns]
    original = data.as_baskets()
    unit = same_unit(release.group_persons is not None, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    occurring = original.supports() > 0
    named = {original.items[i] for i in np.flatnonzero(original.sensitive & occurring)}
    checks = [same_sensitive(release.sensitive_items, original.items, named, bool(original.sensitive.any()))]
    if not checks[0].passed:
        return checks
    checks += [check for check in (unit, columns) if check is not None]
    marked = original.with_sensitive(release.sensitive_items) if release.sensitive_items else original
    public = marked.only(~marked.sensitive & occurring)
    matching = match_rows(release.transactions, public)
    held = sizes(baskets=release.transactions.n, entries=release.items_alone().entries)
    checks.append(
        Check(
            name="every published basket is in the original, exactly as often",
            passed=not matching.problem,
            detail=matching.problem or held + ("" if columns is None else ", with their values"),
        )
    )
    secret = marked.only(marked.sensitive & occurring)
    if release.group_persons is None:
        checks.append(same_totals(secret.items, release.sensitive_totals(), secret.supports()))
    elif release.totals is not None:
        several = np.bincount(release.count_item, minlength=secret.d) > 1
        checks.append(same_totals(secret.items, release.totals, np.where(several, secret.supports(), 0)))
    if all(check.passed for check in checks):
        if original.person is None:
            checks.append(_possible_counts(release, secret, matching))
        else:
            checks += same_persons(release, original, secret, matching)
    return checks


def _same_columns(release: GroupedRelease, original: Records) -> Check:
    """That every column of the original is published, or stated to be sensitive, and no other one, in their order."""
    shown = [] if release.attributes is None else [column.name for column in release.attributes.columns]
    named = [column.name for column in original.attributes.columns]
    differing = sorted({*shown, *release.secret_columns} ^ {*named})
    problem = ""
    if differing:
        problem = f"{differing[0]!r} is {'in the original alone' if differing[0] in named else 'in the release alone'}"
    elif release.attributes is not None:
        secret = [name for name in named if name not in shown]
        public = [column for column in original.attributes.columns if column.name in shown]
        problem = other_columns(release.attributes.columns, public)
        if not problem and list(release.secret_columns) != secret:
            problem = "the sensitive columns are in another order than the original's"
    detail = f"{len(shown)} published as they are, {len(release.secret_columns)} counted"
    return Check(name="the columns are those of the original", passed=not problem, detail=problem or detail)


def same_sensitive(ours: Collection[str], items: Collection[str], named: Collection[str], given: bool) -> Check:
    """That the items which a release counts are in the original and, if someone named any, those `named`."""
    name = "the sensitive items are those named" if given else "the sensitive items occur in the original"
    unknown = sorted(set(ours) - set(items))
    if unknown:
        return Check.failed(name, f"{unknown[0]!r} does not occur in the original")
    if items and len(ours) == len(items):
        return Check.failed(name, "no item of the original is left to publish")
    differing = sorted(set(named) ^ set(ours)) if given else []
    if differing:
        where = "not counted in the release" if differing[0] in named else "sensitive only in the release"
        return Check.failed(name, f"{differing[0]!r} is {where}")
    them = "it" if len(ours) == 1 else "them"
    told = "" if given else f", as the release names {them}; give --sensitive to compare with your own list"
    return Check.ok(name, f"{counted(len(ours), 'item')}{told}")


def same_totals(labels: Sequence[str], ours: Ints, theirs: Ints) -> Check:
    """That every sensitive item is counted as often as the original has it."""
    wrong = np.flatnonzero(ours != theirs)
    detail = counted(int(ours.sum()), "occurrence")
    if len(wrong):
        s = wrong[0]
        detail = f"{labels[s]!r} is counted {counted(int(ours[s]), 'time')}, the original has {theirs[s]:,}"
    return Check(name="the totals of the sensitive items agree", passed=not len(wrong), detail=detail)


def _possible_counts(release: GroupedRelease, secret: Baskets, matching: Matching) -> Check:
    """No group claims more or fewer holders than its members' originals could be."""
    kind_of_published = np.empty(release.transactions.n, np.int64)
    kind_of_published[matching.ours] = matching.kind
    kind_of_original = np.empty(secret.n, np.int64)
    kind_of_original[matching.theirs] = matching.kind
    kinds = int(matching.kind[-1]) + 1 if len(matching.kind) else 0
    m = max(secret.d, 1)
    cells, holders = np.unique(np.repeat(kind_of_original, secret.lengths()) * m + secret.indices, return_counts=True)
    group, item = first_impossible_count(
        release.group_ptr,
        kind_of_published,
        np.bincount(kind_of_original, minlength=kinds),
        np.searchsorted(cells // m, np.arange(kinds + 1)),
        (cells % m).astype(np.int32),
        holders.astype(np.int64),
        secret.d,
        np.searchsorted(release.count_group, np.arange(release.groups + 1)),
        release.count_item,
        release.count,
    )
    name = "every group's counts are possible for its members"
    if group < 0:
        return Check.ok(name, f"{counted(release.groups, 'group')} compared with the original")
    return Check.failed(name, f"group {group} cannot hold {secret.items[item]!r} as often as it says")
