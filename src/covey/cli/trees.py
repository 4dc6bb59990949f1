"""`covey taxonomy` and `covey hierarchy`: trees proposed from data, looked at, checked, and written as editable CSV."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from covey.cli.options import DATA, JSON
from covey.cli.outputs import FORCE, require_outputs
from covey.cli.session import emit, out, warn, watched
from covey.data import Baskets, Taxonomy
from covey.data.hierarchy_suggestion import GROUNDS as COLUMN_GROUNDS
from covey.data.hierarchy_suggestion import suggest_hierarchy
from covey.errors import Infeasible
from covey.io.source import Source
from covey.io.suggested_trees import GROUNDS, suggest_taxonomy
from covey.io.trees import read_taxonomy, write_hierarchy, write_taxonomy
from covey.measure.inspection import tree_shape
from covey.report.taxonomy_view import TaxonomyCost, cost_of, tree_lines

taxonomy = typer.Typer(no_args_is_help=True, help="Suggest, show and check taxonomies of items.")
hierarchy = typer.Typer(no_args_is_help=True, help="Suggest hierarchies for the columns of a table.")

OUTPUT = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write; you can edit it.")]
DEPTH = Annotated[int, typer.Option("--depth", min=1, help="How many levels to print.")]
FILE = Annotated[str, typer.Argument(metavar="FILE", help="A taxonomy, in any format that covey reads.")]
AGAINST = Annotated[str | None, typer.Argument(metavar="DATA", help="Baskets whose items it should have.")]
FOR = Annotated[str | None, typer.Option("--data", help="Baskets: adds how often items occur.")]


@taxonomy.command("suggest")
def suggest(
    data: DATA,
    output: OUTPUT,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="|".join(GROUNDS), help="What to group items by; by default, what most items have."
        ),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            "--categories",
            help="Columns with an item's category, narrowest first, as a comma-separated list; may be repeated.",
        ),
    ] = None,
    fanout: Annotated[int, typer.Option("--fanout", min=2, help="Children per node, for names and together.")] = 4,
    cost: Annotated[bool, typer.Option(help="Also compute what it would cost.")] = True,
    depth: DEPTH = 2,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Propose a taxonomy from names, codes, items bought together or categories, and write it for you to edit."""
    require_outputs([(output, ())], inputs=[data, categories], force=force)
    source = Source.of(data).as_kind()
    baskets = watched(lambda stages: source.read(progress=stages))
    given = source if by == "categories" or categories else baskets
    named = ",".join(categories) if categories else None
    tree = watched(lambda s: suggest_taxonomy(given, by, categories=named, fanout=fanout, progress=s))
    write_taxonomy(tree, output, force=force)
    told = _cost(tree, baskets) if cost else None
    if as_json:
        emit({"taxonomy": str(output), **tree.shape(), **({} if told is None else {"cost": asdict(told)})})
        return
    for line in tree_lines(tree, baskets, depth=depth):
        out.print(line, markup=False, soft_wrap=True)
    if told is not None:
        out.print(str(told))
    out.print(f"{output}: look at it, edit it, and use it with --taxonomy", markup=False, soft_wrap=True)


@taxonomy.command("show")
def show(
    file: FILE,
    data: FOR = None,
    depth: DEPTH = 3,
    most: Annotated[int, typer.Option("--most", min=1, help="How many children of a node to print.")] = 8,
    as_json: JSON = False,
) -> None:
    """Print the tree of a taxonomy; with --data, with how often items occur below each node."""
    tree = read_taxonomy(file)
    baskets = None if data is None else watched(lambda s: Source.of(data).as_kind().read(progress=s))
    if as_json:
        emit({"taxonomy": file, **tree.shape()})
        return
    for line in tree_lines(tree, baskets, depth=depth, most=most):
        out.print(line, markup=False, soft_wrap=True)


@taxonomy.command("check")
def check(file: FILE, data: AGAINST = None, as_json: JSON = False) -> None:
    """Check that a taxonomy is a tree and, given DATA, that all its items are leaves; then say what it would cost.

    Exit code 0 when it fits, 1 when it lacks items or has some above others.
    """
    tree = read_taxonomy(file)
    if data is None:
        if as_json:
            emit({"taxonomy": file, **tree.shape()})
        else:
            out.print(f"{file}: {tree!r}", markup=False, soft_wrap=True)
        return
    baskets = watched(lambda stages: Source.of(data).as_kind().read(progress=stages))
    shape = tree_shape(baskets.items, tree)
    missing, inner = shape["items_missing"], shape["items_not_leaves"]
    fits = not missing and not inner
    told = _cost(tree, baskets) if fits else None
    if as_json:
        emit({"taxonomy": file, "fits": fits, **shape, **({} if told is None else {"cost": asdict(told)})})
        raise typer.Exit(0 if fits else 1)
    out.print(f"{file}: {tree!r}", markup=False, soft_wrap=True)
    for problem, items in (("not in it", missing), ("above others", inner)):
        if items:
            named = ", ".join(repr(item) for item in items[:10]) + (" …" if len(items) > 10 else "")
            out.print(f"{len(items):,} of {baskets.d:,} items {problem}: {named}", markup=False, style="red")
    if told is not None:
        out.print(f"All {baskets.d:,} items are leaves. {told}")
    raise typer.Exit(0 if fits else 1)


@hierarchy.command("suggest")
def suggest_column(
    data: DATA,
    column: Annotated[str, typer.Option("--column", help="The column to generalize.")],
    output: OUTPUT,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="|".join(COLUMN_GROUNDS), help="What to group values by; by default, what fits."),
    ] = None,
    intervals: Annotated[
        int, typer.Option("--intervals", min=2, help="How many ranges of numbers at the lowest level.")
    ] = 16,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Propose a hierarchy of one column: ranges of numbers, dates, beginnings of codes, or masks."""
    require_outputs([(output, ())], inputs=[data], force=force)
    source = Source.of(data)
    if not source.in_memory:  # as names, so that codes keep their zeros and dates the way they are written
        source = Source.of(data, kind="table", quasi=column, categorical=column)
    read = watched(lambda stages: source.as_kind("table").read(progress=stages))
    found = getattr(read, "attributes", read).column(column)
    counts = np.bincount(found.codes, minlength=len(found.values))
    tree = suggest_hierarchy(found.values, counts, by, column=column, intervals=intervals)
    write_hierarchy(tree, output, force=force)
    levels: dict[int, list[str]] = {}
    for node in range(tree.leaves, len(tree.labels)):
        above, at = 0, node
        while tree.parent[at] >= 0:
            at, above = int(tree.parent[at]), above + 1
        levels.setdefault(above, []).append(tree.labels[node])
    if as_json:
        emit({"hierarchy": str(output), "values": tree.leaves, "levels": [levels[level] for level in sorted(levels)]})
        return
    for level in sorted(levels):
        shown = ", ".join(levels[level][:8]) + (" …" if len(levels[level]) > 8 else "")
        out.print(f"{len(levels[level]):>7,}  {shown}", markup=False, soft_wrap=True)
    out.print(f"{tree.leaves:>7,}  values of {column}", markup=False)
    out.print(
        f"{output}: look at it, edit it, and use it with --hierarchy {column}={output}", markup=False, soft_wrap=True
    )


def _cost(tree: Taxonomy, baskets: Baskets) -> TaxonomyCost | None:
    """What the taxonomy would cost; None, with the reason told, for data that is too small to say so."""
    try:
        return watched(lambda stages: cost_of(tree, baskets, progress=stages))
    except Infeasible as error:
        warn(f"What it would cost was not measured: {error}")
        return None
