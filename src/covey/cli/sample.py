"""`covey sample`: plain baskets drawn from a release, for ordinary tools."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape

from covey.cli.options import JSON, RELEASE
from covey.cli.session import emit, out, warn, watched
from covey.counting import counted
from covey.errors import OutputError, ParameterError
from covey.io import write
from covey.io.writing import WRITTEN
from covey.progress import Progress
from covey.release import read_release
from covey.staging import staged

#: The format with a row per item.
LONG = "csv-long"
#: How files of each format are called.
_SUFFIX = {"fimi": "dat", "csv-long": "csv", "parquet": "parquet"}

README = """# Draws from an anonymized release

Each file is one complete set of baskets that is consistent with the release.

MADE UP

Compute your figure on every file and combine the results: the mean over the files is the estimate, and the standard
deviation between them, times the square root of (1 + 1 / files), shows how much the random dealing leaves open. Do not
report a figure from a single file. Relations between what was dealt and the rest are weaker in the draws than in the
original.
"""


def sample(
    release: RELEASE,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory to create for the draws.")],
    draws: Annotated[int, typer.Option("--draws", min=1, max=10_000, help="How many draws to write.")] = 5,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(WRITTEN), help="File format of the draws.")
    ] = "parquet",
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Make the draws reproducible.")] = None,
    as_json: JSON = False,
) -> None:
    """Draw complete baskets from a release in groups or chunks; what the release hides is dealt at random.

    Any tool for baskets can read them: association rules, clustering, a notebook. Compute your figure on each draw and
    combine the results: the mean is the estimate, the spread shows how much the release leaves open.
    """
    if format not in _SUFFIX:
        raise ParameterError(f"Draws are written as {', '.join(WRITTEN)}. Got {format!r} instead.")
    if output.suffix.lstrip(".") in _SUFFIX.values():
        named = next(name for name, suffix in _SUFFIX.items() if output.suffix == f".{suffix}")
        raise ParameterError(
            f"Draws are several files, so -o names a directory for them. Write -o {output.with_suffix('').name} "
            f"--format {named} instead of -o {output.name}."
        )

    def work(progress: Progress) -> tuple[list[str], int]:
        published = read_release(release)
        made_up = published.words.drawn
        if not made_up:
            raise ParameterError(
                f"{release} is a {published.kind} release: its rows are complete, so there is nothing to "
                "draw. Read its tables with any tool or with covey.read_release."
            )
        names = [f"draw-{number + 1:0{len(str(draws))}d}.{_SUFFIX[format]}" for number in range(draws)]
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

    names, empty = watched(work)
    if as_json:
        emit({"path": str(output), "files": names, "empty_left_out": empty})
        return
    files = names[0] if draws == 1 else f"{names[0]} and so on"
    out.print(f"[bold]{escape(str(output))}[/]: {counted(draws, 'draw')}, {files}")
    out.print(
        "In each draw, chance decides what the release hides. Combine the results of several draws; see "
        "README.md there."
    )
    if empty:
        warn(_without_items(empty))


def _without_items(empty: int) -> str:
    """What a long CSV file lacks, in words."""
    return (
        f"Baskets without items have no row in csv-long, and are left out: up to {empty:,} in a draw. Add them where "
        "baskets are counted, or write --format parquet, which holds them; fimi does, too, if no item has a blank."
    )
