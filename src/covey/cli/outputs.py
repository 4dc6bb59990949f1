"""Files that commands write: what may be replaced is asked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from covey.errors import OutputError
from covey.staging import require_free

FORCE = Annotated[
    bool,
    typer.Option("--force", help="Replace files that exist, whoever wrote them; never those that are read here."),
]


def require_outputs(
    wanted: Iterable[tuple[Path | None, tuple[bytes, ...]]],
    *,
    inputs: Iterable[Any] = (),
    force: bool = False,
) -> None:
    """Refuse to write where something would be lost; see `require_free`.

    `wanted` are files, each with the marks of earlier ones of the same kind, or None; `inputs` may name files.
    """
    read_here = list(inputs)
    before: set[str] = set()
    for file, marks in wanted:
        if file is None:
            continue
        place = os.path.realpath(file)
        if place in before:
            raise OutputError(f"{file} is the name of another file that will be written there. Choose another name.")
        before.add(place)
        require_free(file, inputs=read_here, marks=marks, force=force)
