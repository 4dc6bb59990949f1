"""What is worked out once: results of slow functions of objects that never change, kept as long as these live."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import update_wrapper
from typing import Generic, ParamSpec, TypeVar

from covey.threads import standing_aside

P = ParamSpec("P")
R = TypeVar("R")


class Once(Generic[P, R]):
    """A function that remembers; see `once`."""

    def __init__(self, function: Callable[P, R]) -> None:
        self._function = function
        self._known: dict[tuple[object, ...], R] = {}
        self._making: dict[tuple[object, ...], threading.Lock] = {}
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What is known, or what the function makes now."""
        key = _key(*args, **kwargs)
        while True:
            with suppress(KeyError):
                return self._known[key]
            with _waited_for(self._making.setdefault(key, threading.Lock())):
                if key not in self._known:
                    self._known[key] = self._function(*args, **kwargs)
                    for arg in (*args, *kwargs.values()):
                        if not isinstance(arg, int | str):
                            weakref.finalize(arg, self._known.pop, key, None).atexit = False
            self._making.pop(key, None)

    def forget(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Let go of a result that takes room and is hardly asked for again."""
        self._known.pop(_key(*args, **kwargs), None)


@contextmanager
def _waited_for(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock; who has to wait for it leaves their place to those who work."""
    if not lock.acquire(blocking=False):
        with standing_aside():
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _key(*args: object, **kwargs: object) -> tuple[object, ...]:
    return (*kwargs, *(arg if isinstance(arg, int | str) else id(arg) for arg in (*args, *kwargs.values())))


def once(function: Callable[P, R]) -> Once[P, R]:
    """Remember what `function` makes of its arguments, which are immutable and no part of the result.

    Arguments count as the same when they are one object, or equal numbers or texts. A result is forgotten when the
    first of the objects it was made of is, or when somebody asks for it (`Once.forget`); errors are not remembered.
    Threads that want the same wait for one of them.

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
    return Once(function)
