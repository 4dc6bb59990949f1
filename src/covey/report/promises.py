"""The words of a promise where nothing is published yet, and in charts."""

from __future__ import annotations

import math

from covey.registry import methods
from covey.release.words import Promise, promise_of
from covey.report.charts import percent


def promise_about(text: str, data: str, *, by_person: bool = False) -> Promise:
    """The plain words for a guarantee before data of a kind is published: as the recommended method would keep it.

    Examples
    --------
    >>> promise_about("k-anonymity(k=5)", "table").short
    'Every row has the same quasi-identifiers as at least 4 others.'
    """
    able = methods(guarantee=text.partition("(")[0].strip(), data=data)
    if not able:
        return Promise(short=f"The release keeps {text}.")
    return promise_of(text, able[0].release, by_person=by_person, data=data)


def ceiling_line(promise: Promise) -> tuple[float, str] | None:
    """Where a chart of chances has a line across, and what it means.

    Examples
    --------
    >>> ceiling_line(promise_of("km-anonymity(k=5, m=2)", "sets"))
    (0.2, 'promised: 20 % for up to 2 items')
    """
    if promise.ceiling is None:
        return None
    most = "" if promise.known == math.inf else f" for up to {promise.known:g} items"
    return promise.ceiling, f"promised: {percent(promise.ceiling)}{most}"
