"""What surrounds every command: output, progress bars, errors as one paragraph, and stopping cleanly."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from covey.errors import CoveyError, CoveyWarning

T = TypeVar("T")

STAGES = {
    "compiling": "Compiling kernels",
    "reading": "Reading",
    "ordering": "Ordering as a band matrix",
    "grouping": "Forming groups",
    "generalizing": "Generalizing",
    "suppressing": "Suppressing",
    "publishing": "Shuffling",
    "writing": "Writing",
    "verifying": "Verifying",
    "generating": "Generating",
    "measuring": "Measuring",
    "comparing": "Comparing",
    "drawing": "Drawing",
    "searching": "Finding similar records",
    "curve": "Trying each epsilon",
    "attacking": "Attacking",
}

# Lines for a file or a pipe are not broken at the 80 columns of a terminal nobody has.
_width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 160
out = Console(highlight=False, emoji=False, width=_width)
err = Console(stderr=True, highlight=False, emoji=False)
_json = False
_bar: Progress | None = None


def use_json(wanted: bool) -> bool:
    """Remember whether this command prints JSON, also for its errors; the option ``--json`` calls it."""
    global _json
    _json = wanted
    return wanted


def emit(body: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    sys.stdout.flush()


class Stages:
    """A progress bar with a line per stage; silent when standard error is not a terminal."""

    def __init__(self) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<28}"),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(compact=True),
            console=err,
            disable=not err.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}
        self._current: str | None = None

    def __call__(self, stage: str, done: float, /) -> None:
        """Show that `stage` has come as far as `done`."""
        if stage != self._current:
            self._finish()
            self._current = stage
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(STAGES.get(stage, stage.capitalize()), total=None)
        if done > 0:
            self._bar.update(self._tasks[stage], total=1.0, completed=min(done, 1.0))

    def _finish(self) -> None:
        if self._current is not None:
            self._bar.update(self._tasks[self._current], total=1.0, completed=1.0)

    @contextmanager
    def shown(self) -> Iterator[Stages]:
        """Show the bar while the block runs."""
        global _bar
        _bar = self._bar
        with self._bar:
            yield self
            self._finish()


def watched(work: Callable[[Stages], T], *, stopped: str | None = None) -> T:
    """Run `work` as `run` does, and show its stages."""
    with Stages().shown() as stages:
        return run(lambda: work(stages), stopped=stopped)


def run(work: Callable[[], T], *, stopped: str | None = None) -> T:
    """Run `work` so that Ctrl-C, SIGTERM and a terminal that is closed stop it at once, also inside a long kernel.

    Files that were being written are taken away. `stopped` is what is said then; by default, what is in place.

    The work runs in a thread; the main thread waits, because only there Python handles signals. Kernels
    release the GIL, so the main thread can react while they run.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=body, daemon=True)
    for sent in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sent) != signal.SIG_IGN:  # as under nohup
            signal.signal(sent, _interrupt)
    try:
        thread.start()
        told = not err.is_terminal
        while thread.is_alive():
            thread.join(0.1)
            told = told or _tell_of_compilation()
    except KeyboardInterrupt:
        _stop(stopped)
    if failure:
        raise failure[0]
    return outcome[0]


def _tell_of_compilation() -> bool:
    """Say why the first run takes longer, if kernels are being compiled; return whether it was said."""
    kernels = sys.modules.get("covey.kernels.shared.jit")  # not imported for this: most commands do without numba
    if not getattr(kernels, "compiled_now", int)():
        return False
    err.print(
        "The first run compiles covey's kernels for this machine. This can take a minute, but only once.", style="dim"
    )
    return True


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _stop(message: str | None) -> NoReturn:
    from covey.release.staging import abandon

    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sent, signal.SIG_IGN)
    if _bar is not None:  # it would draw itself again, below the message and beside the prompt
        _bar.stop()
    abandon()
    complain(message or f"Stopped. {in_place() or 'Nothing was written.'}", kind="Interrupted", code=1)
    sys.stderr.flush()
    os._exit(1)


def in_place(before: int = 0) -> str:
    """A sentence about what this command has written; empty if that is nothing. `before` was written by others."""
    done = _placed()[before:]
    if len(done) <= 1:
        return f"{done[0]} is in place." if done else ""
    return f"{', '.join(done) if len(done) < 5 else f'{len(done)} files'} are in place."


def _placed() -> list[str]:
    """What this process has put in place."""
    staging = sys.modules.get("covey.release.staging")  # not imported for this: without it nothing was written
    return [] if staging is None else [str(path) for path in staging.placed()]


def complain(message: str, *, kind: str, code: int) -> int:
    """Print an error as one paragraph on standard error or, with --json, as an object on standard output."""
    if _json:
        emit({"error": {"type": kind, "message": message, "exit_code": code}})
    else:
        _say(message, "bold red")
    return code


def _say(message: str, style: str) -> None:
    err.print("covey: ", style=style, end="")
    err.print(message, markup=False, soft_wrap=True)


def warn(message: str) -> None:
    """Print something that must not be overlooked, on standard error."""
    _say(message, "bold yellow")


_as_python_does = warnings.showwarning
#: What the command has warned of.
_warned: set[str] = set()


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning of covey's own as a paragraph, and any other as Python does."""
    if issubclass(category, CoveyWarning):
        if str(message) not in _warned:  # a file may be read twice, as for two releases
            warn(str(message))
        _warned.add(str(message))
    else:
        _as_python_does(message, category, filename, lineno, file, line)


def guarded(work: Callable[[], object]) -> int:
    """Run a whole command line and return its exit code; no error becomes a traceback."""
    before = len(_placed())
    warnings.showwarning = _warn
    _warned.clear()
    warnings.simplefilter("always", CoveyWarning)  # what must not be overlooked, whatever filters are set
    try:
        code = work()
        return code if isinstance(code, int) else 0
    except CoveyError as error:
        said = str(error)
        if done := in_place(before):  # a command may write several files
            said = said.replace("Nothing was left behind.", done)
        return complain(said, kind=type(error).__name__, code=error.exit_code)
    except KeyboardInterrupt:
        return complain(f"Stopped. {in_place(before)}".rstrip(), kind="Interrupted", code=1)
    except MemoryError:
        text = "There is not enough memory for this data. Free some memory, or use a larger machine."
        return complain(text, kind="MemoryError", code=2)
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return _usage(error)
        if os.environ.get("COVEY_TRACEBACK"):
            raise
        return complain(
            f"Something went wrong inside covey ({type(error).__name__}: {error}). This is a bug in covey. "
            "Set COVEY_TRACEBACK=1 to see where it happened, and please report it.",
            kind=type(error).__name__,
            code=2,
        )


def _usage(error: Any) -> int:
    """A wrong option or argument, told as the command line's own library tells it, or as JSON."""
    code = int(error.exit_code)
    if use_json("--json" in sys.argv):
        return complain(error.format_message(), kind="UsageError", code=code)
    error.show()
    return code
