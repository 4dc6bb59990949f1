"""Jobs: directories that hold what was asked and what came of it, and the `covey … --json` processes at work in them.

A job is a list of steps. ``N.json`` is the answer of step N, ``N.log`` its progress as lines of JSON, ``N.exit`` its
exit code. ``lock`` is locked for as long as a step runs, so that a server that was started again knows whether a
process of the earlier one is still at work. The state of a job follows from these files.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from covey.staging import write_whole
from covey.web.problems import NO_ROOM, NotFound, room

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
ACTIVE: tuple[State, ...] = ("waiting", "running")

#: Seconds that a process has to end after it was asked to; then it is killed.
GRACE = 5.0
#: Bytes of the end of a log that tell how far a step has come.
TAIL = 4_096
#: Bytes that have to be free for a job to leave an answer.
LEAST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is known of a job: what was noted with it (`asked`), and the answers of the steps that succeeded.

    The stage is what the present step is doing, the fraction how far that has come (0 to 1), and the position how many
    jobs are to be started before this one, itself included; 0 when it is not waiting.
    """

    path: Path
    created: float
    steps: list[list[str]]
    asked: Mapping[str, Any]
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
        return self.state in ACTIVE

    def warnings(self) -> list[dict[str, str]]:
        """Return the warnings of all steps: ``warning`` is the text, ``type`` the class."""
        found = []
        for number in range(len(self.answers)):
            with contextlib.suppress(OSError):  # it may just have been removed
                for line in _lines((self.path / f"{number}.log").read_bytes()):
                    if "warning" in line:
                        found.append({**line, "warning": shown(line["warning"], self.asked)})
        return found


def shown(text: str, asked: Mapping[str, Any]) -> str:
    """Return a text with files called by the names that people know them by."""
    for path, name in asked.get("names", {}).items():
        text = text.replace(path, name)
    return text


class Jobs:
    """Runs the steps of jobs, at most `parallel` processes at once; one thread is kept for quick jobs.

    Each process may use so many bytes of `memory`.
    """

    def __init__(self, parallel: int, memory: int | None = None) -> None:
        self._memory = memory
        self._slots = threading.Semaphore(parallel)
        self._lanes = {quick: ThreadPoolExecutor(1 if quick else max(parallel - 1, 1)) for quick in (True, False)}
        self._changed = threading.Condition()
        self._live: set[Path] = set()
        self._waiting: dict[Path, bool] = {}
        self._processes: dict[Path, subprocess.Popen[bytes]] = {}
        self._cancelled: set[Path] = set()
        self._exits: dict[tuple[Path, int], int] = {}
        self._closing = threading.Event()

    def submit(
        self, path: Path, steps: Sequence[Sequence[str]], asked: Mapping[str, Any] | None = None, *, quick: bool = False
    ) -> Job:
        """Make the directory of a job and have its steps run; each is what follows ``python -m``."""
        body = {"created": time.time(), "steps": [list(step) for step in steps], "asked": dict(asked or {})}
        try:
            with room():
                path.mkdir(parents=True, exist_ok=True)
                write_whole(path / "job.json", json.dumps(body).encode(), force=True)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        self._start(path, quick)
        return self.get(path)

    def _start(self, path: Path, quick: bool, *, waits: bool = True) -> None:
        with self._changed:
            self._live.add(path)
            self._waiting |= {path: quick} if waits else {}
            self._cancelled.discard(path)
            self._exits = {key: code for key, code in self._exits.items() if key[0] != path}
        self._lanes[quick].submit(self._run, path)

    def resume(self, paths: Iterable[Path]) -> None:
        """Go on with jobs that an earlier server left waiting, between two steps, or at work."""
        for path in paths:
            with contextlib.suppress(NotFound):
                job = self.get(path)
                locked = _is_locked(path)
                if job.state == "interrupted" and (locked or not _was_started(path, len(job.answers))):
                    self._start(path, False, waits=not locked)

    def get(self, path: Path) -> Job:
        """Return a job as its files say."""
        with self._changed:  # first: a job that ends meanwhile must not look interrupted
            live, cancelled = path in self._live, path in self._cancelled
        try:
            body = json.loads((path / "job.json").read_bytes())
        except (OSError, ValueError):
            raise NotFound("There is no such job; it may have been removed.") from None
        found = (_answer(path / f"{number}.json") for number in range(len(body["steps"])))
        answers = list(takewhile(lambda answer: answer is not None and "error" not in answer, found))
        number = len(answers)
        known: dict[str, Any] = {"path": path, **body, "answers": answers, "started": _time_of(path / "0.pid")}
        if number == len(body["steps"]):
            return Job(**known, state="done", fraction=1.0, finished=_time_of(path / f"{number - 1}.json"))
        if cancelled or (path / "cancelled").exists():
            return Job(**known, state="cancelled")
        failed = self._failure(path, number, body)
        if failed is not None:
            return Job(**known, state="failed", error_type=failed[0], error=shown(failed[1], body["asked"]))
        if not live:
            return Job(**known, state="interrupted")
        if position := self._position(path):
            return Job(**known, state="waiting", position=position)
        return Job(**known, state="running", **_progress(path / f"{number}.log"))

    def _failure(self, path: Path, number: int, body: Mapping[str, Any]) -> tuple[str, str] | None:
        """Class and text of the error with which a step ended; None if it did not."""
        answer = _answer(path / f"{number}.json")
        if answer is not None and "error" in answer:
            kind = str(answer["error"]["type"])  # what a command says that was stopped is no failure of its own
            return None if kind == "Interrupted" else (kind, str(answer["error"]["message"]))
        code = self._exits.get((path, number)) if answer is None else None
        if code is None and answer is None:
            with contextlib.suppress(OSError, ValueError):
                code = int((path / f"{number}.exit").read_text())
        if code is None:
            return None
        if shutil.disk_usage(path if path.exists() else path.parent).free < LEAST or code == -signal.SIGXFSZ:
            return "Full", NO_ROOM
        how = f"signal {-code}, perhaps for lack of memory" if code < 0 else f"exit code {code}, without an answer"
        output = f"The file {path / f'{number}.log'} has its output."
        return "Crash", f"The process ended before it was done ({how}). {output}"

    def _position(self, path: Path) -> int:
        """Return how many jobs are to be started before one that waits, itself included; 0 when it does not wait."""
        with self._changed:
            ahead = [one for one, lane in self._waiting.items() if lane == self._waiting.get(path)]
        return ahead.index(path) + 1 if path in ahead else 0

    def wait(self, path: Path) -> Job:
        """Return the job once it has ended."""
        with self._changed:
            self._changed.wait_for(lambda: path not in self._live)
        return self.get(path)

    def cancel(self, path: Path) -> Job:
        """Stop a job; its state is ``cancelled`` at once, also while its process is ending."""
        if self.get(path).active:
            with self._changed:
                self._cancelled.add(path)
                with contextlib.suppress(OSError):
                    (path / "cancelled").touch()
                self._end(path)
        return self.get(path)

    def _end(self, path: Path) -> None:
        """Ask the processes of a job to end, and kill them if they do not."""
        process = self._processes.get(path)
        group = process.pid if process is not None else _pid(path)
        if group is not None:
            _signal(group, signal.SIGTERM)
            timer = threading.Timer(GRACE, _kill, [path, group])
            timer.daemon = True
            timer.start()

    def remove(self, path: Path) -> None:
        """Stop a job and remove its directory, once nothing writes into it any more."""
        with contextlib.suppress(NotFound):
            self.cancel(path)
        with self._changed:
            self._changed.wait_for(lambda: path not in self._live or not _was_started(path, 0))
            self._cancelled.discard(path)
        shutil.rmtree(path, ignore_errors=True)

    def close(self) -> None:
        """End all processes; what was under way is then interrupted, and what waited goes on with the next server."""
        with self._changed:
            self._closing.set()
            for path in self._processes:
                self._end(path)
        for lane in self._lanes.values():
            lane.shutdown(cancel_futures=True)

    def _run(self, path: Path) -> None:
        """Run the steps of a job one after the other, up to the first that fails."""
        try:
            with self._slots:
                with self._changed:
                    self._waiting.pop(path, None)
                steps = json.loads((path / "job.json").read_bytes())["steps"]
                _wait_for_lock(path)  # a process of an earlier server
                for number, step in enumerate(steps):
                    if not self._step(path, number, step):
                        break
        except OSError:  # removed, or the disk is full
            self._exits.setdefault((path, 0), 1)
        finally:
            with self._changed:
                self._live.discard(path)
                self._waiting.pop(path, None)
                self._changed.notify_all()

    def _step(self, path: Path, number: int, step: Sequence[str]) -> bool:
        """Run one step unless it is done; return whether it has succeeded."""
        answer = path / f"{number}.json"
        if not _was_started(path, number):
            with self._changed, contextlib.ExitStack() as opened:
                if self._closing.is_set() or path in self._cancelled or not (path / "job.json").exists():
                    return False
                lock = opened.enter_context((path / "lock").open("wb"))
                fcntl.flock(lock, fcntl.LOCK_EX)
                process = self._processes[path] = subprocess.Popen(
                    [sys.executable, "-m", *step],
                    stdin=subprocess.DEVNULL,
                    stdout=opened.enter_context(answer.open("wb")),
                    stderr=opened.enter_context((path / f"{number}.log").open("wb")),
                    cwd=path,
                    start_new_session=True,
                    pass_fds=(lock.fileno(),),
                )
            self._restrain(process.pid)
            with contextlib.suppress(OSError):
                (path / f"{number}.pid").write_text(str(process.pid))
            code = process.wait()
            with self._changed:
                del self._processes[path]
                if self._closing.is_set():
                    return False
                self._exits[path, number] = code
            with contextlib.suppress(OSError):
                (path / f"{number}.exit").write_text(str(code))
        found = _answer(answer)
        return found is not None and "error" not in found

    def _restrain(self, pid: int) -> None:
        """Let pages go first, and limit the memory."""
        with contextlib.suppress(OSError, AttributeError, ValueError):  # it ended already, or this is no Linux
            os.setpriority(os.PRIO_PROCESS, pid, 5)
            if self._memory is not None:
                # Not the address space: libraries reserve far more of that than they ever use.
                hard = resource.prlimit(pid, resource.RLIMIT_DATA)[1]
                most = self._memory if hard == resource.RLIM_INFINITY else min(self._memory, hard)
                resource.prlimit(pid, resource.RLIMIT_DATA, (most, hard))


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
    try:
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - TAIL, 0))
            told = [line for line in _lines(file.read()) if "stage" in line]
    except OSError:
        return {}
    return {"stage": told[-1]["stage"], "fraction": float(told[-1]["done"])} if told else {}


def _lines(text: bytes) -> Iterable[dict[str, Any]]:
    """Return the lines of a log that are JSON objects."""
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                yield found


def _time_of(path: Path) -> float | None:
    """Return when a file was written."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return None


def _was_started(path: Path, number: int) -> bool:
    return (path / f"{number}.log").exists()


def _is_locked(path: Path) -> bool:
    """Return whether a process is at work in the directory of a job."""
    with contextlib.suppress(OSError), (path / "lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _wait_for_lock(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError), (path / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)


def _pid(path: Path) -> int | None:
    """Return the process at work in the directory of a job, started by this server or an earlier one."""
    with contextlib.suppress(OSError, ValueError):
        return int(max(path.glob("*.pid")).read_text()) if _is_locked(path) else None
    return None


def _kill(path: Path, group: int) -> None:
    if _is_locked(path):
        _signal(group, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
