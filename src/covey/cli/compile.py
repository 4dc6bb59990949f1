"""`covey compile`: every kernel at once, so that no later command waits for its own."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from covey.cli.options import JSON
from covey.cli.session import Stages, emit, out, watched
from covey.counting import counted
from covey.errors import CoveyError
from covey.threads import threads


def compile(
    processes: Annotated[
        int | None, typer.Option(min=1, help="How many processes to use; by default one per core.")
    ] = None,
    as_json: JSON = False,
) -> None:
    """Compile all of covey's kernels now: a few minutes, once, and no command waits for them later.

    A wheel built for your platform brings them compiled already; this is for installations from source.
    """
    kernels = watched(lambda stages: _compile(processes or threads(), stages))
    if as_json:
        emit({"kernels": kernels})
    else:
        out.print(f"{counted(kernels, 'kernel')} compiled." if kernels else "All kernels were compiled already.")


def _compile(processes: int, stages: Stages) -> int:
    """Walk the commands in several processes; return how many kernels had to be compiled, by one of them or more."""
    from covey.cli.walk import journeys

    total, done = sum(map(len, journeys())), 0

    def walk(part: int) -> set[str]:
        nonlocal done
        command = [sys.executable, "-m", "covey.cli.walk", str(part), str(processes), claims]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as walking:
            assert walking.stdout is not None
            assert walking.stderr is not None
            kernels: set[str] = set()
            for line in walking.stdout:
                done += 1
                kernels.update(line.split())
                stages("compiling", done / total)
            trouble = walking.stderr.read().strip()
        if walking.returncode:
            raise CoveyError(f"Not all kernels could be compiled. Its last message was: {trouble.splitlines()[-1]}")
        return kernels

    stages("compiling", 0)
    with TemporaryDirectory() as claims, ThreadPoolExecutor(processes) as pool:
        return len(set().union(*pool.map(walk, range(processes))))
