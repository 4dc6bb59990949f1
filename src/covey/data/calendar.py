"""Dates and times as ordered values: recognise them in text, and generalize them to hours, days, months and years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from covey.data.hierarchy import ROOT, Hierarchy
from covey.errors import InputError

_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9}))?)?)?"
_ZONE = r"(?:Z|[+-]\d{2}:?\d{2})?"
_DATES = (
    f"{_YEAR}-{_MONTH}-{_DAY}",
    f"{_YEAR}/{_MONTH}/{_DAY}",
    rf"{_DAY}\.{_MONTH}\.{_YEAR}",
    f"{_DAY}/{_MONTH}/{_YEAR}",
    f"{_MONTH}/{_DAY}/{_YEAR}",
)
_FORMATS = tuple(re.compile(date + _TIME + _ZONE) for date in _DATES)
#: How many letters of an ISO date are published: to the day, the minute, the second and the microsecond.
_DAY_ONLY, _MINUTE, _SECOND, _MICROSECOND = 10, 16, 19, 26
#: Years in a span, from the narrowest to the widest.
SPANS = (5, 10, 100)


def dates_of(texts: Sequence[str], column: str | None = None) -> list[str] | None:
    """Return all texts in the form ``2011-12-31 08:05``; None unless all are dates whose day and month are certain.

    Raises
    ------
    InputError
        All are dates, but not in the same format.

    Examples
    --------
    >>> dates_of(["31.12.2011 8:05", "1.1.2012 17:30"])
    ['2011-12-31 08:05', '2012-01-01 17:30']
    >>> dates_of(["01/02/2011"]) is None
    True
    """
    read = [[_parsed(text, shape) for text in texts] for shape in _FORMATS]
    if not texts or not all(any(found) for found in zip(*read, strict=True)):
        return None
    complete = [found for found in read if all(found)]
    if not complete:
        unread = [texts[found.index(None)] for found in read if found[0]]
        shown = " and ".join(map(repr, [texts[0], *unread][-2:]))
        raise InputError(
            f"dates have several formats, such as {shown}",
            column=column,
            remedy="Write them in one format, or read them as names with --categorical.",
        )
    if len(complete) > 1:  # 01/02/2011 may be either
        return None
    known = [one for one in complete[0] if one]
    finest = min(max(letters for _, letters in known), _SECOND)
    return [moment.isoformat(" ", "microseconds")[: max(finest, letters)] for moment, letters in known]


def calendar_of(dates: Iterable[str]) -> Hierarchy:
    """Return the hierarchy of hours, days, months, quarters, years and spans of years above dates, in their order.

    Examples
    --------
    >>> tree = calendar_of(["2011-12-09", "2012-01-01"])
    >>> tree.labels[tree.parent[0]], tree.labels[tree.parent[tree.parent[0]]]
    ('2011-12', '2011-Q4')
    """
    return Hierarchy.from_paths([_path(date) for date in sorted(set(dates))])


def _path(date: str) -> list[str]:
    """What a date is generalized to, from itself to the root."""
    year, month = int(date[:4]), int(date[5:7])
    spans = [f"{year - year % width}-{year - year % width + width - 1}" for width in SPANS]
    day = [f"{date[:13]}h", date[:10]] if len(date) > 10 else []
    return [date, *day, date[:7], f"{date[:4]}-Q{(month + 2) // 3}", date[:4], *spans, ROOT]


def _parsed(text: str, shape: re.Pattern[str]) -> tuple[datetime, int] | None:
    """The moment that a text means in a format, and how many of its letters say all; None if it is no such date."""
    match = shape.fullmatch(text)
    if match is None:
        return None
    parts = ("year", "month", "day", "hour", "minute", "second")
    year, month, day, hour, minute, second = (int(match[part] or 0) for part in parts)
    fraction = int((match["fraction"] or "")[:6].ljust(6, "0"))
    try:
        moment = datetime(year, month, day, hour, minute, second, fraction)
    except ValueError:
        return None
    if match["hour"] is None:
        return moment, _DAY_ONLY
    return moment, _MICROSECOND if fraction else _SECOND if moment.second else _MINUTE
