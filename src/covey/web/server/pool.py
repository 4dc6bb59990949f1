"""The worker processes of a server: one for each job, one in reserve, one for small requests."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any

from covey.web.server.problems import TaskError
from covey.web.server.worker_process import WorkerProcess

#: Seconds that a small request may take.
TIMEOUT = 120.0


class WorkerPool:
    """Starts workers, keeps one in reserve that has its imports done, and one that answers small requests.

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
        self._asking = threading.Lock()
        self._reserve: WorkerProcess | None = None
        self._answering: WorkerProcess | None = None
        self._compiling: WorkerProcess | None = None
        self._compiler = threading.Thread(target=self._compile, daemon=True)
        self._closed = False

    def prepare(self) -> None:
        """Start the reserve, so that the first task need not wait for imports."""
        with self._lock:
            if self._reserve is None and not self._closed:
                self._reserve = self._new()

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
        """A worker for one job; stop it afterwards."""
        with self._lock:
            worker, self._reserve = self._reserve, None
            if not self._closed:
                self._reserve = self._new()
        if worker is None or not worker.alive:
            worker = self._new()
        return worker

    def ask(self, task: str, /, **arguments: Any) -> Any:
        """Have a small task done, after those that were asked for before."""
        with self._asking:
            if self._answering is None or not self._answering.alive:
                if self._answering is not None:
                    self._answering.stop()
                self._answering = self.take()
            return self._answering.ask(task, arguments, timeout=TIMEOUT)

    def close(self) -> None:
        """End all workers but those of jobs, which end theirs themselves."""
        with self._lock:
            self._closed = True
            reserve, self._reserve = self._reserve, None
            if self._compiling is not None:
                self._compiling.kill()
        for worker in (reserve, self._answering):
            if worker is not None:
                worker.stop()
        if self._compiler.is_alive():
            self._compiler.join()

    def _new(self) -> WorkerProcess:
        return WorkerProcess(memory=self._memory, log=self._log)


def compiled() -> bool:
    """Whether compiled kernels lie where numba usually keeps them."""
    import covey

    kernels = Path(covey.__file__).parent / "kernels"
    return all(any(kernels.glob(f"*/__pycache__/{name}.*.nbi")) for name in ("cahd", "attack"))
