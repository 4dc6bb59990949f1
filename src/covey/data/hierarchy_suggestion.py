"""Hierarchies proposed for a column: intervals of numbers, the calendar, beginnings of codes, masks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from covey.arrays import Floats, Ints
from covey.data.calendar import calendar_of, dates_of
from covey.data.hierarchy import MISSING, ROOT, Hierarchy
from covey.errors import InputError, ParameterError

#: What values may be grouped by.
GROUNDS = ("numbers", "dates", "prefixes", "masks")

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def suggest_hierarchy(
    values: Sequence[str], counts: Sequence[int] | Ints, by: str | None = None, *, column: str = "", intervals: int = 16
) -> Hierarchy:
    """Propose a hierarchy of the values of one column.

    `counts` says how many rows have each value. `by` "numbers" makes intervals of about equal counts with round
    borders, of which the narrowest are as many as `intervals`; "dates" hours to years; "prefixes" ever shorter
    beginnings of codes such as zip codes (``1234*``), "masks" masked ends (``123**``). None takes what fits.

    Examples
    --------
    >>> tree = suggest_hierarchy([str(age) for age in range(20, 60)], [1] * 40, intervals=4)
    >>> [tree.labels[node] for node in (tree.parent[0], tree.parent[tree.parent[0]])]
    ['[20-29]', '[20-39]']
    >>> suggest_hierarchy(["1001", "1002", "2001"], [1, 1, 1], "masks").labels[3:]
    ('1***', '10**', '100*', '2***', '20**', '200*', '*')
    """
    known = [value for value in values if value != MISSING]
    if not known:
        raise InputError("holds no values", column=column or None, remedy="Choose another column.")
    numbers = all(_NUMBER.fullmatch(value) for value in known)
    codes = len({len(value) for value in known}) == 1 and numbers and any(value[0] == "0" for value in known)
    dates = dates_of(known, column or None) if by in (None, "dates") else None
    ground = by or ("dates" if dates else "prefixes" if codes or not numbers else "numbers")
    if ground not in GROUNDS:
        raise ParameterError(f"The ground of a hierarchy is one of {', '.join(GROUNDS)}. Got {ground!r} instead.")
    if ground == "dates":
        if dates is None:
            raise InputError(
                f"not all values are dates in the same format, such as {known[0]!r}", column=column or None
            )
        return calendar_of(dates)
    if ground == "numbers":
        if not numbers:
            bad = next(value for value in known if not _NUMBER.fullmatch(value))
            raise InputError(f"{bad!r} is not a number", column=column or None, remedy="Use prefixes or masks (--by).")
        held = dict(zip(values, (int(count) for count in counts), strict=True))
        return _of_numbers(known, np.array([held[value] for value in known], np.int64), intervals)
    return Hierarchy.from_paths([_ends(value, masked=ground == "masks") for value in sorted(known)])


def _ends(value: str, *, masked: bool) -> list[str]:
    shorter = [value[:size] + "*" * (len(value) - size if masked else 1) for size in range(len(value) - 1, 0, -1)]
    return [value, *shorter, ROOT]


def _of_numbers(values: Sequence[str], counts: Ints, intervals: int) -> Hierarchy:
    """Intervals of about equal counts with round borders, two joined to one from level to level."""
    numbers = np.array([float(value) for value in values])
    whole = all("." not in value for value in values)
    edges = _edges(numbers, counts, intervals)
    levels = [edges]
    while len(levels[-1]) > 2:
        levels.append(np.append(levels[-1][:-1][::2], levels[-1][-1]))
    paths = []
    for value, number in sorted(zip(values, numbers.tolist(), strict=True), key=lambda pair: pair[1]):
        steps = [_label(edges, number, whole) for edges in levels[:-1]]
        paths.append([value, *(step for step in steps if step != value), ROOT])
    return Hierarchy.from_paths(paths)


def _edges(numbers: Floats, counts: Ints, intervals: int) -> Floats:
    """Borders of intervals, lower ends included: quantiles, rounded as far as they stay apart."""
    order = np.argsort(numbers)
    reached = np.cumsum(counts[order]) / counts.sum()
    cuts = numbers[order][np.searchsorted(reached, np.arange(1, intervals) / intervals)]
    low, high = float(numbers.min()), float(numbers.max())
    step = 10.0 ** np.floor(np.log10(max((high - low) / max(intervals, 1), 1e-9)))
    best = np.unique(cuts)
    for width in (10 * step, 5 * step, 2 * step, step, step / 2, step / 5, step / 10):
        rounded = np.unique(np.round(cuts / width) * width)
        if len(rounded) >= 0.75 * len(best):
            best = rounded
            break
    inner = best[(best > low) & (best <= high)]
    top = high + 1.0 if high == int(high) else high
    return np.concatenate([[low], inner, [max(top, high)]])


def _label(edges: Floats, number: float, whole: bool) -> str:
    place = int(np.clip(np.searchsorted(edges, number, side="right") - 1, 0, len(edges) - 2))
    low, high = edges[place], edges[place + 1]
    last = place == len(edges) - 2
    if whole:
        return f"[{low:g}-{high - 1:g}]" if high - 1 > low else f"{low:g}"
    return f"[{low:g}-{high:g}{']' if last else '['}"
