"""The other side of `covey.web.processes`: a process that does one task after another until nobody asks any more.

Tasks come as lines of JSON on standard input; progress, events and the outcome go as lines of JSON to what was standard
output. When the input ends, the server is gone or has no more use for the process, and it ends at once, also inside
a kernel: kernels release the interpreter's lock, so the thread that waits for input can act.
"""

from __future__ import annotations

import json
import math
import os
import queue
import resource
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, TextIO

#: Task name to function; each takes keyword arguments and ``tell``, a `Reporter`.
TASKS = {
    "preview": "covey.web.originals:preview",
    "demo": "covey.web.demos:demo",
    "profile": "covey.web.profiling:profile",
    "examine": "covey.web.profiling:examine",
    "items": "covey.web.originals:items",
    "mark": "covey.web.originals:mark",
    "listed": "covey.web.originals:listed",
    "taxonomy": "covey.web.originals:taxonomy",
    "hierarchy": "covey.web.originals:hierarchy",
    "release": "covey.web.making:release",
    "rehearse": "covey.web.demos:rehearse",
    "query": "covey.web.browsing:query",
    "groups": "covey.web.browsing:groups",
    "labels": "covey.web.browsing:labels",
}

#: What most tasks need; imported while the process waits for its first task.
WARM = (
    "numba",
    "pyarrow.parquet",
    "covey.pipeline",
    "covey.io.baskets.reading",
    "covey.io.table.reading",
    "covey.report",
)

#: Seconds between two reports of progress within a stage.
PAUSE = 0.1


class Reporter:
    """Sends lines to the server; called like a `covey.contracts.Progress`."""

    def __init__(self, channel: TextIO) -> None:
        self._channel = channel
        self._stage, self._last = "", 0.0

    def __call__(self, stage: str, done: float, /) -> None:
        """Report that `stage` has come as far as `done`; not more often than anybody could look."""
        now = time.monotonic()
        if stage == self._stage and now - self._last < PAUSE:
            return
        self._stage, self._last = stage, now
        self.send({"progress": [stage, min(max(float(done), 0.0), 1.0)]})

    def event(self, body: dict[str, Any]) -> None:
        """Report something that is already certain, before the task is done."""
        self.send({"event": body})

    def send(self, body: dict[str, Any]) -> None:
        """Send one line."""
        self._channel.write(json.dumps(plain(body), ensure_ascii=True, allow_nan=False) + "\n")
        self._channel.flush()


def plain(value: Any) -> Any:
    """The value as JSON can hold it: numpy's numbers as Python's, no NaN, infinity as text."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    if hasattr(value, "item") and hasattr(value, "dtype"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    return str(value)


def warm_up() -> None:
    """Import what most tasks need, and let Arrow start its threads while it may still have the memory for them."""
    for module in WARM:
        import_module(module)
    import pyarrow as pa
    import pyarrow.parquet as pq

    held = pa.BufferOutputStream()
    pq.write_table(pa.table({"item": ["a"]}), held)
    pq.read_table(pa.BufferReader(held.getvalue()))


def limit_memory(most: int | None) -> None:
    """Let this process use at most so many bytes of its own; more is a `MemoryError`."""
    if most is not None:
        # Not the address space: libraries reserve far more of that than they ever use.
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def perform(task: str, arguments: dict[str, Any], tell: Reporter, memory: int | None) -> dict[str, Any]:
    """Do one task and return what to tell of it; no error is left to chance."""
    from covey.errors import CoveyError

    try:
        module, _, name = TASKS[task].partition(":")
        work: Callable[..., Any] = getattr(import_module(module), name)
        return {"done": work(**arguments, tell=tell)}
    except CoveyError as error:
        kind = getattr(error, "kind", type(error).__name__)
        return {"failed": {"kind": kind, "message": str(error), "best": getattr(error, "best", None)}}
    except MemoryError:
        allowed = f" than the {memory / 2**30:.3g} GiB it may use" if memory else " than there is"
        text = f"This needs more memory{allowed}. Start the server with a larger --memory, or use less data."
        return {"failed": {"kind": "MemoryError", "message": text, "best": None}}
    except Exception as error:
        import traceback

        traceback.print_exc()
        text = (
            f"Something went wrong inside covey ({type(error).__name__}: {error}). This is a fault in covey."
        )
        return {"failed": {"kind": "Fault", "message": text, "best": None}}


def main() -> None:
    """Answer tasks until the input ends."""
    os.nice(5)  # pages and status requests go first
    memory = int(sys.argv[1]) if len(sys.argv) > 1 and int(sys.argv[1]) > 0 else None
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever a library prints must not look like an answer.
    os.dup2(2, 1)
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            waiting.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    warm_up()
    limit_memory(memory)
    tell = Reporter(channel)
    while True:
        asked = json.loads(waiting.get())
        tell.send(perform(asked["task"], asked["arguments"], tell, memory))


if __name__ == "__main__":
    main()
