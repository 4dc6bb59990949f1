"""Released tables: how well rows are found, sensitive values guessed, and counting queries answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Table
from covey.data.spans import covered_codes
from covey.errors import InputError
from covey.parameters import integer, number
from covey.release.table import TableRelease, commonest, number_rows
from covey.tabular import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class RowExposure:
    """The probability of finding a row, which is 1 / (rows like it)."""

    #: The mean over all rows, and the highest.
    mean: float
    worst: float
    #: Share of rows with no other like them.
    unique: float


def row_exposure(table: Table | TableRelease) -> RowExposure:
    """Count the rows that look alike in a table, or in a released one, which has the same columns.

    Where persons are counted, the company of a row is the persons whose rows look like it.

    Examples
    --------
    >>> row_exposure(Table.of({"age": [30, 30, 40, 50]}))
    RowExposure(mean=0.75, worst=1.0, unique=0.5)
    """
    kind = number_rows([column.codes for column in table.columns if column.role == "quasi"], table.n)
    sizes = rows = np.bincount(kind)
    if isinstance(table, TableRelease):
        sizes = rows if table.class_persons is None else table.class_persons
    elif table.person is not None:
        persons = int(table.person.max(initial=0)) + 1
        sizes = np.bincount(np.unique(kind * persons + table.person) // persons, minlength=len(rows))
    return RowExposure(
        mean=float((rows / np.maximum(sizes, 1)).sum()) / max(table.n, 1),
        worst=1 / max(int(sizes.min(initial=table.n)), 1),
        unique=int(rows[sizes == 1].sum()) / max(table.n, 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty(Plain):
    """How well a sensitive column is guessed by all quasi-identifiers, before and after."""

    column: str
    #: Share of the rows for which a guess is right that uses no quasi-identifier: the most frequent value.
    blind: float
    #: Share of the rows for which the most frequent value among the rows like them is right, in the original and in the
    #: release.
    before: float
    after: float
    #: Share of the rows whose value all rows like them have, so that it is known for certain.
    certain_before: float
    certain_after: float
    #: The largest share of a value in a class of the release.
    worst_after: float


def certainty(release: TableRelease, original: Table) -> tuple[Certainty, ...]:
    """Return what someone who finds a person's class learns about each sensitive column. O(n log n).

    Rows that look alike can also be alike in what is sensitive: then the value is known although the row is not
    (Machanavajjhala et al. 2007, the homogeneity attack).

    Examples
    --------
    >>> import covey
    >>> ages, ill = [20, 30, 40, 50], ["flu", "flu", "flu", "gout"]
    >>> people = covey.Table.of({"age": ages, "illness": ill}, sensitive=["illness"])
    >>> (found,) = certainty(covey.anonymize(people, "k-anonymity(k=2)", "mondrian"), people)
    >>> found.blind, found.before, found.after, found.certain_after
    (0.75, 1.0, 0.75, 0.5)
    """
    like_before = number_rows([column.codes for column in original.of_role("quasi")], original.n)
    made = []
    for column in original.of_role("sensitive"):
        before, certain_before, _ = _guesses(like_before, column.codes)
        after, certain_after, worst = _guesses(release.classes(), release.column(column.name).codes)
        made.append(
            Certainty(
                column=column.name,
                blind=float(np.bincount(column.codes).max(initial=0) / max(original.n, 1)),
                before=before,
                after=after,
                certain_before=certain_before,
                certain_after=certain_after,
                worst_after=worst,
            )
        )
    return tuple(made)


def _guesses(like: Ints, value: Ids) -> tuple[float, float, float]:
    """Return share of rows guessed right, share of rows whose class has one value, and largest share in a class."""
    if not len(like):
        return 0.0, 0.0, 0.0
    size, most = np.bincount(like), commonest(like, value)
    return float(most.sum() / len(like)), float(size[most == size].sum() / len(like)), float((most / size).max())


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError(Plain):
    """The relative errors |estimate - actual| / actual of a workload of counting queries."""

    #: Says more than the mean, which hangs on a few rare answers.
    median: float
    mean: float
    #: Queries that no original row answers are not asked.
    queries: int


def query_error(
    release: TableRelease,
    original: Table,
    *,
    queries: int = 500,
    columns: int = 2,
    selectivity: float = 0.1,
    seed: int | None = 0,
) -> QueryError:
    """Return the relative error of random COUNT queries with a range in each of some columns.

    An analyst who has only the release takes every value that a published text covers as equally likely, so each
    published row counts with the share of its box that lies in the query's (LeFevre et al. 2006, section 5).

    Parameters
    ----------
    columns : int
        Columns with a range in each query, drawn among the quasi-identifiers.
    selectivity : float
        Share of the space of these columns that a query covers, about.
    seed : int or None
        For drawing the queries; the same seed asks two releases the same.
    """
    integer("query_error", "queries", queries, minimum=1)
    integer("query_error", "columns", columns, minimum=1)
    number("query_error", "selectivity", selectivity, minimum=0, maximum=1)
    quasi = original.of_role("quasi")
    if columns > len(quasi):
        raise InputError(f"the workload asks for {columns} columns; only {len(quasi)} can be asked for")
    rng = np.random.default_rng(seed)
    share = selectivity ** (1 / columns)
    _, example, size = np.unique(release.classes(), return_index=True, return_counts=True)
    spans = [_spans(release, original, column.name, example) for column in quasi]
    errors = []
    for _ in range(queries):
        inside = np.ones(original.n, np.bool_)
        weight = size.astype(np.float64)
        for a in rng.choice(len(quasi), columns, replace=False):
            values = len(quasi[a].values)
            width = max(1, round(share * values))
            first = int(rng.integers(0, values - width + 1))
            codes = quasi[a].codes
            inside &= (codes >= first) & (codes < first + width)
            low, high = spans[a]
            shared = np.minimum(high, first + width - 1) - np.maximum(low, first) + 1
            weight *= np.maximum(shared, 0) / (high - low + 1)
        actual = int(inside.sum())
        if actual:
            errors.append(abs(float(weight.sum()) - actual) / actual)
    if not errors:
        raise InputError("no row answers any of the queries", remedy="Ask for a larger selectivity.")
    return QueryError(median=float(np.median(errors)), mean=float(np.mean(errors)), queries=len(errors))


def _spans(release: TableRelease, original: Table, name: str, rows: Ints) -> tuple[Ints, Ints]:
    """Return the first and the last original code that the published `rows` cover in a column."""
    column, known = release.column(name), original.column(name)
    spans = [covered_codes(known, label) for label in column.labels]
    for label, span in zip(column.labels, spans, strict=True):
        if span is None:
            raise InputError(f"{label!r} covers no value of the original", column=name)
    at = np.array(spans, np.int64)[column.codes[rows]]
    return at[:, 0], at[:, 1]
