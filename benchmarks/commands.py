"""Commands run as a person runs them, each in a process of its own, with what it used."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Timer
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Used(NamedTuple):
    """What a command used: CPU seconds of all its processes, seconds that passed, and bytes that it held at most."""

    cpu: float
    wall: float
    peak: int
    finished: bool = True


def command(
    words: Sequence[str | Path],
    *,
    sources: Path = ROOT / "src",
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    within: float = 3600,
) -> Used:
    """Run a command of the covey in `sources`; it has to succeed, or to say that a promise fails."""
    return python("-m", "covey", *words, sources=sources, folder=folder, environment=environment, within=within)


def python(
    *words: str | Path,
    sources: Path = ROOT / "src",
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    within: float = 3600,
) -> Used:
    """Run Python with the covey in `sources`, for so many seconds at most."""
    told = {**os.environ, "PYTHONPATH": str(sources), **(environment or {})}
    command = [sys.executable, *map(str, words)]
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        started = subprocess.Popen(command, stdout=said, stderr=said, cwd=folder, env=told)
        late: list[bool] = []
        clock = Timer(within, lambda: (late.append(True), started.kill()))
        clock.start()
        _, status, used = os.wait4(started.pid, 0)
        clock.cancel()
        took = time.perf_counter() - start
        started.returncode = os.waitstatus_to_exitcode(status)
        if not late and started.returncode not in (0, 1):
            said.seek(0)
            raise SystemExit(f"{shlex.join(command)}: {said.read().decode()}")
    return Used(used.ru_utime + used.ru_stime, took, used.ru_maxrss * 1024, not late)
