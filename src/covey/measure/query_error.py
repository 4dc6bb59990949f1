"""Error of counting queries on a released table: how many rows lie in a random box of values?

An analyst who has only the release takes every value that a published text covers as equally likely, so each
published row counts with the share of its box that lies in the query's (LeFevre et al. 2006, section 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.data import Table
from covey.data.spans import covered_codes
from covey.errors import InputError
from covey.parameters import integer, number
from covey.release.table import TableRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """Relative errors of a workload of counting queries."""

    #: The median of the relative errors |estimate - actual| / actual; their mean hangs on a few rare answers.
    value: float
    #: One per query; queries that no original row answers are not asked.
    errors: Floats

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"median": self.value, "mean": float(self.errors.mean()), "queries": len(self.errors)}


def query_error(
    release: TableRelease,
    original: Table,
    *,
    queries: int = 500,
    columns: int = 2,
    selectivity: float = 0.1,
    seed: int | None = 0,
) -> QueryError:
    """Relative error of random COUNT queries with a range in each of some columns.

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
    found = np.array(errors)
    return QueryError(value=float(np.median(found)), errors=found)


def _spans(release: TableRelease, original: Table, name: str, rows: Ints) -> tuple[Ints, Ints]:
    """The first and the last original code that the published `rows` cover in a column."""
    column, known = release.column(name), original.column(name)
    spans = [covered_codes(known, label) for label in column.labels]
    for label, span in zip(column.labels, spans, strict=True):
        if span is None:
            raise InputError(f"{label!r} covers no value of the original", column=name)
    at = np.array(spans, np.int64)[column.codes[rows]]
    return at[:, 0], at[:, 1]
