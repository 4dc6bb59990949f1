"""The other side of `covey.web.server.pool`: does one task after another until nobody asks any more.

Tasks come as lines of JSON on standard input; progress, events and the outcome go as lines of JSON to what was standard
output. When the input ends, the server is gone or has no more use for the process, and it ends at once, also inside
a kernel: kernels release the interpreter's lock, so the thread that waits for input can act.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from covey.errors import CoveyError, OutputError
from covey.web.records.room import NO_ROOM, is_full
from covey.web.work.reporting import Reporter

#: Tasks by module; each is a function of that name and takes keyword arguments.
_BY_MODULE = {
    "demos": ("write_demo",),
    "items": ("search_items", "check_labels", "match_list", "fitting_labels"),
    "originals": ("preview", "check_taxonomy", "check_hierarchy"),
    "trees": ("suggest_tree", "edit_tree", "tree_node"),
    "browsing": ("query", "groups", "questions"),
    "handover": ("pack_with_csv", "report_to_share"),
}
TASKS = {task: module for module, tasks in _BY_MODULE.items() for task in tasks}

#: The same for those that take a while: they take ``report``, a `Reporter`, besides.
LONG_TASKS = {
    "profile": "profiling",
    "examine": "profiling",
    "make_release": "making",
    "compile_kernels": "demos",
}

#: What most tasks need; imported while the process waits for its first task.
PRELOADED = (
    "numba",
    "pyarrow.parquet",
    "covey.pipeline",
    "covey.io.baskets.reading",
    "covey.io.table.reading",
    "covey.report",
)


def preload() -> None:
    """Import what most tasks need, and let Arrow start its threads while it may still have the memory for them."""
    for module in PRELOADED:
        import_module(module)
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table({"item": ["a"]}), buffer)
    pq.read_table(pa.BufferReader(buffer.getvalue()))


def limit_memory(most: int | None) -> None:
    """Let this process use at most so many bytes of its own; more is a `MemoryError`."""
    if most is not None:
        # Not the address space: libraries reserve far more of that than they ever use.
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def perform(task: str, arguments: dict[str, Any], report: Reporter, memory: int | None) -> dict[str, Any]:
    """Do one task and return what to tell of it; no error is left to chance."""
    try:
        module = import_module(f"covey.web.work.{(TASKS | LONG_TASKS)[task]}")
        work: Callable[..., Any] = getattr(module, task)
        return {"done": work(**arguments, **({"report": report} if task in LONG_TASKS else {}))}
    except CoveyError as error:
        if isinstance(error, OutputError) and isinstance(error.__context__, OSError) and is_full(error.__context__):
            return _failed("Full", NO_ROOM)
        return _failed(type(error).__name__, str(error))
    except MemoryError:
        allowed = f" than the {memory / 2**30:.3g} GiB it may use" if memory else " than there is"
        text = f"This needs more memory{allowed}. Start the server with a larger --memory, or use less data."
        return _failed("MemoryError", text)
    except Exception as error:
        if isinstance(error, OSError) and is_full(error):
            return _failed("Full", NO_ROOM)
        import traceback

        traceback.print_exc()
        text = f"Something went wrong inside covey ({type(error).__name__}: {error}). This is a bug in covey."
        return _failed("Fault", text)


def _failed(kind: str, message: str) -> dict[str, Any]:
    return {"failed": {"kind": kind, "message": message}}


def main() -> None:
    """Answer tasks until the input ends."""
    os.nice(5)  # pages and status requests go first
    memory = int(sys.argv[1]) if len(sys.argv) > 1 and int(sys.argv[1]) > 0 else None
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever a library prints must not look like an answer.
    os.dup2(2, 1)
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            asked.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    preload()
    limit_memory(memory)
    report = Reporter(channel)
    while True:
        request = json.loads(asked.get())
        report.send(perform(request["task"], request["arguments"], report, memory))


if __name__ == "__main__":
    main()
