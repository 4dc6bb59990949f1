"""k-anonymity of tables: how often each combination of published quasi-identifiers occurs.

Missing values count as values: a row with an empty cell is like another only if that has the same cell empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Table
from covey.errors import ParameterError
from covey.guarantees.k_anonymity import KAnonymity
from covey.progress import Progress, silent
from covey.release.table import TableRelease
from covey.verdict import Check, Verdict


def check(promise: KAnonymity, release: TableRelease) -> Verdict:
    """Check that every published row equals at least k-1 others in all quasi-identifiers."""
    return check_classes(promise.text, release, promise.k, "published")


def check_table(promise: KAnonymity, data: Table, *, progress: Progress = silent) -> Verdict:
    """Check a table as it stands: would publishing it unchanged keep the guarantee?"""
    return check_classes(promise.text, data, promise.k, "given")


def check_classes(text: str, table: Any, k: int, how: str) -> Verdict:
    """The verdict on the classes of a table or of a released one, which has the same columns but for their values."""
    kind, size = row_kinds(table)
    rare = np.flatnonzero(size < k) if k <= len(kind) else np.arange(len(size))
    smallest = int(size.min()) if len(size) else 0
    if len(rare):
        worst = int(rare[np.argmin(size[rare])])
        detail = (
            f"{int(size[rare].sum()):,} of {len(kind):,} rows are in {len(rare):,} classes of fewer than {k}; "
            f"the smallest, of {size[worst]}: {shown(table, int(np.flatnonzero(kind == worst)[0]))}"
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


def row_kinds(table: Any) -> tuple[Ints, Ints]:
    """A number per row, equal for rows with equal quasi-identifiers, and how many rows have each number."""
    quasi = [column for column in table.columns if column.role == "quasi"]
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


def shown(table: Any, row: int) -> str:
    """The quasi-identifiers of a row in words, for a witness; an empty cell is written as (missing)."""
    return ", ".join(
        f"{column.name} = {column.labels[column.codes[row]] or '(missing)'}"
        for column in table.columns
        if column.role == "quasi"
    )
