"""`covey taxonomy`: taxonomies proposed from data, looked at, checked, and written as editable CSV."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import command, new_app
from covey.cli.options import DATA, FORCE, require_files
from covey.cli.session import show, warn, watched
from covey.data import Baskets, Taxonomy
from covey.errors import Infeasible
from covey.io.source import Source
from covey.io.suggested_trees import suggest_taxonomy
from covey.io.trees import read_taxonomy, write_taxonomy
from covey.measure.inspection import tree_shape
from covey.report.taxonomy_view import TaxonomyCost, cost_of, tree_lines

app = new_app("Suggest, show and check taxonomies of items.")

DEPTH = Annotated[int, typer.Option("--depth", min=1, help="How many levels to print.")]
FILE = Annotated[str, typer.Argument(metavar="FILE", help="A taxonomy, in any format that covey reads.")]


@command(app, "covey taxonomy suggest sales.csv -o sales.taxonomy.csv")
def suggest(
    data: DATA,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write; you can edit it.")],
    by: Annotated[
        Literal["names", "codes", "together", "categories"] | None,
        typer.Option(help="What to group items by; by default, what most items have."),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns with an item's category, narrowest first, as a comma-separated list; may be repeated.",
        ),
    ] = None,
    fanout: Annotated[int, typer.Option(min=2, help="Children per node, for names and together.")] = 4,
    cost: Annotated[bool, typer.Option("--cost/--no-cost", help="Also compute what it would cost.")] = True,
    depth: DEPTH = 2,
    force: FORCE = False,
) -> None:
    """Propose a taxonomy from names, codes, items bought together or categories, and write it for you to edit."""
    require_files([(output, ())], inputs=[data, categories], force=force)
    source = Source.of(data).as_kind()
    baskets = _read(data)
    given = source if by == "categories" or categories else baskets
    named = ",".join(categories) if categories else None
    tree = watched(lambda s: suggest_taxonomy(given, by, categories=named, fanout=fanout, progress=s))
    write_taxonomy(tree, output, force=force)
    price = _cost(tree, baskets) if cost else {}
    use = f"{output}: look at it, edit it, and use it with --taxonomy"
    lines = [*tree_lines(tree, _supports(baskets), depth=depth), *map(str, price.values()), use]
    show({"taxonomy": str(output), **tree.shape(), **_plain(price)}, lines)


@command(app, "covey taxonomy show sales.taxonomy.csv --data sales.csv", name="show")
def show_tree(
    file: FILE,
    data: Annotated[str | None, typer.Option(metavar="DATA", help="Baskets: adds how often items occur.")] = None,
    depth: DEPTH = 3,
    most: Annotated[int, typer.Option(min=1, help="How many children of a node to print.")] = 8,
) -> None:
    """Print the tree of a taxonomy; with --data, with how often items occur below each node."""
    tree = read_taxonomy(file)
    supports = None if data is None else _supports(_read(data))
    show({"taxonomy": file, **tree.shape()}, tree_lines(tree, supports, depth=depth, most=most))


@command(app, "covey taxonomy check sales.taxonomy.csv sales.csv")
def check(
    file: FILE,
    data: Annotated[str | None, typer.Argument(metavar="[DATA]", help="Baskets whose items it should have.")] = None,
) -> None:
    """Check that a taxonomy is a tree and, given DATA, that all its items are leaves; then say what it would cost.

    Exit code 0 when it fits, 1 when it lacks items or has some above others.
    """
    tree = read_taxonomy(file)
    lines: list[RenderableType] = [f"{file}: {tree!r}"]
    if data is None:
        show({"taxonomy": file, **tree.shape()}, lines)
        return
    baskets = _read(data)
    shape = tree_shape(baskets.items, tree)
    wrong = [("not in it", shape["items_missing"]), ("above others", shape["items_not_leaves"])]
    for problem, items in wrong:
        if items:
            named = ", ".join(map(repr, items[:10])) + (" …" if len(items) > 10 else "")
            lines.append(Text(f"{len(items):,} of {baskets.d:,} items {problem}: {named}", "red"))
    fits = not any(items for _, items in wrong)
    price = _cost(tree, baskets) if fits else {}
    lines += [f"All {baskets.d:,} items are leaves. {one}" for one in price.values()]
    show({"taxonomy": file, "fits": fits, **shape, **_plain(price)}, lines)
    raise typer.Exit(0 if fits else 1)


def _read(data: str) -> Baskets:
    baskets: Baskets = watched(lambda stages: Source.of(data).as_kind().read(progress=stages))
    return baskets


def _supports(baskets: Baskets) -> dict[str, int]:
    """Return how often each item occurs."""
    return dict(zip(baskets.items, baskets.supports().tolist(), strict=True))


def _cost(tree: Taxonomy, baskets: Baskets) -> dict[str, TaxonomyCost]:
    """Return what the taxonomy would cost; nothing, with a warning, for data that is too small to measure it."""
    try:
        return {"cost": watched(lambda stages: cost_of(tree, baskets, progress=stages))}
    except Infeasible as error:
        warn(f"What it would cost was not measured: {error}")
        return {}


def _plain(price: dict[str, TaxonomyCost]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in price.items()}
