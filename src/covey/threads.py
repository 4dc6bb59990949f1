"""Independent pieces of work on all cores: kernels release the GIL, so threads run side by side.

Results are those of one thread, whatever the number: pieces are the same, and are put together in their order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from covey.errors import ParameterError

T = TypeVar("T")
R = TypeVar("R")

#: How many threads to use at most; one per core this process may use when it is not set.
VARIABLE = "COVEY_THREADS"


def threads() -> int:
    """How many threads work side by side.

    Raises
    ------
    ParameterError
        The environment names a number of threads that is none.
    """
    asked = os.environ.get(VARIABLE, "").strip()
    if not asked:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not asked.isdecimal() or int(asked) < 1:
        raise ParameterError(f"{VARIABLE} must be a whole number from 1. Got {asked!r} instead.")
    return int(asked)


def side_by_side(work: Callable[[T], R], pieces: Iterable[T], told: Callable[[float], None] | None = None) -> list[R]:
    """What `work` makes of each piece, in their order; an error stops it.

    Work may have pieces of its own: all threads together are never more than asked for, and one that has nothing left
    to do helps where there is something left. `told` hears from the calling thread which share has been handed out.

    Examples
    --------
    >>> side_by_side(len, ["a", "bcd"])
    [1, 3]
    """
    wanted = list(pieces)
    if len(wanted) == 1:  # nobody could help
        if told is not None:
            told(0.0)
        return [work(wanted[0])]
    crew = _Crew(work, wanted)
    try:
        _hall.open(crew)
        while (at := _hall.next_piece(crew)) is not None:
            if told is not None:
                told(at / len(crew.pieces))
            crew.do(at)
            if at in crew.failed and not isinstance(crew.failed[at], Exception):
                raise crew.failed[at]  # somebody presses Ctrl-C, and need not wait for what runs beside
            _hall.done(crew)
        _hall.wait(crew)
        if crew.failed:
            raise crew.failed[min(crew.failed)]
        return [crew.made[at] for at in range(len(crew.pieces))]
    finally:
        _hall.close(crew)


def together(*work: Callable[[], Any]) -> list[Any]:
    """What each function makes, side by side; those that come first begin first.

    Examples
    --------
    >>> together(lambda: 1, lambda: "two")
    [1, 'two']
    """
    return side_by_side(lambda one: one(), work)


@contextmanager
def standing_aside() -> Iterator[None]:
    """While the calling thread waits for something that others make, they may have its place.

    Otherwise all places may be taken by threads that wait for one which waits for a place.
    """
    _hall.leave()
    try:
        yield
    finally:
        _hall.come_back()


class _Crew(Generic[T, R]):
    """Some pieces of work, and what has come of them."""

    def __init__(self, work: Callable[[T], R], pieces: list[T]) -> None:
        self.work, self.pieces = work, pieces
        self.next = self.running = 0
        self.made: dict[int, R] = {}
        self.failed: dict[int, BaseException] = {}

    def has_more(self) -> bool:
        """Whether there is a piece that nobody has begun."""
        return self.next < len(self.pieces) and not self.failed

    def do(self, at: int) -> None:
        """Work on one piece."""
        try:
            self.made[at] = self.work(self.pieces[at])
        except BaseException as error:
            self.failed[at] = error


class _Hall:
    """Where all crews of this process find their threads."""

    def __init__(self) -> None:
        self._crews: list[_Crew[Any, Any]] = []
        self._working, self._returning = 1, 0
        self._changed = threading.Condition()

    def open(self, crew: _Crew[Any, Any]) -> None:
        """Let others help."""
        with self._changed:
            self._crews.append(crew)

    def close(self, crew: _Crew[Any, Any]) -> None:
        """Let nobody help any more; a thread that is still at it keeps nothing alive."""
        with self._changed:
            self._crews.remove(crew)
            crew.made, crew.failed, crew.pieces = {}, {}, []
            del crew.work

    def next_piece(self, crew: _Crew[Any, Any]) -> int | None:
        """The next piece that nobody has begun."""
        with self._changed:
            if not crew.has_more():
                return None
            crew.next, crew.running = crew.next + 1, crew.running + 1
            self._hire()
            return crew.next - 1

    def done(self, crew: _Crew[Any, Any]) -> None:
        """Note the end of a piece."""
        with self._changed:
            crew.running -= 1
            if not crew.running:
                self._changed.notify_all()

    def wait(self, crew: _Crew[Any, Any]) -> None:
        """Wait until others are done with their pieces, and a place is free; meanwhile the calling thread's is."""
        with self._changed:
            if not crew.running:
                return
            self.leave()
            try:
                self._changed.wait_for(lambda: not crew.running)
            finally:
                self.come_back()

    def leave(self) -> None:
        """Give up the calling thread's place to others, until it comes back."""
        with self._changed:
            self._leave()
            self._hire()

    def come_back(self) -> None:
        """Wait until a place is free, and take it before anybody who would take another piece."""
        with self._changed:
            self._returning += 1
            try:
                self._changed.wait_for(lambda: self._working < threads())
            finally:
                self._returning -= 1
                self._working += 1

    def _leave(self) -> None:
        """Give up a place."""
        self._working -= 1
        if self._returning:
            self._changed.notify_all()

    def _room(self) -> bool:
        """Whether those at work may go on: nobody who has a place to come back to waits for one."""
        return self._working + self._returning <= threads()

    def _hire(self) -> None:
        """Start as many threads as there are places and pieces."""
        waiting = sum(len(crew.pieces) - crew.next for crew in self._crews if crew.has_more())
        for _ in range(min(waiting, threads() - self._working - self._returning)):
            self._working += 1
            threading.Thread(target=self._help, daemon=True).start()

    def _help(self) -> None:
        """Take pieces, of the latest crew first, as long as there are any."""
        while True:
            with self._changed:
                crew = next((crew for crew in reversed(self._crews) if crew.has_more()), None)
                at = self.next_piece(crew) if crew is not None and self._room() else None
                if crew is None or at is None:
                    self._leave()
                    return
            crew.do(at)
            self.done(crew)


_hall = _Hall()
