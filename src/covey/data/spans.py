"""What published values of a table mean: the range of original codes that a text covers."""

from __future__ import annotations

import math
import re

import numpy as np

from covey.data.hierarchy import MISSING, ROOT
from covey.data.table import Column, number_text

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?"
_ONE = re.compile(_NUMBER)
_RANGE = re.compile(rf"\[({_NUMBER})-({_NUMBER})\]")


def ends_of(text: str) -> tuple[float, float] | None:
    """The ends of a published number or range of numbers; None unless `text` is exactly what covey writes for them.

    A number that could be spelled in several ways could carry a message in its spelling.

    Examples
    --------
    >>> ends_of("[20-29.5]"), ends_of("-3")
    ((20.0, 29.5), (-3.0, -3.0))
    >>> [ends_of(text) for text in ("[020-29.50]", "[20-20]", "2e1", "٣", "[30-20]", "old")]
    [None, None, None, None, None, None]
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        return (float(text), float(text)) if _is_number(text) else None
    if not all(map(_is_number, match.groups())):
        return None
    low, high = map(float, match.groups())
    return (low, high) if low < high else None


def _is_number(text: str) -> bool:
    return _ONE.fullmatch(text) is not None and math.isfinite(float(text)) and number_text(float(text)) == text


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
    ends = ends_of(text)
    if ends is None:
        return None
    low, high = ends
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
    ends = ends_of(text)
    if ends is None or known[-1] == known[0]:
        return 0.0
    return min(1.0, (ends[1] - ends[0]) / float(known[-1] - known[0]))
