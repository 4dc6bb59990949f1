"""Work in other processes: one for each task at a time, a few in reserve, one each for small and for large requests.

A task that fails, runs out of memory or takes its process down is an error for whoever asked, and for nobody else. A
process that has done its task well and stayed small is kept for the next one, which then starts at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import covey
from covey.web.records.room import NO_ROOM
from covey.web.server.problems import TaskError

#: Bytes without which a disk is taken to be the reason why a process ended.
ROOM = 1 << 20


class WorkerProcess:
    """One process that runs `covey.web.work.worker`.

    Parameters
    ----------
    memory : int or None
        Bytes it may use.
    log : Path
        Where it writes what is not meant for people.
    """

    def __init__(self, *, memory: int | None, log: Path) -> None:
        self._folder = log.parent
        home = str(Path(covey.__file__).parents[1])
        path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "covey.web.work.worker", str(memory or 0)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                # Arrow's own allocator reserves a gigabyte at once, which a limit would count.
                env={**os.environ, "PYTHONPATH": path, "ARROW_DEFAULT_MEMORY_POOL": "system"},
                # Ctrl-C is for the server, which ends its workers in its own time.
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(
        self,
        task: str,
        arguments: Mapping[str, Any],
        on_message: Callable[[dict[str, Any]], None] = lambda message: None,
        *,
        timeout: float = 0.0,
    ) -> Any:
        """Have a task done and return its outcome.

        Parameters
        ----------
        task : str
            One of `covey.web.work.worker.TASKS` or `LONG_TASKS`.
        arguments : mapping
            Plain data.
        on_message : callable
            Given every report of progress (``{"progress": [stage, done]}``) and event (``{"event": …}``).
        timeout : float
            Seconds after which the process is ended; 0 waits for as long as it takes.

        Raises
        ------
        TaskError
            The task failed; `kind` says how, ``Crash`` if the process ended in the middle of it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(timeout, end)
        timer.daemon = True
        if timeout:
            timer.start()
        try:
            line = json.dumps({"task": task, "arguments": dict(arguments)}) + "\n"
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
            for raw in self._process.stdout:
                message = json.loads(raw)
                if "done" in message:
                    return message["done"]
                if "failed" in message:
                    failed = message["failed"]
                    raise TaskError(failed["message"], cause=failed["kind"])
                on_message(message)
        except (BrokenPipeError, ValueError):
            pass  # why it ended is told below
        finally:
            timer.cancel()
        if late.is_set():
            raise TaskError(f"This took longer than {timeout:.0f} seconds and was given up.", cause="Timeout")
        raise TaskError(self._why_it_ended(), cause="Crash")

    def _why_it_ended(self) -> str:
        code = self._process.wait()
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            text = f"The process that did the work was ended by the signal {name}"
            if -code == signal.SIGKILL:
                text += ", perhaps because the machine ran out of memory"
        else:
            text = f"The process that did the work ended by itself with the code {code}"
        remedy = "Try again, with less data if it happens again."
        if shutil.disk_usage(self._folder).free < ROOM:
            text, remedy = f"{text}; the disk is full", NO_ROOM
        return f"{text}. Nothing was published. {remedy}"

    @property
    def small(self) -> bool:
        """Whether it holds so little memory that it may be kept; False where that cannot be known."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return False
        return pages * os.sysconf("SC_PAGE_SIZE") <= SMALL

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait()

    def kill(self) -> None:
        """End the process, whatever it is doing; whoever waits in `ask` is told so. From any thread."""
        if self._process.poll() is None:
            self._process.kill()

    def stop(self) -> None:
        """End the process and forget it; for the thread that uses it."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            # What was not sent yet has nobody left to read it.
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


#: Tasks that may read a whole file; one process does them, so that nobody who types or leafs waits for them.
LARGE = frozenset({"check_hierarchy", "pack_with_csv", "report_to_share", "suggest_tree"})

#: Seconds that a small request may take, and a large one.
TIMEOUT, LARGE_TIMEOUT = 120.0, 600.0

#: Workers kept in reserve, and bytes that each may hold then.
RESERVES, SMALL = 2, 512 << 20

#: Seconds that a worker must have lived for its end to be an accident; one that cannot start is not started for ever.
LIVED = 5.0


class _Answering:
    """A process that answers one request after the other, taken from a pool when the first one comes."""

    def __init__(self, pool: WorkerPool, timeout: float) -> None:
        self._pool, self._timeout, self._lock = pool, timeout, threading.Lock()
        self.worker: WorkerProcess | None = None

    def ask(self, task: str, arguments: Mapping[str, Any]) -> Any:
        with self._lock:
            if self.worker is None or not self.worker.alive:
                self.stop()
                self.worker = self._pool.take()
            return self.worker.ask(task, arguments, timeout=self._timeout)

    def stop(self) -> None:
        if self.worker is not None:
            self.worker.stop()


class WorkerPool:
    """Starts workers, keeps some in reserve that have their imports done, and has others answer requests.

    Small requests and those that may read a whole file (`LARGE`) have a process each.

    Parameters
    ----------
    memory : int or None
        Bytes that each may use.
    log : Path
        Where they write what is not meant for people.
    """

    def __init__(self, *, memory: int | None, log: Path) -> None:
        self._memory, self._log = memory, log
        self._lock = threading.Lock()
        self._reserve: list[WorkerProcess] = []
        self.small, self.large = _Answering(self, TIMEOUT), _Answering(self, LARGE_TIMEOUT)
        self._compiling: WorkerProcess | None = None
        self._compiler = threading.Thread(target=self._compile, daemon=True)
        self._closed = False

    def prepare(self) -> None:
        """Have one in reserve, so that the next task need not wait for imports."""
        with self._lock:
            if not self._reserve and not self._closed:
                self._reserve.append(self._new())

    def _replace(self, spare: WorkerProcess, since: float) -> None:
        """Start another when a worker ends while it is in reserve."""
        spare.wait()
        with self._lock:
            lost = spare in self._reserve
            if lost:
                self._reserve.remove(spare)
        if lost and time.monotonic() - since >= LIVED:
            spare.stop()
            self.prepare()

    def compile_kernels(self) -> None:
        """Have the kernels of the usual path compiled in the background, unless they are."""
        if not compiled():
            self._compiler.start()

    def _compile(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._compiling = self._new()
        with contextlib.suppress(TaskError):  # whatever is wrong here is told where it matters
            self._compiling.ask("compile_kernels", {})
        self._compiling.stop()

    def take(self) -> WorkerProcess:
        """A worker for one task, the one used last if there is any; give it back or stop it afterwards."""
        with self._lock:
            worker = self._reserve.pop() if self._reserve else None
        self.prepare()
        if worker is not None and not worker.alive:
            worker.stop()
            worker = None
        return worker or self._new()

    def give_back(self, worker: WorkerProcess) -> None:
        """Keep a worker that has done its task well for the next one, or stop it."""
        with self._lock:
            keep = not self._closed and len(self._reserve) < RESERVES and worker.alive and worker.small
            if keep:
                self._reserve.append(worker)
        if not keep:
            worker.stop()

    def ask(self, task: str, /, **arguments: Any) -> Any:
        """Have a small or large task done, after those of its size that were asked for before."""
        return (self.large if task in LARGE else self.small).ask(task, arguments)

    def close(self) -> None:
        """End all workers but those of jobs, which end theirs themselves."""
        with self._lock:
            self._closed = True
            reserve, self._reserve = self._reserve, []
            if self._compiling is not None:
                self._compiling.kill()
        for worker in reserve:
            worker.stop()
        for line in (self.small, self.large):
            line.stop()
        if self._compiler.is_alive():
            self._compiler.join()

    def _new(self) -> WorkerProcess:
        worker = WorkerProcess(memory=self._memory, log=self._log)
        threading.Thread(target=self._replace, args=(worker, time.monotonic()), daemon=True).start()
        return worker


def compiled() -> bool:
    """Whether compiled kernels lie where numba usually keeps them."""
    kernels = Path(covey.__file__).parent / "kernels"
    return all(any(kernels.glob(f"*/__pycache__/{name}.*.nbi")) for name in ("matched", "attack"))
