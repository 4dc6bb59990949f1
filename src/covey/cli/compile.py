"""`covey compile`: compile every kernel now, so that no later command waits for its own."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from covey.cli.command import command, new_app
from covey.cli.session import Stages, show, watched
from covey.cli.walk import enter, journeys, walk, write_data
from covey.counting import counted
from covey.threads import threads

app = new_app()


@command(app, "covey compile")
def compile(
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, help="How many processes to use; by default one per core.")
    ] = None,
) -> None:
    """Compile all of covey's kernels now: a few minutes, once, and no command waits for them later.

    `pip install .` does this by itself; this is for editable installations, and after an update of numba.
    """
    kernels = watched(lambda stages: _compile(processes or threads(), stages))
    show({"kernels": kernels}, [f"{counted(kernels, 'kernel')} compiled."])


def _compile(processes: int, stages: Stages) -> int:
    """Run all journeys in several processes; return how many kernels had to be compiled."""
    stages("compiling", 0)
    spawn, compiled = multiprocessing.get_context("spawn"), set[str]()
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(processes, spawn, initializer=enter, initargs=(folder,)) as pool,
    ):
        pool.submit(write_data).result()
        running = [pool.submit(walk, journey) for journey in journeys()]
        for done, future in enumerate(as_completed(running), 1):
            compiled.update(future.result())
            stages("compiling", done / len(running))
    return len(compiled)
