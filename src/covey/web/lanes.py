"""Queues of long work: so many tasks of a lane at a time, each in a process of its own, in the order of asking."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from covey.web.problems import Remote
from covey.web.processes import Crew, Worker


class Listener(Protocol):
    """Told what becomes of a task; each method is called in the thread of the lane."""

    def started(self) -> None:
        """Its turn has come."""

    def told(self, body: dict[str, Any]) -> None:
        """A report of progress or an event."""

    def done(self, outcome: Any) -> None:
        """It is done."""

    def failed(self, error: Remote) -> None:
        """It failed."""

    def cancelled(self) -> None:
        """Somebody wanted it no more; nothing of it runs any longer."""


@dataclass(slots=True, eq=False)
class Ticket:
    """A task in a lane."""

    key: str
    task: str
    arguments: Mapping[str, Any]
    listener: Listener
    worker: Worker | None = None
    unwanted: bool = False
    finished: threading.Event = field(default_factory=threading.Event)


class Lane:
    """A queue with a number of threads, each of which minds one process at a time.

    Parameters
    ----------
    crew : Crew
        Where workers come from.
    slots : int
        Tasks done at the same time.
    """

    def __init__(self, crew: Crew, slots: int) -> None:
        self._crew = crew
        self._waiting: deque[Ticket] = deque()
        self._running: dict[str, Ticket] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._mind, daemon=True) for _ in range(slots)]
        for thread in self._threads:
            thread.start()

    def submit(self, key: str, task: str, arguments: Mapping[str, Any], listener: Listener) -> None:
        """Queue a task under a key of its own."""
        with self._changed:
            self._waiting.append(Ticket(key, task, arguments, listener))
            self._changed.notify()

    def position(self, key: str) -> int:
        """The place of a waiting task, from 1; 0 when it does not wait."""
        with self._changed:
            return next((at for at, ticket in enumerate(self._waiting, 1) if ticket.key == key), 0)

    def cancel(self, key: str, *, wait: bool = True) -> bool:
        """Have a task dropped or ended; False when there is no such task any more."""
        with self._changed:
            waiting = next((ticket for ticket in self._waiting if ticket.key == key), None)
            running = self._running.get(key)
            if waiting is not None:
                self._waiting.remove(waiting)
            elif running is not None:
                running.unwanted = True
                if running.worker is not None:
                    running.worker.kill()
        if waiting is not None:
            waiting.listener.cancelled()
            return True
        if running is not None and wait:
            running.finished.wait()
        return running is not None

    def close(self) -> None:
        """End everything; tasks that were under way are told so."""
        with self._changed:
            self._closed = True
            dropped = list(self._waiting)
            self._waiting.clear()
            for ticket in self._running.values():
                ticket.unwanted = True
                if ticket.worker is not None:
                    ticket.worker.kill()
            self._changed.notify_all()
        for ticket in dropped:
            ticket.listener.cancelled()
        for thread in self._threads:
            thread.join()

    def _mind(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                ticket = self._waiting.popleft()
                self._running[ticket.key] = ticket
            try:
                self._run(ticket)
            except Exception as error:  # no fault of one task may end the lane
                with contextlib.suppress(Exception):
                    ticket.listener.failed(
                        Remote(f"Something went wrong inside covey ({error}).", kind="Fault")
                    )
            finally:
                with self._changed:
                    self._running.pop(ticket.key, None)
                ticket.finished.set()

    def _run(self, ticket: Ticket) -> None:
        worker = self._crew.hire()
        with self._changed:
            ticket.worker = worker
            unwanted = ticket.unwanted
        try:
            if unwanted:
                ticket.listener.cancelled()
                return
            ticket.listener.started()
            outcome = worker.ask(ticket.task, ticket.arguments, ticket.listener.told)
        except Remote as error:
            worker.stop()  # nothing may still be written when the listener hears of the end
            if ticket.unwanted:
                ticket.listener.cancelled()
            else:
                ticket.listener.failed(error)
        else:
            ticket.listener.done(outcome)
        finally:
            worker.stop()
