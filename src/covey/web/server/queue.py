"""Queues of long tasks: so many at a time, each in a process to itself, in the order of asking."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from covey.web.server.pool import WorkerPool, WorkerProcess
from covey.web.server.problems import TaskError

#: Failures after which a process is not used again; all others are an answer like any other.
UNWELL = ("Crash", "Timeout", "MemoryError", "Full", "Fault")


class TaskListener:
    """Told what becomes of a task, in a thread of the queue; what a subclass does not define is ignored."""

    def started(self) -> None:
        """Its turn has come."""

    def progress(self, stage: str, done: float) -> None:
        """A stage has come so far."""

    def event(self, body: dict[str, Any]) -> None:
        """Something is certain before the task is done."""

    def done(self, outcome: Any) -> None:
        """It is done."""

    def failed(self, error: TaskError) -> None:
        """It failed."""

    def cancelled(self) -> None:
        """Somebody wanted it no more; nothing of it runs any longer."""


@dataclass(slots=True, eq=False)
class QueuedTask:
    """A task in a queue."""

    key: str
    name: str
    arguments: Mapping[str, Any]
    listener: TaskListener
    worker: WorkerProcess | None = None
    unwanted: bool = False
    finished: threading.Event = field(default_factory=threading.Event)

    def end(self) -> None:
        """End the process that does it, now or as soon as there is one."""
        self.unwanted = True
        if self.worker is not None:
            self.worker.kill()

    def heard(self, message: dict[str, Any]) -> None:
        """Pass on what the worker says."""
        if "progress" in message:
            self.listener.progress(*message["progress"])
        else:
            self.listener.event(message["event"])


class TaskQueue:
    """A queue with a number of threads, each of which looks after one process at a time.

    Parameters
    ----------
    pool : WorkerPool
        Where workers come from.
    parallel : int
        Tasks done at the same time.
    """

    def __init__(self, pool: WorkerPool, parallel: int) -> None:
        self._pool = pool
        self._waiting: deque[QueuedTask] = deque()
        self._running: dict[str, QueuedTask] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(parallel)]
        for thread in self._threads:
            thread.start()

    def submit(self, key: str, task: str, arguments: Mapping[str, Any], listener: TaskListener) -> None:
        """Queue a task under a key of its own."""
        with self._changed:
            self._waiting.append(QueuedTask(key, task, arguments, listener))
            self._changed.notify()

    def position(self, key: str) -> int:
        """The place of a waiting task, from 1; 0 when it does not wait."""
        with self._changed:
            return next((at for at, task in enumerate(self._waiting, 1) if task.key == key), 0)

    def cancel(self, key: str, *, wait: bool = True) -> bool:
        """Have a task dropped or ended; False when there is no such task any more."""
        with self._changed:
            waiting = next((task for task in self._waiting if task.key == key), None)
            running = self._running.get(key)
            if waiting is not None:
                self._waiting.remove(waiting)
            elif running is not None:
                running.end()
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
            for task in self._running.values():
                task.end()
            self._changed.notify_all()
        for task in dropped:
            task.listener.cancelled()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                task = self._waiting.popleft()
                self._running[task.key] = task
            try:
                self._run(task)
            except Exception as error:  # no fault of one task may end the queue
                with contextlib.suppress(Exception):
                    task.listener.failed(TaskError(f"Something went wrong inside covey ({error}).", cause="Fault"))
            finally:
                with self._changed:
                    self._running.pop(task.key, None)
                task.finished.set()

    def _run(self, task: QueuedTask) -> None:
        worker = self._pool.take()
        with self._changed:
            task.worker = worker
            unwanted = task.unwanted
        try:
            if unwanted:
                task.listener.cancelled()
                return
            task.listener.started()
            outcome = worker.ask(task.name, task.arguments, task.heard)
        except TaskError as error:
            if task.unwanted or error.cause in UNWELL:
                worker.stop()  # nothing may still be written when the listener hears of the end
            else:
                self._keep(task, worker)
            if task.unwanted:
                task.listener.cancelled()
            else:
                task.listener.failed(error)
        else:
            self._keep(task, worker)
            task.listener.done(outcome)
        finally:
            if task.worker is not None:
                worker.stop()

    def _keep(self, task: QueuedTask, worker: WorkerProcess) -> None:
        with self._changed:  # from here on nobody ends the process, which may serve another task soon
            task.worker = None
        if task.unwanted:  # it was ended just when it had done its task, and may look alive for a moment
            worker.stop()
        else:
            self._pool.give_back(worker)
