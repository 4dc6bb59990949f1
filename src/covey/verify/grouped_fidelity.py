"""Check that a grouped release is made of its original, all of it and nothing else.

Without a trace: published baskets as multisets, and the totals of the sensitive items and of persons. With one, every
basket is compared with its own original, and every count with its group.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data import Baskets, Records
from covey.release.grouped import GroupedRelease
from covey.release.trace import trace_of
from covey.verdict import Check
from covey.verify.original_parts import (
    difference,
    in_one_group,
    not_checked,
    one_to_one,
    same_holders,
    same_rows,
    same_sensitive,
    same_totals,
    same_unit,
)
from covey.verify.table_fidelity import same_columns


def compare(release: GroupedRelease, data: Baskets | Records, taxonomy: Any = None) -> list[Check]:
    """Check `release` against the original, whose own marks of what is sensitive count if it has any.

    Attributes of records are compared as items: a person is published with exactly the values they have.
    """
    columns = same_columns(release, data) if isinstance(data, Records) else None
    if columns is not None and not columns.passed:
        return [columns]
    original = data.as_baskets()
    unit = same_unit(release.group_persons is not None, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    occurring = original.supports() > 0
    known = {original.items[i] for i in np.flatnonzero(original.sensitive & occurring)}
    checks = [same_sensitive(release.sensitive_items, original.items, known, bool(original.sensitive.any()))]
    if not checks[0].passed:
        return checks
    checks += [check for check in (unit, columns) if check is not None]
    marked = original.with_sensitive(release.sensitive_items) if release.sensitive_items else original
    public, secret = marked.only(~marked.sensitive & occurring), marked.only(marked.sensitive & occurring)
    problem = difference(release.transactions, public)
    held = sizes(baskets=release.transactions.n, entries=release.items_alone().entries)
    detail = problem or held + ("" if columns is None else ", with their values")
    checks.append(
        Check(name="every published basket is in the original, exactly as often", passed=not problem, detail=detail)
    )
    checks += _totals(release, secret)
    if all(check.passed for check in checks):
        checks += _by_trace(release, public, secret)
    return checks


def _totals(release: GroupedRelease, secret: Baskets) -> list[Check]:
    """The totals of transactions and of persons who hold each sensitive item."""
    if release.group_persons is None:
        return [same_totals(secret.items, release.sensitive_totals(), secret.supports())]
    people = secret.by_person()
    found = [same_holders(people.items, release.persons or 0, people.n, release.sensitive_totals(), people.supports())]
    if release.totals is not None:
        several = np.bincount(release.count_item, minlength=secret.d) > 1
        found.append(same_totals(secret.items, release.totals, np.where(several, secret.supports(), 0)))
    return found


def _by_trace(release: GroupedRelease, public: Baskets, secret: Baskets) -> list[Check]:
    """Compare every row, count and person; or state what was not compared."""
    trace = trace_of(release)
    if trace is None:
        return [not_checked("in which group each basket is, and what its group counts")]
    checks = [one_to_one(trace.rows, release.n, public.n)]
    if not checks[0].passed:
        return checks
    same = same_rows(public, trace.rows, release.transactions)
    checks.append(
        Check(
            name="every published basket is that of its own original",
            passed=same,
            detail=counted(release.n, "basket") if same else "a basket differs from that of the original row",
        )
    )
    group = np.empty(public.n, np.int64)
    group[trace.rows] = np.repeat(np.arange(release.groups), release.group_sizes())
    if public.person is not None:
        checks.append(in_one_group(group, public.person, "transactions"))
    if all(check.passed for check in checks):
        checks.append(_same_counts(release, group, secret))
    return checks


def _same_counts(release: GroupedRelease, group: Ints, secret: Baskets) -> Check:
    """That every group has the members and the counts that it states."""
    name, m = "every group counts what its members hold", max(secret.d, 1)
    if secret.person is not None:
        people = secret.by_person()
        home = np.empty(people.n, np.int64)
        home[secret.person] = group
        group, secret = home, people
    wrong = np.flatnonzero(np.bincount(group, minlength=release.groups) != release.members())
    if len(wrong):
        members = int(release.members()[wrong[0]])
        return Check.failed(name, f"group {wrong[0]} does not have the {members:,} {secret.unit} that it states")
    cells, count = np.unique(np.repeat(group, secret.lengths()) * m + secret.indices, return_counts=True)
    stated_cells = release.count_group * m + release.count_item
    if np.array_equal(cells, stated_cells) and np.array_equal(count, release.count):
        return Check.ok(name, f"{counted(release.groups, 'group')}, {counted(len(count), 'count')}")
    true = dict(zip(cells.tolist(), count.tolist(), strict=True))
    here = dict(zip(stated_cells.tolist(), release.count.tolist(), strict=True))
    cell = min(cell for cell in {*true, *here} if true.get(cell, 0) != here.get(cell, 0))
    item, stated, held = secret.items[cell % m], here.get(cell, 0), true.get(cell, 0)
    return Check.failed(name, f"group {cell // m} counts {stated:,} with {item!r}, and has {held:,}")
