"""`covey prepare`: read files once, with all choices made, and save them as a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from covey.cli.options import JSON, KIND, PERSON, SENSITIVE, TAXONOMY, marks
from covey.cli.reading import reads
from covey.cli.session import emit, out, warn, watched
from covey.io.prepare import prepare as run
from covey.io.source import Source


@reads
def prepare(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="The data: FIMI, CSV, Parquet, Excel, JSON Lines, SQLite, DuckDB; text also as .gz and .zst. Of "
            "several, --query makes one.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DATA.covey", help="The dataset to make; by default FILE.covey."),
    ] = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    like: Annotated[
        Path | None,
        typer.Option("--like", metavar="EARLIER.covey", help="Repeat the choices that were made for this dataset."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing dataset; it is moved to DATA.covey.1.")
    ] = False,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Read data, clean it, name persons and sensitive items, and save it as a dataset that every command takes."""
    first, *also = files
    target = output or Path(f"{Path(first).name.split('.')[0]}.covey")
    source = Source.of(first, sensitive=marks(sensitive), kind=kind, person=person, also=also or None, **reading)
    given: dict[str, Any] = {"taxonomy": taxonomy, "like": like, "force": force}
    made = watched(lambda stages: run(source, target, progress=stages, **given))
    if as_json:
        emit(made.to_dict())
        return
    for line in made.lines():
        out.print(line, markup=False, soft_wrap=True)
    for text in made.warned:
        warn(text)
