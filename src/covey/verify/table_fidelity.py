"""Check that a released table is made of its original: every published row covers an original row of its own.

Without a trace: columns, roles, values, unchanged columns as multisets, and totals. With one, every published text is
read back as a range of original values and compared with the row's own, and every class with the persons in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Column, Records, Table
from covey.data.spans import covered_codes
from covey.release.attributes import WithAttributes
from covey.release.base import Release
from covey.release.table import KINDS, PublishedColumn, TableRelease, number_rows
from covey.release.trace import trace_of
from covey.verdict import Check
from covey.verify.original_parts import in_one_group, not_checked, one_to_one, same_unit


def compare(release: TableRelease, original: Table, taxonomy: Any = None) -> list[Check]:
    """Check `release` against `original`, whose roles and hierarchies count, and its persons if they are named."""
    unit = same_unit(release.class_persons is not None, original.persons, "rows")
    if unit is not None and not unit.passed:
        return [unit]
    checks = attribute_checks(release, original)
    if unit is not None:
        detail = f"{release.persons:,} stated, {original.persons:,} in the original"
        same = release.persons == original.persons
        checks += [unit, Check(name="the totals of persons agree", passed=same, detail=detail)]
    if all(check.passed for check in checks):
        checks += rows_by_trace(release, release, original)
    trace = trace_of(release)
    if trace is not None and unit is not None and all(check.passed for check in checks):
        checks += _persons(release, original, trace.rows)
    return checks


def attribute_checks(release: TableRelease, original: Table) -> list[Check]:
    """That columns, roles, number of rows and all values by themselves are those of the original."""
    shape = _same_shape(release, original)
    if not shape.passed:
        return [shape]
    return [shape, _known_values(release, original), _same_unchanged(release, original)]


def _same_shape(release: TableRelease, original: Table) -> Check:
    name = "every row is published once, in the original's columns and roles"
    differing = other_columns(release.columns, original.columns)
    if differing:
        return Check.failed(name, differing)
    same = release.n == original.n
    return Check(name=name, passed=same, detail=f"{release.n:,} published, {original.n:,} in the original")


def other_columns(ours: Sequence[PublishedColumn], theirs: Sequence[Column]) -> str:
    """How published columns differ from the original's in name, role, kind or order, in words; empty if they agree."""
    said, true = ([(c.name, (c.role, KINDS[c.numeric])) for c in columns] for columns in (ours, theirs))
    if said == true:
        return ""
    published, original = dict(said), dict(true)
    alone = [(name, role, "release") for name, (role, _) in said if name not in original]
    alone += [(name, role, "original") for name, (role, _) in true if name not in published]
    for name, role, where in alone:
        return f"the column {name!r} is {role} in the {where} only"
    for name, is_here in said:
        for here, there in zip(is_here, original[name], strict=True):
            if here != there:
                hint = " (if its numbers are names, say so with --categorical here too)" if there == "numeric" else ""
                return f"the column {name!r} is {here} in the release and {there} in the original{hint}"
    return "the columns are in another order than the original's"


def same_columns(release: WithAttributes, original: Records) -> Check:
    """That every column of the original is published, or stated to be sensitive, and no other one, in their order."""
    shown = [] if release.attributes is None else [column.name for column in release.attributes.columns]
    known = [column.name for column in original.attributes.columns]
    differing = sorted({*shown, *release.secret_columns} ^ {*known})
    problem = ""
    if differing:
        problem = f"{differing[0]!r} is {'in the original alone' if differing[0] in known else 'in the release alone'}"
    elif release.attributes is not None:
        secret = [name for name in known if name not in shown]
        public = [column for column in original.attributes.columns if column.name in shown]
        problem = other_columns(release.attributes.columns, public)
        if not problem and list(release.secret_columns) != secret:
            problem = "the sensitive columns are in another order than the original's"
    detail = f"{len(shown)} published as they are, {len(release.secret_columns)} sensitive"
    return Check(name="the columns are those of the original", passed=not problem, detail=problem or detail)


def _known_values(release: TableRelease, original: Table) -> Check:
    name = "every published value covers values of the original"
    for column in release.of_role("quasi"):
        for label in column.labels:
            known = original.column(column.name)
            codes = covered_codes(known, label)
            told = f"{label!r} in the column {column.name!r}"
            if codes is None:
                detail = f"{told} covers no value of the original (if it was made with --hierarchy, give that here too)"
                return Check.failed(name, detail)
            # A class is published as its least and its greatest number: ends that no row has would be a message.
            if known.numeric and known.span_text(*codes) != label:
                detail = f"{told} covers what is published as {known.span_text(*codes)!r}"
                return Check.failed(name, detail)
    labels = sum(len(column.labels) for column in release.of_role("quasi"))
    return Check.ok(name, counted(labels, "distinct published value"))


def _same_unchanged(release: TableRelease, original: Table) -> Check:
    """The joint values of the columns published unchanged, as often as in the original."""
    name = "the other columns are published unchanged"
    unchanged = [column for column in release.columns if column.role != "quasi"]
    names, codes = ", ".join(column.name for column in unchanged), []
    for column in unchanged:
        known = original.column(column.name)
        place = {value: i for i, value in enumerate(known.values)}
        # A value that the original does not have is one more.
        ours = np.array([place.get(label, len(place)) for label in column.labels] or [0], np.int32)[column.codes]
        codes.append(np.concatenate([ours, known.codes]))
    row = number_rows(codes, release.n + original.n)
    if np.array_equal(np.sort(row[: release.n]), np.sort(row[release.n :])):
        return Check.ok(name, names or "there are none")
    return Check.failed(name, f"values of {names} differ from the original's")


def rows_by_trace(release: Release, table: TableRelease, original: Table) -> list[Check]:
    """That every published row covers its own original; or a note of what was not compared."""
    trace = trace_of(release)
    name = "every original row has a published row of its own that covers it"
    if trace is None:
        return [not_checked(name)]
    checks = [one_to_one(trace.rows, table.n, original.n)]
    if not checks[0].passed:
        return checks
    for column in table.columns:
        known, codes = original.column(column.name), original.column(column.name).codes[trace.rows]
        if column.role == "quasi":
            low, high = ranges_of(known, column)
            wrong = np.flatnonzero((codes < low) | (codes > high))
        else:
            ours, theirs = np.array(column.labels, object)[column.codes], np.array(known.values, object)[codes]
            wrong = np.flatnonzero(ours != theirs)
        if len(wrong):
            value = known.values[codes[wrong[0]]]
            detail = f"{column.labels[column.codes[wrong[0]]]!r} in the column {column.name!r} does not cover {value!r}"
            return [*checks, Check.failed(name, detail)]
    return [*checks, Check.ok(name, counted(table.n, "row"))]


def ranges_of(known: Column, published: PublishedColumn) -> tuple[Ids, Ids]:
    """The first and the last original code that each published row covers in a column."""
    spans = np.array([covered_codes(known, label) or (1, 0) for label in published.labels], np.int32)
    at = spans.reshape(-1, 2)[published.codes]
    return at[:, 0], at[:, 1]


def _persons(release: TableRelease, original: Table, rows: Ints) -> list[Check]:
    """That everybody is in one class, and every class has the persons and the holders that it states."""
    assert release.class_persons is not None
    assert original.person is not None
    kind = np.empty(original.n, np.int64)
    kind[rows] = release.classes()
    persons = original.persons or 1
    members = np.bincount(np.unique(kind * persons + original.person) // persons, minlength=len(release.class_persons))
    wrong = np.flatnonzero(members != release.class_persons)
    detail = counted(len(members), "class")
    if len(wrong):
        stated = counted(int(release.class_persons[wrong[0]]), "person")
        detail = f"class {wrong[0]} states {stated}, and has {members[wrong[0]]:,}"
    checks = [
        in_one_group(kind, original.person, "rows"),
        Check(name="every class has the persons that it states", passed=not len(wrong), detail=detail),
    ]
    if release.holders is not None and all(check.passed for check in checks):
        checks.append(_same_holders(release, original, kind))
    return checks


def _same_holders(release: TableRelease, original: Table, kind: Ints) -> Check:
    """That as many persons hold each sensitive value of a class as it states."""
    assert original.person is not None
    name = "every class has as many persons with each sensitive value as it states"
    compared, persons = 0, original.persons or 1
    for column, classes, code, _, stated in release.held():
        ours, theirs = release.column(column), original.column(column)
        same, width = theirs.alike().astype(np.int64), len(theirs.values)
        place = {value: i for i, value in enumerate(theirs.values)}
        cell = classes * width + same[np.array([place[ours.labels[i]] for i in code], np.int64)]
        holders = np.unique((kind * width + same[theirs.codes]) * persons + original.person) // persons
        true, count = np.unique(holders, return_counts=True)
        order = np.argsort(cell)
        if not (np.array_equal(cell[order], true) and np.array_equal(stated[order], count)):
            return Check.failed(name, f"a class states another number of persons with a value of {column}")
        compared += len(cell)
    return Check.ok(name, f"{counted(compared, 'value')} of classes")
