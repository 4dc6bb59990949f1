"""Work of a server that stands still for as long as a test needs it, instead of for as long as it happens to take."""

import os
import queue
import signal
import threading
from contextlib import contextmanager

from covey.web.server.jobs import ReleaseListener
from covey.web.server.queue import TaskListener


class _Gate(TaskListener):
    """Takes the place of a task, and does not go on before it is opened."""

    def __init__(self):
        self.reached, self.opened = threading.Event(), threading.Event()

    def started(self):
        self.reached.set()
        self.opened.wait()


@contextmanager
def holding(service, *, reading=False):
    """While the block runs, jobs that are started wait in the queue; with `reading`, files that are to be read do."""
    tasks, gate = service._reading if reading else service.jobs._queue, _Gate()
    # A task like any other, that does nothing and leaves its process as it was.
    tasks.submit("gate", "fitting_labels", {"folder": "", "search": "", "taxonomy": ""}, gate)
    gate.reached.wait()
    try:
        yield
    finally:
        gate.opened.set()


@contextmanager
def unmeasured(monkeypatch):
    """Jobs whose release is verified are not told to be measured before the yielded function is called."""
    event, opened = ReleaseListener.event, threading.Event()

    def held(listener, body):
        event(listener, body)
        opened.wait()

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseListener, "event", held)
        try:
            yield opened.set
        finally:
            opened.set()


@contextmanager
def stopped(monkeypatch):
    """The process of each job is stopped before it does anything; yields what waits for the next one's pid."""
    started, pids = ReleaseListener.started, queue.SimpleQueue()

    def stop(listener):
        started(listener)
        task = listener._jobs._queue._running[listener._entry.job.id]
        os.kill(task.worker.pid, signal.SIGSTOP)
        pids.put(task.worker.pid)

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseListener, "started", stop)
        yield pids.get
