"""`covey sample`: plain baskets drawn from a release, for ordinary tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from covey.cli.options import JSON, RELEASE
from covey.cli.session import emit, out, use_json, watched
from covey.errors import OutputError, ParameterError
from covey.io import write
from covey.io.baskets.writing import WRITTEN
from covey.progress import Progress
from covey.release import read_release
from covey.release.staging import staged

#: How files of each format are called.
_SUFFIX = {"fimi": "dat", "csv-long": "csv", "parquet": "parquet"}

README = """# Draws from an anonymized release

Each file is one complete set of baskets that the release allows. The ordinary items are as published. The sensitive
ones were dealt at random, within each group, to as many baskets as the release counts: **who has them is made up**.

Compute what you want on every file, and combine: the mean over the files is the estimate, and the standard deviation
between them, times the square root of (1 + 1 / files), says how much the dealing leaves open. Do not report a figure
from a single file. Relations between a sensitive item and others are weaker in the draws than in the original.
"""


def sample(
    release: RELEASE,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory to make for the draws.")],
    draws: Annotated[int, typer.Option("--draws", min=1, max=10_000, help="How many to write.")] = 5,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(WRITTEN), help="What to write them as.")
    ] = "parquet",
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Make the draws reproducible.")] = None,
    as_json: JSON = False,
) -> None:
    """Draw complete baskets from a release, in which sensitive items are dealt at random within the promise.

    Any tool for baskets can read them: association rules, clustering, a notebook. Compute on each draw, and combine:
    the mean is the estimate, the spread says how much the release leaves open.
    """
    use_json(as_json)
    if format not in _SUFFIX:
        raise ParameterError(f"Draws are written as {', '.join(WRITTEN)}. Got {format!r} instead.")

    def work(progress: Progress) -> list[str]:
        published = read_release(release)
        if not hasattr(published, "draw"):
            raise ParameterError(
                f"{release} is a {published.kind} release: its rows are complete as they are, so there is nothing to "
                "draw. Read its tables with any tool or with covey.read_release."
            )
        names = [f"draw-{number + 1:0{len(str(draws))}d}.{_SUFFIX[format]}" for number in range(draws)]
        with staged(output, force=False) as stage:
            for number, name in enumerate(names):
                progress("drawing", number / draws)
                drawn = published.draw(None if seed is None else seed + number)
                try:
                    write(drawn, stage / name, format=format)
                except OutputError as error:  # told of the place that the user knows
                    raise OutputError(str(error).replace(str(stage), str(output))) from None
            (stage / "README.md").write_text(README, encoding="utf-8")
        return names

    names = watched(work)
    if as_json:
        emit({"path": str(output), "files": names})
        return
    out.print(f"[bold]{escape(str(output))}[/]: {draws:,} {'draw' if draws == 1 else 'draws'}, {names[0]} and so on")
    out.print("Who has a sensitive item is made up in each of them. Combine what you compute; see README.md there.")
