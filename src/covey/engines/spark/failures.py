"""What goes wrong on Spark, in covey's words: one line of the reason instead of two stacks of calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from covey import errors
from covey.errors import CoveyError

#: How a Python worker's traceback ends when one of covey's own errors was raised in it.
_OWN = re.compile(r"^covey\.errors\.(\w+): (.+)$", re.MULTILINE)


@contextmanager
def spark_errors(make: Callable[[str], CoveyError]) -> Iterator[None]:
    """Turn exceptions of Spark into what `make` makes of the reason; covey's own from a worker are raised here."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        own = _OWN.search(text)
        if own is not None:
            raise getattr(errors, own.group(1))(own.group(2)) from None
        raise make(reason_of(text)) from error


def reason_of(text: str) -> str:
    """The line of an exception's text that says most: the last of a worker's traceback, or else the first.

    Examples
    --------
    >>> reason_of("Aborted.\\nTraceback (most recent call last):\\n  File ...\\nValueError: no such thing\\n\\tat org")
    'ValueError: no such thing'
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    after = next((place for place, line in enumerate(lines) if line.lstrip().startswith("Traceback")), -1)
    told = [line for line in lines[after + 1 :] if after >= 0 and not line[0].isspace()]
    return (told or lines or ["no reason given"])[0][:300].rstrip(".")
