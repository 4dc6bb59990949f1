"""Is a released table made of this original: does every published row cover an original row of its own?

Checked without the method's groups: the published texts are read back as ranges of original values, and a maximum
flow looks for one published row for each original row that covers it and has the same unchanged columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Column, Table
from covey.data.spans import covered_codes
from covey.kernels.verify.covering import covering
from covey.release.table import KINDS, PublishedColumn, TableRelease, number_rows
from covey.verdict import Check
from covey.verify.person_fidelity import same_unit

#: Pairs of rows and published values to match at most; 4 bytes each.
PAIRS = 1 << 25

#: Comparisons of rows with published values at most.
COMPARISONS = 1 << 34

#: The name of the check that stands in for matching rows where there are too many. It passes, since what was
#: checked holds, but a release can pass it that was made of other rows with the same values.
PARTLY = "only a necessary condition was checked: NOT that each original row has a published row that covers it"


def compare(release: TableRelease, original: Table, taxonomy: Any = None) -> list[Check]:
    """Check `release` against `original`, whose roles and hierarchies count, and its persons if they are named."""
    unit = same_unit(release.class_persons is not None, original.persons, "rows")
    if unit is not None and not unit.passed:
        return [unit]
    checks = attribute_checks(release, original)
    if all(check.passed for check in checks):
        cover = cover_of(release, original)
        checks.append(_covered(cover, original))
        if unit is not None:
            checks.append(unit)
            checks += same_persons(release, original, cover) if all(check.passed for check in checks) else []
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
    ours, theirs = _secrets(release, original)
    name = "the other columns are published unchanged"
    same = ours is not None and bool((np.sort(ours) == np.sort(theirs)).all())
    unchanged = [column.name for column in release.columns if column.role != "quasi"]
    if same:
        return Check.ok(name, ", ".join(unchanged) or "there are none")
    return Check.failed(name, f"values of {', '.join(unchanged)} differ from the original's")


def _secrets(release: TableRelease, original: Table) -> tuple[Ints | None, Ints]:
    """One number per row of either for its unchanged columns; None when a value is not in the original."""
    ours, theirs = [], []
    for column in release.columns:
        if column.role == "quasi":
            continue
        known = original.column(column.name)
        place = {value: i for i, value in enumerate(known.values)}
        if any(label not in place for label in column.labels):
            return None, np.empty(0, np.int64)
        rename = np.array([place[label] for label in column.labels] or [0], np.int32)
        ours.append(rename[column.codes])
        theirs.append(known.codes)
    n = release.n
    both = number_rows([np.concatenate(pair) for pair in zip(ours, theirs, strict=True)], n + original.n)
    return both[:n], both[n:]


def cover_of(release: TableRelease, original: Table) -> Cover:
    """Which distinct published rows cover each distinct original row."""
    secret, true_secret = _secrets(release, original)
    assert secret is not None
    names = [column.name for column in release.of_role("quasi")]
    cell_of = number_rows([release.classes().astype(np.int32), secret.astype(np.int32)], release.n)
    _, first, size = np.unique(cell_of, return_index=True, return_counts=True)
    by_secret = np.argsort(secret[first], kind="stable")
    cell_of = np.argsort(by_secret)[cell_of]
    first, size = first[by_secret], size[by_secret]
    low, high = ranges_of(release, original, names, first)
    row_of = number_rows([*(original.column(c).codes for c in names), true_secret.astype(np.int32)], original.n)
    _, example, copies = np.unique(row_of, return_index=True, return_counts=True)
    rows = np.stack([original.column(c).codes[example] for c in names], axis=1)
    # Columns that tell most rows apart first: most comparisons end there.
    telling = np.argsort([-len(np.unique(rows[:, a])) for a in range(rows.shape[1])], kind="stable")
    cell_ptr = np.searchsorted(secret[first], np.arange(int(secret.max(initial=0)) + 2))
    ptr, cells = np.zeros(1, np.int64), np.empty(0, np.int32)
    if len(rows) * len(first) <= COMPARISONS:
        ptr, cells = covering(
            np.ascontiguousarray(rows[:, telling]),
            true_secret[example],
            np.ascontiguousarray(low[:, telling]),
            np.ascontiguousarray(high[:, telling]),
            cell_ptr,
            PAIRS,
        )
    return Cover(
        ptr=ptr,
        cells=cells,
        example=example,
        copies=copies,
        first=first,
        size=size,
        row_of=row_of,
        cell_of=cell_of,
    )


def _covered(cover: Cover, original: Table) -> Check:
    name = "every original row has a published row of its own that covers it"
    alone = np.flatnonzero(np.diff(cover.ptr) == 0)
    if len(alone):
        row = cover.example[alone[0]]
        values = [column.values[column.codes[row]] for column in original.of_role("quasi")]
        detail = f"no published row covers ({', '.join(values)})"
        return Check.failed(name, detail)
    if not cover.whole:
        rows, cells = len(cover.example), len(cover.first)
        detail = (
            f"the {rows:,} distinct rows and {cells:,} distinct published rows are too many to match one by one; "
            "their values and unchanged columns fit"
        )
        return Check.ok(PARTLY, detail)
    matched = most_matched(cover.ptr, cover.cells, cover.copies.astype(np.int64), cover.size.astype(np.int64))
    published = counted(len(cover.first), "distinct published row")
    detail = f"{matched:,} of {original.n:,} original rows matched with {published}"
    return Check(name=name, passed=matched == original.n, detail=detail)


def ranges_of(release: TableRelease, original: Table, names: list[str], rows: Ints) -> tuple[Ids, Ids]:
    """The first and last original code that each of the published `rows` covers, per column."""
    low = np.empty((len(rows), len(names)), np.int32)
    high = np.empty((len(rows), len(names)), np.int32)
    for a, name in enumerate(names):
        known, published = original.column(name), release.column(name)
        spans = np.array([covered_codes(known, label) or (1, 0) for label in published.labels], np.int32)
        at = spans[published.codes[rows]]
        low[:, a], high[:, a] = at[:, 0], at[:, 1]
    return low, high


def most_matched(ptr: Ints, cells: Ids, copies: Ints, size: Ints) -> int:
    """How many original rows can be matched: row i, `copies[i]` times, with its cells, each `size` times.

    Examples
    --------
    >>> most_matched(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([1, 1]), np.array([1, 1]))
    2
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    rows, count = len(copies), len(size)
    source, sink = rows + count, rows + count + 1
    edge_from = np.concatenate(
        [np.repeat(np.arange(rows), np.diff(ptr)), np.full(rows, source), rows + np.arange(count)]
    )
    edge_to = np.concatenate([rows + cells.astype(np.int64), np.arange(rows), np.full(count, sink)])
    capacity = np.concatenate([np.repeat(copies, np.diff(ptr)), copies, size]).astype(np.int32)
    graph = csr_array((capacity, (edge_from, edge_to)), shape=(sink + 1, sink + 1))
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return int(maximum_flow(graph, source, sink).flow_value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Which distinct published rows, or cells, can be which distinct original rows.

    Attributes
    ----------
    ptr, cells : arrays
        Original row i can be one of ``cells[ptr[i]:ptr[i + 1]]``; fewer rows when there are too many pairs.
    example, copies : int64 arrays
        For each distinct original row one of the rows that look like it, and how many do.
    first, size : int64 arrays
        For each cell one of its published rows, and how many there are.
    row_of : int64 array
        The distinct row that each original row is.
    cell_of : int64 array
        The cell that each published row is in.
    """

    ptr: Ints
    cells: Ids
    example: Ints
    copies: Ints
    first: Ints
    size: Ints
    row_of: Ints
    cell_of: Ints

    @property
    def whole(self) -> bool:
        """Whether all pairs were found."""
        return len(self.ptr) == len(self.example) + 1


def same_persons(release: TableRelease, original: Table, cover: Cover) -> list[Check]:
    """Check the numbers of persons of the classes, as far as rows can be found in them."""
    assert release.class_persons is not None
    assert original.person is not None
    total = Check(
        name="the totals of persons agree",
        passed=release.persons == original.persons,
        detail=f"{release.persons:,} stated, {original.persons:,} in the original",
    )
    if not total.passed or not cover.whole:
        return [total]
    person, kind = _possible_places(release, original, cover)
    number = len(release.class_persons)
    most = np.bincount(np.unique(kind * (original.persons or 1) + person) // (original.persons or 1), minlength=number)
    certain = _certain(release, cover)[cover.row_of]
    one = np.flatnonzero(certain >= 0)
    home = np.full(original.persons or 0, -1, np.int64)
    home[original.person[one]] = certain[one]
    torn = home[original.person[one]] != certain[one]
    placed = np.bincount(home[home >= 0], minlength=number)
    detail = f"{int((home >= 0).sum()):,} of {original.persons:,} persons can be found in their class"
    together = Check(
        name="all rows of a person are in one class",
        passed=not torn.any(),
        detail="a person has rows in two classes" if torn.any() else detail,
    )
    stated = release.class_persons
    wrong = np.flatnonzero((stated < placed) | (stated > most))
    exact = int((placed == most).sum())
    detail = f"exactly so for {exact:,} of {counted(number, 'class')}, possibly for the rest"
    if exact == number:
        detail = f"exactly so for all {counted(number, 'class')}"
    if len(wrong):
        low, high = int(placed[wrong[0]]), int(most[wrong[0]])
        detail = f"class {wrong[0]} states {counted(stated[wrong[0]], 'person')}, and can have {low:,} to {high:,}"
    name = "every class has the persons that it states"
    checks = [total, together, Check(name=name, passed=not len(wrong), detail=detail)]
    if release.holders is not None and all(check.passed for check in checks):
        checks.append(_same_holders(release, original, home, stated - placed))
    return checks


def _same_holders(release: TableRelease, original: Table, home: Ints, others: Ints) -> Check:
    """That as many persons hold each sensitive value of a class as it states; `others` of them cannot be placed."""
    assert release.holders is not None
    assert original.person is not None
    wrong, start = "", 0
    for name, kind, code, _ in release.held():
        ours, theirs = release.column(name), original.column(name)
        known = {value: i for i, value in enumerate(theirs.values)}
        value = np.array([known[ours.labels[i]] for i in code], np.int64)
        width, same = len(theirs.values), theirs.alike()
        value = same[value].astype(np.int64)
        held = np.unique(original.person.astype(np.int64) * width + same[theirs.codes])
        placed = home[held // width] >= 0
        cells, count = np.unique((home[held // width] * width + held % width)[placed], return_counts=True)
        least = np.zeros(len(kind), np.int64)
        order = np.argsort(kind * width + value)
        at = np.searchsorted((kind * width + value)[order], cells)
        least[order[at]] = count
        stated = release.holders[start : start + len(kind)]
        bad = np.flatnonzero((stated < least) | (stated > least + others[kind]))
        if len(bad) and not wrong:
            cell = bad[0]
            wrong = f"class {kind[cell]} states {stated[cell]:,} persons with {name} = {ours.labels[code[cell]]!r}"
        start += len(kind)
    name = "every class has as many persons with each sensitive value as it states"
    return Check(name=name, passed=not wrong, detail=wrong or f"{counted(start, 'value')} of classes")


def _certain(release: TableRelease, cover: Cover) -> Ints:
    """The class of each distinct original row that only one class covers; -1 for the others."""
    kind = release.classes()[cover.first][cover.cells]
    low = np.minimum.reduceat(kind, cover.ptr[:-1]) if len(cover.example) else kind
    high = np.maximum.reduceat(kind, cover.ptr[:-1]) if len(cover.example) else kind
    return np.where(low == high, low, -1)


def _possible_places(release: TableRelease, original: Table, cover: Cover) -> tuple[Ints, Ints]:
    """Pairs of a person and a class in which a row of the person can be."""
    assert original.person is not None
    persons = original.persons or 1
    pairs = np.unique(cover.row_of * persons + original.person)
    row, person = pairs // persons, pairs % persons
    kind = release.classes()[cover.first][cover.cells]
    count = np.diff(cover.ptr)[row]
    at = np.repeat(cover.ptr[row] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    return np.repeat(person, count), kind[at]
