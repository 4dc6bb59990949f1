"""`covey sample`: plain baskets drawn from a release, for ordinary tools."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Annotated, Literal

import numpy as np
import typer
from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import command, new_app
from covey.cli.options import RELEASE
from covey.cli.session import mode, show, warn, watched
from covey.counting import counted
from covey.errors import OutputError, ParameterError
from covey.io import write
from covey.progress import Progress
from covey.release import read_release
from covey.staging import staged

app = new_app()
#: How files of each format are called; the long one has a row per item.
SUFFIX = {"fimi": "dat", "csv-long": "csv", "parquet": "parquet"}
LONG = "csv-long"

README = """# Draws from a release of covey

Each file is one complete set of baskets that is consistent with the release.

MADE UP

Compute your figure on every file and combine the results: the mean over the files is the estimate, and the standard
deviation between them, times the square root of (1 + 1 / files), shows how much the random dealing leaves open. Do not
report a figure from a single file. Relations between what was dealt and the rest are weaker in the draws than in the
original.
"""


@command(app, "covey sample release -o draws --draws 5")
def sample(
    release: RELEASE,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory to create for the draws.")],
    draws: Annotated[int, typer.Option(min=1, max=10_000, help="How many draws to write.")] = 5,
    format: Annotated[
        Literal["fimi", "csv-long", "parquet"], typer.Option(help="File format of the draws.")
    ] = "parquet",
    seed: Annotated[int | None, typer.Option(min=0, help="Make the draws reproducible.")] = None,
) -> None:
    """Draw complete baskets from a release in groups or chunks; what the release hides is dealt at random.

    Any tool for baskets can read them: association rules, clustering, a notebook. Compute your figure on each draw and
    combine the results: the mean is the estimate, the spread shows how much the release leaves open.
    """
    for name, suffix in SUFFIX.items():
        if output.suffix == f".{suffix}":
            raise ParameterError(
                f"Draws are several files, so -o names a directory for them. Write -o {output.with_suffix('').name} "
                f"--format {name} instead of -o {output.name}."
            )
    names, empty = watched(lambda stages: _draw(release, output, draws, format, seed, stages))
    result: list[RenderableType] = [
        Text(f"{output}: {counted(draws, 'draw')}", "bold"),
        "In each draw, chance decides what the release hides. Combine the results of several draws; see README.md "
        "there.",
    ]
    show({"path": str(output), "files": names, "empty_left_out": empty}, result)
    if empty and not mode.json:
        warn(_without_items(empty))


def _draw(
    release: Path, output: Path, draws: int, format: str, seed: int | None, progress: Progress
) -> tuple[list[str], int]:
    """Write the draws; return the names of their files, and how many baskets a file lacks at most."""
    published = read_release(release)
    made_up = published.words.drawn
    if not made_up:
        raise ParameterError(
            f"{release} is a {published.kind} release: its rows are complete, so there is nothing to "
            "draw. Read its tables with any tool or with covey.read_release."
        )
    names = [f"draw-{number + 1:0{len(str(draws))}d}.{SUFFIX[format]}" for number in range(draws)]
    empty = 0
    with staged(output, force=False) as stage:
        for number, name in enumerate(names):
            progress("drawing", number / draws)
            drawn = published.draw(None if seed is None else seed + number)
            if format == LONG:  # a row of such a file is an item, and ordinary tools need no baskets without any
                filled = np.flatnonzero(drawn.lengths())
                empty, drawn = max(empty, drawn.n - len(filled)), drawn.take(filled)
            try:
                write(drawn, stage / name, format=format)
            except OutputError as error:  # told of the place that the user knows
                raise OutputError(str(error).replace(str(stage), str(output))) from None
        text = README.replace("MADE UP", "\n".join(wrap(made_up, 120)))
        text += "\n".join(["", *wrap(_without_items(empty), 120), ""]) if empty else ""
        (stage / "README.md").write_text(text, encoding="utf-8")
    return names, empty


def _without_items(empty: int) -> str:
    """Return what a long CSV file lacks, in words."""
    return (
        f"Baskets without items have no row in csv-long, and are left out: up to {empty:,} in a draw. Add them where "
        "baskets are counted, or write --format parquet, which holds them; fimi does, too, if no item has a blank."
    )
