"""What surrounds every command: output, progress bar, errors as one paragraph, and stopping cleanly."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress, SpinnerColumn, TaskID, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from covey.errors import CoveyError, CoveyWarning, printable
from covey.staging import abandon, placed
from covey.tabular import Figures
from covey.verdict import Check

T = TypeVar("T")

#: What a stage is called while it runs, if not by its name.
STAGES = {
    "compiling": "Compiling kernels",
    "ordering": "Ordering as a band matrix",
    "grouping": "Forming groups",
    "publishing": "Shuffling",
}
#: Seconds between two lines of progress about the same stage.
PAUSE = 0.2


@dataclass(slots=True)
class Mode:
    """How much a command prints."""

    json: bool = False
    verbose: bool = False
    quiet: bool = False


mode = Mode()


class PlainConsole(Console):
    """A console on which control and direction characters of the data appear as codes, such as ``\\x1b``."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, and replace what could steer the terminal in the text of every segment."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


# A file or a pipe has no 80 columns. Without a height, rich ignores the width of a dumb terminal.
_columns = os.environ.get("COLUMNS", "")
_width = int(_columns) if _columns.isdigit() else 160
_piped = not sys.stdout.isatty()
out = PlainConsole(highlight=False, emoji=False, width=_width if _piped else None, height=50 if _piped else None)
err = PlainConsole(stderr=True, highlight=False, emoji=False)


def show(body: Figures, result: Iterable[RenderableType], details: Iterable[RenderableType] = ()) -> None:
    """Print what a command found: one JSON object, or the result and, where they are asked for, its details."""
    if mode.json:
        emit(body)
    elif not mode.quiet:
        for part in (*result, *(details if mode.verbose else ())):
            out.print(part, markup=False, soft_wrap=isinstance(part, str | Text))


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], words: Collection[str], bold: Sequence[bool] = ()
) -> Table:
    """Return a table whose columns of `words` are to the left; only headings of several words are broken."""
    made = Table(box=None, pad_edge=False, padding=(0, 1), collapse_padding=len(heads) > 8)
    for head in heads:
        made.add_column(head, justify="left" if head in words else "right", no_wrap=" " not in head)
    for row, strong in zip_longest(rows, bold):
        made.add_row(*row, style="bold" if strong else "")
    return made


def check_lines(checks: Iterable[Check]) -> Iterator[Text]:
    """Yield a line for each check, with its outcome."""
    for check in checks:
        yield Text(f"  {'✓' if check.passed else '✗'} {check.name} ({check.detail})", "" if check.passed else "red")


def unprotected_lines(columns: Iterable[str]) -> Iterator[str]:
    """Yield which columns are published as they were; engines warn of those that tell rows apart."""
    names = ", ".join(columns)
    if names:
        yield f"Published unchanged: {names}. Someone who knows such a value may find the row."


def emit(body: Figures) -> None:
    """Print one JSON object on standard output."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write(printable(text, lambda letter: json.dumps(letter)[1:-1]) + "\n")
    sys.stdout.flush()


class Stages:
    """A progress bar with a line per stage, on a terminal; with --json and no terminal, lines of JSON."""

    def __init__(self) -> None:
        columns = (SpinnerColumn(), *Progress.get_default_columns(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=err, disable=mode.quiet or not err.is_terminal)
        self._stage, self._task, self._reported = "", TaskID(-1), 0.0

    def __call__(self, stage: str, done: float, /) -> None:
        """Show that `stage` has come as far as `done`."""
        begins, now = stage != self._stage, time.monotonic()
        if _is_read_by_a_program() and (begins or now - self._reported > PAUSE):
            self._reported = now
            _write_line({"stage": stage, "done": round(min(max(float(done), 0.0), 1.0), 4)})
        if begins:
            self._complete()
            self._bar.start()
            self._stage, self._task = stage, self._bar.add_task(STAGES.get(stage, stage.capitalize()), total=None)
        if done > 0:
            self._bar.update(self._task, total=1.0, completed=min(done, 1.0))

    def _complete(self) -> None:
        if self._stage:
            self._bar.update(self._task, total=1.0, completed=1.0)

    def close(self, *, complete: bool) -> None:
        """Stop drawing the bar, with its last stage completed or as it is."""
        if complete:
            self._complete()
        self._bar.stop()
        self._bar.disable = True  # the thread may go on


def watched(work: Callable[[Stages], T], *, stopped: str | None = None) -> T:
    """Run `work` and show its stages; Ctrl-C, SIGTERM and SIGHUP stop it at once, also inside a long kernel.

    On a signal, what was half-written is removed, `stopped` is printed (by default, what is in place), and the process
    exits with 1. The work runs in a thread, because Python handles signals in the main thread and kernels release the
    GIL.
    """
    stages = Stages()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _interrupt)
    try:
        working = ThreadPoolExecutor(1).submit(work, stages)
        noticed = not err.is_terminal and not _is_read_by_a_program()
        while not working.done():
            wait([working], timeout=0.1)
            noticed = noticed or _notice_compilation()
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        stages.close(complete=False)
        abandon()
        complain(stopped or f"Stopped. {in_place() or 'Nothing was written.'}", kind="Interrupted", code=1)
        sys.stderr.flush()
        os._exit(1)  # the thread may be inside a kernel
    stages.close(complete=working.exception() is None)
    return working.result()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _notice_compilation() -> bool:
    """Print why the first run takes longer, if kernels are being compiled; return whether it was printed."""
    kernels = sys.modules.get("covey.data.jit")  # not imported: without it nothing is compiled
    if kernels is None or not kernels.compiled_kernels():
        return False
    if _is_read_by_a_program():
        _write_line({"stage": "compiling", "done": 0.0})
    else:
        text = "The first run compiles covey's kernels for this machine. This can take a minute, but only once."
        err.print(text, style="dim")
    return True


def in_place(before: int = 0) -> str:
    """Return a sentence about what this command has written, or ""; `before` was written by others."""
    done = [str(path) for path in placed()][before:]
    return f"{', '.join(done)} {'are' if len(done) > 1 else 'is'} in place." if done else ""


def complain(message: str, *, kind: str, code: int) -> int:
    """Print an error as one paragraph on standard error or, with --json, as an object on standard output."""
    if "--json" in sys.argv:  # the options may not have been understood
        emit({"error": {"type": kind, "message": message, "exit_code": code}})
    else:
        _print_paragraph(message, "bold red")
    return code


def warn(message: str, kind: str = "CoveyWarning") -> None:
    """Print something that must not be overlooked, on standard error."""
    if _is_read_by_a_program():
        _write_line({"warning": message, "type": kind})
    else:
        _print_paragraph(message, "bold yellow")


def _is_read_by_a_program() -> bool:
    """Return whether progress and warnings are written as lines of JSON."""
    return "--json" in sys.argv and not err.is_terminal


def _write_line(body: dict[str, object]) -> None:
    """Write one line of JSON on standard error; a full disk or a closed pipe does not stop the work."""
    with contextlib.suppress(OSError):
        sys.stderr.write(json.dumps(body) + "\n")
        sys.stderr.flush()


def _print_paragraph(message: str, style: str) -> None:
    err.print("covey: ", style=style, end="")
    err.print(message, markup=False, soft_wrap=True)


def guarded(work: Callable[[], object]) -> int:
    """Run a whole command line and return its exit code; errors become paragraphs, never tracebacks."""
    before = len(placed())
    with warnings.catch_warnings():
        warnings.simplefilter("always", CoveyWarning)  # whatever filters the user has set
        warnings.showwarning = _show_each_once(warnings.showwarning)
        try:
            code = work()
            return code if isinstance(code, int) else 0
        except CoveyError as error:
            message = str(error)
            if done := in_place(before):  # a command may write several files
                message = message.replace("Nothing was left behind.", done)
            return complain(message, kind=type(error).__name__, code=error.exit_code)
        except KeyboardInterrupt:
            return complain(f"Stopped. {in_place(before)}".rstrip(), kind="Interrupted", code=1)
        except Exception as error:
            if hasattr(error, "format_message") and hasattr(error, "exit_code"):
                return _complain_of_usage(error)
            if os.environ.get("COVEY_TRACEBACK"):
                raise
            text = (
                "There is not enough memory for this data. Free some memory, or use a larger machine."
                if isinstance(error, MemoryError)
                else f"Something went wrong inside covey ({type(error).__name__}: {error}). This is a bug in covey. "
                "Set COVEY_TRACEBACK=1 to see where it happened, and please report it."
            )
            return complain(text, kind=type(error).__name__, code=2)


def _show_each_once(show_other: Callable[..., None]) -> Callable[..., None]:
    """Return what prints warnings of covey as paragraphs, each text once, and others as `show_other` does."""
    shown: set[str] = set()

    def show_warning(message: Warning | str, category: type[Warning], *place: Any, **how: Any) -> None:
        if not issubclass(category, CoveyWarning):
            show_other(message, category, *place, **how)
        elif isinstance(message, CoveyWarning) and message.repeated and not message.decides:
            return
        elif str(message) not in shown:  # a file may be read twice, as for two releases
            shown.add(str(message))
            warn(str(message), category.__name__)

    return show_warning


def _complain_of_usage(error: Any) -> int:
    """Print a wrong option or argument as typer does, or as JSON."""
    if "--json" in sys.argv:
        return complain(error.format_message(), kind="UsageError", code=int(error.exit_code))
    error.show()
    return int(error.exit_code)
