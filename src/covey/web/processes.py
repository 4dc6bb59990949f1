"""Work in other processes: start one, ask it, listen to it, end it.

A task that fails, runs out of memory or takes its process down is an error for whoever asked, and for nobody else.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from covey.web.problems import Remote

#: Seconds that a small request to the desk may take.
PATIENCE = 120.0

Listener = Callable[[dict[str, Any]], None]


class Worker:
    """One process that runs `covey.web.worker`.

    Parameters
    ----------
    memory : int or None
        Bytes it may use.
    log : Path
        Where it writes what is not meant for people.
    """

    def __init__(self, *, memory: int | None, log: Path) -> None:
        import covey

        home = str(Path(covey.__file__).parents[1])
        path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "covey.web.worker", str(memory or 0)],
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
        listener: Listener | None = None,
        *,
        patience: float = 0.0,
    ) -> Any:
        """Have a task done and return its outcome.

        Parameters
        ----------
        task : str
            One of `covey.web.worker.TASKS`.
        arguments : mapping
            Plain data.
        listener : callable or None
            Given every report of progress (``{"progress": [stage, done]}``) and event (``{"event": …}``).
        patience : float
            Seconds after which the process is ended; 0 waits for as long as it takes.

        Raises
        ------
        Remote
            The task failed; `kind` says how, ``Crash`` if the process ended in the middle of it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(patience, give_up) if patience else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            line = json.dumps({"task": task, "arguments": dict(arguments)}) + "\n"
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
            for raw in self._process.stdout:
                told = json.loads(raw)
                if "done" in told:
                    return told["done"]
                if "failed" in told:
                    failed = told["failed"]
                    raise Remote(failed["message"], kind=failed["kind"], best=failed["best"])
                if listener is not None:
                    listener(told)
        except (OSError, ValueError) as error:
            if not isinstance(error, BrokenPipeError | ValueError):
                raise
        finally:
            if timer is not None:
                timer.cancel()
        if late.is_set():
            raise Remote(f"This took longer than {patience:.0f} seconds and was given up.", kind="Timeout")
        raise Remote(self._obituary(), kind="Crash")

    def _obituary(self) -> str:
        code = self._process.wait()
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            text = f"The process that did the work was ended by the signal {name}"
            if -code == signal.SIGKILL:
                text += ", perhaps because the machine ran out of memory"
        else:
            text = f"The process that did the work ended by itself with the code {code}"
        return f"{text}. Nothing was published. Try again, with less data if it happens again."

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


class Crew:
    """Hires workers, keeps one in reserve that has its imports done, and one at the desk for small requests.

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
        self._at_desk = threading.Lock()
        self._reserve: Worker | None = None
        self._desk: Worker | None = None
        self._rehearsing: Worker | None = None
        self._closed = False

    def prepare(self) -> None:
        """Start the reserve, so that the first task need not wait for imports."""
        with self._lock:
            if self._reserve is None and not self._closed:
                self._reserve = self._new()

    def rehearse(self) -> None:
        """Have the kernels of the usual path compiled, unless they are; whoever comes first need not wait for it."""
        if compiled():
            return

        def work() -> None:
            with self._lock:
                if self._closed:
                    return
                self._rehearsing = self._new()
            with contextlib.suppress(Remote):  # whatever is wrong here is told where it matters
                self._rehearsing.ask("rehearse", {})
            self._rehearsing.stop()

        threading.Thread(target=work, daemon=True).start()

    def hire(self) -> Worker:
        """A worker for one job; stop it afterwards."""
        with self._lock:
            worker, self._reserve = self._reserve, None
            if not self._closed:
                self._reserve = self._new()
        if worker is None or not worker.alive:
            worker = self._new()
        return worker

    def ask(self, task: str, /, **arguments: Any) -> Any:
        """Have a small task done at the desk, after those that were asked before."""
        with self._at_desk:
            if self._desk is None or not self._desk.alive:
                if self._desk is not None:
                    self._desk.stop()
                self._desk = self.hire()
            return self._desk.ask(task, arguments, patience=PATIENCE)

    def close(self) -> None:
        """End everybody who is not at work; jobs end theirs themselves."""
        with self._lock:
            self._closed = True
            idle, self._reserve = self._reserve, None
            if self._rehearsing is not None:
                self._rehearsing.kill()
        for worker in (idle, self._desk):
            if worker is not None:
                worker.stop()

    def _new(self) -> Worker:
        return Worker(memory=self._memory, log=self._log)


def compiled() -> bool:
    """Whether compiled kernels lie where numba usually keeps them."""
    import covey

    kept = Path(covey.__file__).parent / "kernels" / "__pycache__"
    return any(kept.glob("cahd.*.nbi")) and any(kept.glob("attack.*.nbi"))
