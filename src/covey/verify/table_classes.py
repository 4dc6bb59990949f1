"""k-anonymity of tables: how often each combination of published quasi-identifiers occurs.

Missing values count as values: a row with an empty cell is like another only if that has the same cell empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Table
from covey.errors import Infeasible, ParameterError
from covey.parameters import call_text
from covey.verdict import Check, Verdict


def check_table(release: Any, k: int) -> Verdict:
    """Check that every published row equals at least k-1 others in all quasi-identifiers.

    Parameters
    ----------
    release : TableRelease or Table
        What is published, or is about to be.
    k : int
        The least number of equal rows.
    """
    text = call_text("k-anonymity", {"k": k})
    how = "given" if isinstance(release, Table) else "published"
    kind, size = row_kinds(release)
    rare = np.flatnonzero(size < k)
    smallest = int(size.min()) if len(size) else 0
    if len(rare):
        worst = int(rare[np.argmin(size[rare])])
        detail = (
            f"{int(size[rare].sum()):,} of {len(kind):,} rows are in {len(rare):,} classes of fewer than {k}; "
            f"the smallest, of {size[worst]}: {shown(release, int(np.flatnonzero(kind == worst)[0]))}"
        )
    else:
        detail = f"{len(size):,} classes of equal rows, the smallest of {smallest}"
    return Verdict(
        guarantee=text,
        checks=(
            Check(
                name=f"every row is {how} at least {k} times over its quasi-identifiers",
                passed=not len(rare),
                detail=detail,
            ),
        ),
        figures={
            "k": smallest,
            "classes": len(size),
            "violating_rows": int(size[rare].sum()),
            "largest_class": int(size.max()) if len(size) else 0,
        },
    )


def row_kinds(release: Any) -> tuple[Ints, Ints]:
    """A number per row, equal for rows with equal quasi-identifiers, and how many rows have each number."""
    quasi = [column for column in release.columns if column.role == "quasi"]
    if not quasi:
        raise ParameterError("The table has no quasi-identifiers, so there is nothing to be alike in.")
    # Sorting whole rows, rather than hashing them, leaves no chance for two different rows to count as equal.
    order = np.lexsort([column.codes for column in quasi])
    new = np.zeros(len(order), np.bool_)
    for column in quasi:
        sorted_codes = column.codes[order]
        new[1:] |= sorted_codes[1:] != sorted_codes[:-1]
    kind = np.empty(len(order), np.int64)
    kind[order] = np.cumsum(new)
    return kind, np.bincount(kind)


def shown(release: Any, row: int) -> str:
    """The quasi-identifiers of a row in words, for a witness; an empty cell is written as (missing)."""
    parts = []
    for column in release.columns:
        if column.role == "quasi":
            labels = column.values if isinstance(release, Table) else column.labels
            parts.append(f"{column.name} = {labels[column.codes[row]] or '(missing)'}")
    return ", ".join(parts)


def require_feasible_table(data: Table, k: int, text: str) -> None:
    """Raise when there are fewer than k rows."""
    if data.n < k:
        raise Infeasible(
            f"{text} cannot be kept: the table has {data.n:,} rows, and every row needs {k - 1:,} others like it. "
            f"The largest feasible k is {data.n:,}.",
            witness=f"{data.n} rows",
            best=data.n,
        )
