"""What is worked out once: results of slow functions of objects that never change, kept as long as these live."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def once(function: Callable[P, R]) -> Callable[P, R]:
    """Remember what `function` makes of its arguments, which are immutable and no part of the result.

    Arguments count as the same when they are one object, or equal numbers or texts. A result is forgotten when the
    first of the objects it was made of is; errors are not remembered. Threads that want the same wait for one of them.

    Examples
    --------
    >>> from covey.data import Baskets
    >>> @once
    ... def rows_of(baskets):
    ...     print("counting")
    ...     return baskets.n
    >>> baskets = Baskets.of([["wine"]])
    >>> rows_of(baskets), rows_of(baskets)
    counting
    (1, 1)
    """
    known: dict[tuple[object, ...], R] = {}
    making: dict[tuple[object, ...], threading.Lock] = {}

    @wraps(function)
    def remembering(*args: P.args, **kwargs: P.kwargs) -> R:
        given = (*args, *kwargs.values())
        key = (*kwargs, *(arg if isinstance(arg, int | str) else id(arg) for arg in given))
        if key not in known:
            with making.setdefault(key, threading.Lock()):
                if key not in known:
                    known[key] = function(*args, **kwargs)
                    for arg in given:
                        if not isinstance(arg, int | str):
                            weakref.finalize(arg, known.pop, key, None).atexit = False
            making.pop(key, None)
        return known[key]

    return remembering
