"""Jobs: directories that hold commands and what came of them, and the `covey … --json` processes at work in them.

A job is a list of steps, which `covey.web.steps` runs. ``N.json`` is the answer of step N, ``N.log`` its progress as
lines of JSON, ``N.exit`` its exit code, and ``pid`` the process group. ``lock`` is locked for as long as a process is
at work, also after the server was stopped. The state of a job follows from these files.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from covey.staging import write_whole
from covey.web.problems import NO_ROOM, NotFound, room

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]

#: Seconds that a process has to end after it was details to; then it is killed.
GRACE = 5.0
#: Bytes of the end of a log that tell how far a step has come.
TAIL = 4_096
#: Bytes that have to be free for a job to leave an answer.
LEAST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is known of a job: what was noted with it (`details`), and the answers of the steps that succeeded.

    The stage is what the present step is doing, the fraction how far that has come (0 to 1), and the position how many
    jobs are to be started before this one, itself included; 0 when it is not waiting.
    """

    path: Path
    created: float
    steps: list[list[str]]
    details: Mapping[str, Any]
    state: State
    answers: list[Any] = field(default_factory=list)
    stage: str = ""
    fraction: float = 0.0
    error: str = ""
    error_type: str = ""
    position: int = 0
    started: float | None = None
    finished: float | None = None

    @property
    def id(self) -> str:
        """The name of its directory."""
        return self.path.name

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ("waiting", "running")

    def warnings(self) -> list[dict[str, str]]:
        """Return the warnings of all steps: ``warning`` is the text, ``type`` the class."""
        lines = (line for number in range(len(self.answers)) for line in _lines(self.path / f"{number}.log"))
        return [{**line, "warning": shown(line["warning"], self.details)} for line in lines if "warning" in line]


def shown(text: str, details: Mapping[str, Any]) -> str:
    """Return a text with files called by the names that people know them by."""
    for path, name in details.get("names", {}).items():
        text = text.replace(path, name)
    return text


class Jobs:
    """Runs jobs, at most `parallel` processes at once; one thread is kept for quick jobs.

    Each process may use so many bytes of `memory`.
    """

    def __init__(self, parallel: int, memory: int | None = None) -> None:
        self._memory = memory
        self._slots = threading.Semaphore(parallel)
        self._lanes = {quick: ThreadPoolExecutor(1 if quick else max(parallel - 1, 1)) for quick in (True, False)}
        self._changed = threading.Condition()
        #: Jobs of this server that have not ended, and those of them that wait, with their lane.
        self._live: set[Path] = set()
        self._waiting: dict[Path, bool] = {}
        self._closing = False

    def submit(
        self,
        path: Path,
        steps: Sequence[Sequence[str]],
        details: Mapping[str, Any] | None = None,
        *,
        quick: bool = False,
    ) -> Job:
        """Make the directory of a job and have its steps run; each is what follows ``python -m``."""
        body = {"created": time.time(), "steps": [list(step) for step in steps], "details": dict(details or {})}
        try:
            with room():
                path.mkdir(parents=True, exist_ok=True)
                write_whole(path / "job.json", json.dumps(body).encode(), force=True)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        self._queue(path, quick)
        return self.get(path)

    def _queue(self, path: Path, quick: bool) -> None:
        with self._changed:
            self._live.add(path)
            self._waiting[path] = quick
        self._lanes[quick].submit(self._run, path)

    def resume(self, paths: Iterable[Path]) -> None:
        """Go on with jobs that an earlier server left waiting, and count those that are still at work."""
        for path in paths:
            with contextlib.suppress(NotFound):
                job = self.get(path)
                if job.state == "running" or (job.state == "interrupted" and job.started is None):
                    self._queue(path, False)

    def _run(self, path: Path) -> None:
        """Start the processes of a job, unless an earlier server did, and wait for their end."""
        try:
            with self._slots, contextlib.suppress(OSError):  # removed, or the disk is full
                with self._changed:
                    self._waiting.pop(path, None)
                    over = any((path / name).exists() for name in ("cancelled", "pid"))
                    wanted = not self._closing and not over and (path / "job.json").exists()
                    process = self._start(path) if wanted else None
                with (path / "lock").open("rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_SH)
                if process is not None:
                    process.wait()
        finally:
            with self._changed:
                self._live.discard(path)
                self._waiting.pop(path, None)
                self._changed.notify_all()

    def _start(self, path: Path) -> subprocess.Popen[bytes]:
        memory = [] if self._memory is None else [str(self._memory)]
        with (path / "lock").open("wb") as lock, (path / "output").open("wb") as output:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = subprocess.Popen(
                [sys.executable, "-m", "covey.web.steps", *memory],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=path,
                start_new_session=True,
                pass_fds=(lock.fileno(),),
            )
        try:
            (path / "pid").write_text(str(process.pid))
        except OSError:
            process.kill()
            raise
        return process

    def get(self, path: Path) -> Job:
        """Return a job as its files say."""
        with self._changed:  # first: a job that ends meanwhile must not look interrupted
            lane = self._waiting.get(path)
            ahead = [one for one, other in self._waiting.items() if other == lane]
            active = path in self._live or _is_locked(path)
        try:
            body = json.loads((path / "job.json").read_bytes())
        except (OSError, ValueError):
            raise NotFound("There is no such job; it may have been removed.") from None
        answers: list[Any] = []
        answer: Any = {}
        while len(answers) < len(body["steps"]) and answer is not None and "error" not in answer:
            answer = _answer(path / f"{len(answers)}.json")
            answers += [] if answer is None or "error" in answer else [answer]
        number = len(answers)
        known: dict[str, Any] = {"path": path, **body, "answers": answers, "started": _time_of(path / "pid")}
        if number == len(body["steps"]):
            return Job(**known, state="done", fraction=1.0, finished=_time_of(path / f"{number - 1}.json"))
        if (path / "cancelled").exists():
            return Job(**known, state="cancelled")
        if (failed := _failure(path, number, answer, active=active)) is not None:
            return Job(**known, state="failed", error_type=failed[0], error=shown(failed[1], body["details"]))
        if not active:
            return Job(**known, state="interrupted")
        if lane is not None and known["started"] is None:
            return Job(**known, state="waiting", position=ahead.index(path) + 1)
        return Job(**known, state="running", **_progress(path / f"{number}.log"))

    def wait(self, path: Path) -> Job:
        """Return the job once it has ended."""
        with self._changed:
            self._changed.wait_for(lambda: path not in self._live)
        return self.get(path)

    def cancel(self, path: Path) -> Job:
        """Stop a job; its state is ``cancelled`` at once, also while its process is ending."""
        if self.get(path).active:
            with self._changed, contextlib.suppress(OSError):
                (path / "cancelled").touch()
                _end(path)
        return self.get(path)

    def remove(self, path: Path) -> None:
        """Stop a job and remove its directory, once nothing writes into it any more."""
        with contextlib.suppress(NotFound):
            self.cancel(path)
        with self._changed:
            self._changed.wait_for(lambda: path not in self._live or path in self._waiting)
            shutil.rmtree(path, ignore_errors=True)

    def close(self) -> None:
        """End all processes; what was under way is then interrupted, and what waited goes on with the next server."""
        with self._changed:
            self._closing = True
            for path in self._live - self._waiting.keys():
                _end(path)
        for lane in self._lanes.values():
            lane.shutdown(cancel_futures=True)


def _failure(path: Path, number: int, answer: Any, *, active: bool) -> tuple[str, str] | None:
    """Return class and text of the error with which a step ended; None if it did not."""
    if answer is not None:
        kind = str(answer["error"]["type"])  # what a command says that was stopped is no failure of its own
        return None if kind == "Interrupted" else (kind, str(answer["error"]["message"]))
    code = None
    with contextlib.suppress(OSError, ValueError):
        code = int((path / f"{number}.exit").read_text())
    ended = code is not None or not active
    if code == -signal.SIGXFSZ or (ended and shutil.disk_usage(path).free < LEAST):
        return "Full", NO_ROOM
    if code is None:
        return None
    how = f"signal {-code}, perhaps for lack of memory" if code < 0 else f"exit code {code}, without an answer"
    output = f"The file {path / f'{number}.log'} has its output."
    return "Crash", f"The process ended before it was done ({how}). {output}"


def _answer(path: Path) -> Any:
    """Return the answer of a step; None as long as it is not complete."""
    with contextlib.suppress(OSError, ValueError):
        facts = path.stat()
        return _parsed(path, facts.st_mtime_ns, facts.st_size) if facts.st_size else None
    return None


@lru_cache(maxsize=64)
def _parsed(path: Path, changed: int, size: int) -> Any:
    return json.loads(path.read_bytes())


def _progress(log: Path) -> dict[str, Any]:
    """Return what a step is doing, and how far that has come."""
    last = [line for line in _lines(log, TAIL) if "stage" in line][-1:]
    return {"stage": last[0]["stage"], "fraction": float(last[0]["done"])} if last else {}


def _lines(log: Path, most: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines of a log, or of so many bytes at its end, that are JSON objects."""
    with contextlib.suppress(OSError), log.open("rb") as file:  # it may just have been removed
        file.seek(max(log.stat().st_size - most, 0) if most else 0)
        for line in file:
            with contextlib.suppress(ValueError):
                if isinstance(found := json.loads(line), dict):
                    yield found


def _time_of(path: Path) -> float | None:
    """Return when a file was written."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return None


def _is_locked(path: Path) -> bool:
    """Return whether a process is at work in the directory of a job."""
    with contextlib.suppress(OSError), (path / "lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _end(path: Path) -> None:
    """Ask the processes of a job to end, and kill them if they do not."""
    with contextlib.suppress(OSError, ValueError):
        group = int((path / "pid").read_text())

        def send(number: signal.Signals) -> None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if _is_locked(path):
                    os.killpg(group, number)

        send(signal.SIGTERM)
        timer = threading.Timer(GRACE, send, [signal.SIGKILL])
        timer.daemon = True
        timer.start()
