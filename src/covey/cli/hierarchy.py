"""`covey hierarchy`: a hierarchy for a column, proposed from its values and written as editable CSV."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from covey.cli.command import command, new_app
from covey.cli.options import DATA, FORCE, require_files
from covey.cli.session import show, watched
from covey.data.hierarchy_suggestion import suggest_hierarchy
from covey.io.source import Source
from covey.io.trees import write_hierarchy

app = new_app("Suggest hierarchies for the columns of a table.")


@app.callback()
def hierarchy() -> None:
    """Suggest hierarchies for the columns of a table."""


@command(app, "covey hierarchy suggest people.csv --column age -o age.csv")
def suggest(
    data: DATA,
    column: Annotated[str, typer.Option(metavar="COLUMN", help="The column to generalize.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write; you can edit it.")],
    by: Annotated[
        Literal["numbers", "dates", "prefixes", "masks"] | None,
        typer.Option(help="What to group values by; by default, what fits."),
    ] = None,
    intervals: Annotated[int, typer.Option(min=2, help="How many ranges of numbers at the lowest level.")] = 16,
    force: FORCE = False,
) -> None:
    """Propose a hierarchy of one column: ranges of numbers, dates, beginnings of codes, or masks."""
    require_files([(output, ())], inputs=[data], force=force)
    source = Source.of(data)
    if not source.in_memory:  # as names, so that codes keep their zeros and dates the way they are written
        source = Source.of(data, kind="table", quasi=column, categorical=column)
    read = watched(lambda stages: source.as_kind("table").read(progress=stages))
    found = getattr(read, "attributes", read).column(column)
    counts = np.bincount(found.codes, minlength=len(found.values))
    tree = suggest_hierarchy(found.values, counts, by, column=column, intervals=intervals)
    write_hierarchy(tree, output, force=force)
    levels = defaultdict[int, list[str]](list)
    for node in range(tree.leaves, len(tree.labels)):
        depth, above = 0, int(tree.parent[node])
        while above >= 0:
            depth, above = depth + 1, int(tree.parent[above])
        levels[depth].append(tree.labels[node])
    ordered = [levels[depth] for depth in sorted(levels)]
    lines = [f"{len(level):>7,}  {', '.join(level[:8])}{' …' if len(level) > 8 else ''}" for level in ordered]
    lines += [
        f"{tree.leaves:>7,}  values of {column}",
        f"{output}: look at it, edit it, and use it with --hierarchy {column}={output}",
    ]
    show({"hierarchy": str(output), "values": tree.leaves, "levels": ordered}, lines)
