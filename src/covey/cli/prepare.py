"""`covey prepare`: read files once, with all choices made, and save them as a dataset."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from covey.cli.options import JSON, KIND, PERSON, SENSITIVE, TAXONOMY, marks
from covey.cli.reading import reads
from covey.cli.session import emit, out, warn, watched
from covey.errors import ParameterError
from covey.io.prepare import prepare as run
from covey.io.proposing import Proposal, propose
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
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Read a raw export as covey proposes.")] = False,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Read data, clean it, name persons and sensitive items, and save it as a dataset that every command takes."""
    first, *also = files
    target = output or Path(f"{Path(first).name.split('.')[0]}.covey")
    source = Source.of(first, sensitive=marks(sensitive), kind=kind, person=person, also=also or None, **reading)
    given: dict[str, Any] = {"taxonomy": taxonomy, "like": like, "force": force}
    if like is None and kind is None and person is None and not also and not set(source.options) - _ABOUT:
        found = watched(lambda _: propose(first, source.options))
        if found is not None:
            source = _proposed(source, found, target, sensitive or [], yes=yes, as_json=as_json)
            given["rows"] = found.rows
    made = watched(lambda stages: run(source, target, progress=stages, **given))
    if as_json:
        emit(made.to_dict())
        return
    for line in made.lines():
        out.print(line, markup=False, soft_wrap=True)
    for text in made.warned:
        warn(text)


#: Options that say what a file is, and not what is in it.
_ABOUT = {"format", "sheet", "separator", "encoding"}


def _proposed(
    source: Source, found: Proposal, target: Path, sensitive: list[str], *, yes: bool, as_json: bool
) -> Source:
    """Return the source with the options that are proposed, or print them and stop."""
    options = {**source.options, **found.options}
    words = ["covey", "prepare", str(source.data)]
    words += [word for name, value in options.items() for word in (f"--{name}", str(value))]
    words += [word for text in sensitive for word in ("--sensitive", text)]
    if found.persons:
        words += ["--person", "COLUMN"]
    command = shlex.join([*words, "-o", str(target)])
    doubt = f"These columns all seem to name persons: {', '.join(found.persons)}. " if found.persons else ""
    if yes and not doubt:
        return Source.of(source.data, sensitive=source.sensitive, kind="baskets", **options)
    if yes or as_json:
        raise ParameterError(f"{doubt or 'This looks like a raw export. '}Type: {command}")
    out.print("This looks like a raw export. Proposed:", style="bold")
    for reason in found.reasons:
        out.print(f"  {reason}", markup=False, soft_wrap=True)
    if doubt:
        warn(f"{doubt}A wrong one voids the guarantee: choose the one that names who is to be protected.")
    out.print(f"\n{command}", markup=False, soft_wrap=True)
    out.print("Nothing was written. " + ("" if doubt else "--yes does this."))
    raise typer.Exit(2)
