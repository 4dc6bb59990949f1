"""The words of a promise where nothing is published yet, and in charts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from covey.counting import counted, percent
from covey.registry import methods
from covey.release.words import Promise, promise_of


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


def ceiling_line(promise: Promise, labels: Sequence[str]) -> tuple[float, str, int] | None:
    """Where a chart of chances has a line, what it means, and across how many of its labels it goes.

    Labels are numbers of known items where the promise is about so many at most.

    Examples
    --------
    >>> ceiling_line(promise_of("km-anonymity(k=5, m=2)", "sets"), ["1", "2", "3", "4"])
    (0.2, 'promised: 20 % for up to 2 items', 2)
    """
    if promise.ceiling is None:
        return None
    if promise.known == math.inf:
        return promise.ceiling, f"promised: {percent(promise.ceiling)}", len(labels)
    reach = sum(not label.isdigit() or int(label) <= promise.known for label in labels)
    words = f"promised: {percent(promise.ceiling)} for up to {counted(int(promise.known), 'item')}"
    return (promise.ceiling, words, reach) if reach else None
