"""What published values of a table mean: the range of original codes that a text covers."""

from __future__ import annotations

import re

import numpy as np

from covey.data.hierarchy import MISSING, ROOT
from covey.data.table import Column

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\[({_NUMBER})-({_NUMBER})\]")


def covered_codes(column: Column, text: str) -> tuple[int, int] | None:
    """The first and the last code of `column` that the published `text` covers; None if it means nothing.

    Examples
    --------
    >>> ages = Column.of_numbers("age", [20, 25, 30, None])
    >>> covered_codes(ages, "[20-29]"), covered_codes(ages, "30"), covered_codes(ages, "*")
    ((0, 1), (2, 2), (0, 3))
    >>> covered_codes(ages, "old") is None
    True
    """
    if column.hierarchy is not None:
        tree = column.hierarchy
        if text not in tree.labels:
            return None
        node = tree.labels.index(text)
        return int(tree.first[node]), int(tree.last[node])
    if text == ROOT:
        return 0, len(column.values) - 1
    if text == MISSING:
        known = len(column.values) - 1
        return (known, known) if column.values[-1] == MISSING else None
    match = _RANGE.fullmatch(text)
    try:
        low, high = (float(match[1]), float(match[2])) if match else (float(text), float(text))
    except ValueError:
        return None
    assert column.numbers is not None
    # NaN, the missing value, sorts behind every number.
    first = int(np.searchsorted(column.numbers, low, side="left"))
    last = int(np.searchsorted(column.numbers, high, side="right")) - 1
    return (first, last) if first <= last else None


def published_loss(column: Column, text: str) -> float | None:
    """What publishing `text` loses, 0 to 1 (PatternKa 2020, eq. 3 and 6); None if it means nothing.

    The width of a range counts as it is written, not as the values that happen to lie in it.
    """
    codes = covered_codes(column, text)
    if codes is None:
        return None
    low, high = codes
    if column.hierarchy is not None:
        leaves = high - low + 1
        return 0.0 if leaves == 1 else leaves / column.hierarchy.leaves
    if text == ROOT:
        return 0.0 if low == high else 1.0
    assert column.numbers is not None
    known = column.numbers[~np.isnan(column.numbers)]
    match = _RANGE.fullmatch(text)
    if match is None or known[-1] == known[0]:
        return 0.0
    return min(1.0, (float(match[2]) - float(match[1])) / float(known[-1] - known[0]))
