"""Dates and times as ordered values: each lies in an hour, a day, a month, a quarter, a year and spans of years."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from covey.data.hierarchy import ROOT, Hierarchy
from covey.errors import InputError

_TIME = r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?:Z|[+-]\d{2}:?\d{2})?"
#: Ways of writing a date, and at which places year, month and day stand.
_WAYS = {
    "2011-12-31": (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})" + _TIME), (0, 1, 2)),
    "2011/12/31": (re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})" + _TIME), (0, 1, 2)),
    "31.12.2011": (re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})" + _TIME), (2, 1, 0)),
    "31/12/2011": (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})" + _TIME), (2, 1, 0)),
    "12/31/2011": (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})" + _TIME), (2, 0, 1)),
}
#: Years in a span, from the narrowest to the widest.
SPANS = (5, 10, 100)


@dataclass(frozen=True, slots=True)
class Dates:
    """Texts that all are dates: each as covey writes it, and how they were written."""

    texts: tuple[str, ...]
    way: str

    def hierarchy(self) -> Hierarchy:
        """The tree of hours, days, months, quarters, years and spans of years above them, in their order."""
        return Hierarchy.from_paths([path_of(text) for text in sorted(set(self.texts))])


def dates_of(texts: Sequence[str], column: str | None = None) -> Dates | None:
    """The dates that all texts are, or None if one is none, or if day and month cannot be told apart.

    Examples
    --------
    >>> dates_of(["31.12.2011 8:05", "1.1.2012 17:30"]).texts
    ('2011-12-31 08:05', '2012-01-01 17:30')
    >>> dates_of(["01/02/2011"]) is None
    True
    """
    if not texts:
        return None
    read = {way: [_parsed(text, way) for text in texts] for way in _WAYS}
    if any(all(found[at] is None for found in read.values()) for at in range(len(texts))):
        return None
    whole = [way for way, found in read.items() if None not in found]
    if not whole:
        first = {next(way for way, found in read.items() if found[at] is not None): at for at in range(len(texts))}
        shown = " and ".join(repr(texts[at]) for at in list(first.values())[:2])
        if len(first) < 2:  # day first here, month first there
            shown = " and ".join(
                repr(texts[next(at for at, one in enumerate(read[way]) if one is None)]) for way in list(_WAYS)[-2:]
            )
        raise InputError(
            f"dates have several formats, such as {shown}",
            column=column,
            remedy="Write them in one format, or read them as names with --categorical.",
        )
    if len(whole) > 1:  # 01/02/2011 may be either
        return None
    found = [one for one in read[whole[0]] if one is not None]
    exact = max(precision for _, precision in found)
    return Dates(tuple(_written(moment, exact) for moment, _ in found), whole[0])


def path_of(text: str) -> list[str]:
    """What a date is generalized to, from itself to the root.

    Examples
    --------
    >>> path_of("2011-12-09")
    ['2011-12-09', '2011-12', '2011-Q4', '2011', '2010-2014', '2010-2019', '2000-2099', '*']
    >>> path_of("2011-12-09 08:05")[:3]
    ['2011-12-09 08:05', '2011-12-09 08h', '2011-12-09']
    """
    year, month = int(text[:4]), int(text[5:7])
    spans = [f"{year - year % width}-{year - year % width + width - 1}" for width in SPANS]
    day = [f"{text[:13]}h", text[:10]] if len(text) > 10 else []
    return [text, *day, text[:7], f"{text[:4]}-Q{(month + 2) // 3}", text[:4], *spans, ROOT]


def _parsed(text: str, way: str) -> tuple[datetime, int] | None:
    """The moment a text means in a way of writing, and how exactly: 0 for a day, 1 for a minute, 2 beyond."""
    shape, places = _WAYS[way]
    match = shape.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(match[place + 1]) for place in places)
    hour, minute, second = (int(match[place] or 0) for place in (4, 5, 6))
    fraction = int((match[7] or "0")[:6].ljust(6, "0"))
    try:
        moment = datetime(year, month, day, hour, minute, second, fraction)
    except ValueError:
        return None
    return moment, 0 if match[4] is None else 2 if second or fraction else 1


def _written(moment: datetime, precision: int) -> str:
    if precision < 2:
        return f"{moment:%Y-%m-%d %H:%M}" if precision else f"{moment:%Y-%m-%d}"
    return f"{moment:%Y-%m-%d %H:%M:%S}" + (f".{moment.microsecond:06d}" if moment.microsecond else "")
