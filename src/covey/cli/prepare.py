"""`covey prepare`: read files once, with all choices made, and save them as a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from covey.cli.options import JSON, SENSITIVE, TAXONOMY, marks
from covey.cli.reading import reads
from covey.cli.session import emit, out, warn, watched
from covey.counting import counted
from covey.data.kinds import data_kind
from covey.io.prepare import Prepared
from covey.io.prepare import prepare as run
from covey.io.source import Source

#: How many sensitive items, and groups of spellings, are printed.
_MOST = 40


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
    source = Source.of(first, sensitive=marks(sensitive), also=also or None, **reading)
    given: dict[str, Any] = {"taxonomy": taxonomy, "like": like, "force": force}
    made = watched(lambda stages: run(source, target, progress=stages, **given))
    if as_json:
        emit(made.to_dict())
    else:
        show(made)


def show(made: Prepared) -> None:
    """Print what was read, and what its owner should check."""
    kind = data_kind(made.kind)
    sizes = ", ".join(f"{number:,} {kind.sizes[name]}" for name, number in made.sizes.items())
    out.print(f"{made.path}: {made.kind}, {sizes}", markup=False, style="bold", soft_wrap=True)
    if made.recognised:
        _line(made.recognised)
    used = {name: value if isinstance(value, str) else ", ".join(value) for name, value in made.used.items() if value}
    if used:
        _line(f"Columns: {'; '.join(f'{name} {value}' for name, value in used.items())}.")
    if made.left_out:
        _line(f"Columns left out: {', '.join(made.left_out)}.")
    for text in made.dropped:
        _line(text)
    _line(f"Sensitive: {counted(len(made.sensitive), kind.marked)}{':' if made.sensitive else '.'}")
    for label, support in list(made.sensitive.items())[:_MOST]:
        _line(f"{support:>9,}  {label}")
    if len(made.sensitive) > _MOST:
        _line(f"{'…':>9}  and {len(made.sensitive) - _MOST:,} more; --json lists them")
    if made.alike:
        _line("These look alike and count as different: "
              + "; ".join(", ".join(map(repr, labels)) for labels in made.alike[:_MOST]) + ".")  # fmt: skip
    for text in made.warned:
        warn(text)


def _line(text: str) -> None:
    out.print(text, markup=False, soft_wrap=True)
