"""`covey inspect`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from covey.cli.options import (
    DATA,
    ENGINE,
    JSON,
    MASTER,
    SENSITIVE,
    TAXONOMY,
    on_spark,
)
from covey.cli.reading import Source, reading_of_sets, reads
from covey.cli.session import Stages, emit, out, run, use_json
from covey.errors import ParameterError


@reads("baskets", "ratings", "table")
def inspect(
    data: DATA,
    sensitive: SENSITIVE = None,
    taxonomy: TAXONOMY = None,
    known: Annotated[
        int, typer.Option("--known", min=1, max=16, help="Risk for 1 up to so many known items.")
    ] = 4,
    samples: Annotated[
        int, typer.Option("--samples", min=1, help="Cases drawn for each risk figure.")
    ] = 20_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For drawing the cases.")] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw the risk, as .png or .svg.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write everything as one HTML file.")
    ] = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Show shape, sparsity and supports, and the risk that somebody who knows a few things finds a person.

    DATA is read as baskets, unless --kind says ratings or table, or roles of columns are named.
    """
    use_json(as_json)
    if plot is not None:
        from covey.compare.style import require_format, require_matplotlib

        require_format(plot)
        require_matplotlib()
    stages = Stages()
    source = Source(
        data=data,
        sensitive=sensitive,
        progress=stages,
        **reading,
    )
    about = {"data": data}
    title = data
    with stages.shown():
        if on_spark(engine, master):
            if taxonomy is not None:
                raise ParameterError("The shape of a taxonomy is shown by the engine local only.")
            from covey.engines.spark.inspection import inspect as examine_on_spark

            body = run(
                lambda: examine_on_spark(
                    data,
                    sensitive=sensitive,
                    known=known,
                    samples=samples,
                    seed=seed,
                    master=master,
                    progress=stages,
                    **reading_of_sets(reading),
                )
            )
        else:
            source = source.for_kind("baskets")
            if source.kind == "baskets":
                recognised = run(source.recognise)
                about |= {"format": recognised.format, "recognised": recognised.describe()}
                title = f"{data} ({recognised.describe().rstrip('.')})"
            body = run(lambda: examine(source(), known, samples, seed, stages, taxonomy))
    written = [str(file) for file in (plot, html) if file is not None]
    if plot is not None:
        draw_risk(data, body, plot)
    if html is not None:
        write_html(data, body, html)
    if as_json:
        emit({**about, **body, "files": written})
        return
    show(title, body)
    for file in written:
        out.print(file, markup=False, soft_wrap=True)


def examine(
    data: Any, known: int, samples: int, seed: int, progress: Any, taxonomy: str | None = None
) -> dict[str, Any]:
    """All figures that `covey inspect` reports, as plain data."""
    from covey.report.inspection import inspect_data

    if taxonomy is not None and data.kind != "baskets":
        raise ParameterError(f"A taxonomy is about items of baskets; this data is read as {data.kind}.")
    tree = {} if taxonomy is None else {"taxonomy": tree_shape(data, taxonomy)}
    return {**inspect_data(data, known=known, samples=samples, seed=seed, progress=progress), **tree}


def draw_risk(data: str, body: dict[str, Any], file: Path) -> None:
    """Write the risk as a picture."""
    from covey.compare.plots import risk_figure
    from covey.compare.style import save_plot
    from covey.report.inspection import WORDS

    things = WORDS[body["kind"]][2]
    save_plot(risk_figure(f"Re-identification risk: {Path(data).name}", body["risk"], things), file)


def write_html(data: str, body: dict[str, Any], file: Path) -> None:
    """Write all figures as one HTML file."""
    from datetime import date

    from covey.release.writing import write_whole
    from covey.report.risk_page import risk_page

    write_whole(file, risk_page(Path(data).name, body, date=date.today().isoformat()).encode())


def tree_shape(baskets: Any, taxonomy: str) -> dict[str, Any]:
    """The shape of a taxonomy, and the items it does not have as leaves."""
    from covey.io import read_taxonomy

    tree = read_taxonomy(taxonomy)
    leaf = tree.is_leaf()
    return {
        **tree.shape(),
        "items_missing": [item for item in baskets.items if item not in tree],
        "items_not_leaves": [item for item in baskets.items if item in tree and not leaf[tree.node(item)]],
    }


def show_tree(tree: dict[str, Any]) -> None:
    """Print the shape of a taxonomy for a person."""
    levels = " → ".join(f"{count:,}" for count in tree["nodes_by_depth"])
    out.print(
        f"\ntaxonomy below {tree['root']!r}: {tree['nodes']:,} nodes, {tree['leaves']:,} leaves", markup=False
    )
    out.print(
        f"  nodes by depth {levels}; "
        f"{tree['fanout']['mean']:.1f} children on average, at most {tree['fanout']['max']:,}"
    )
    for key, what in (("items_missing", "not in it"), ("items_not_leaves", "in it, but not as leaves")):
        if tree[key]:
            shown = ", ".join(tree[key][:5]) + (" …" if len(tree[key]) > 5 else "")
            out.print(f"  {len(tree[key]):,} items are {what}: {shown}", markup=False, style="red")


def show(data: str, body: dict[str, Any]) -> None:
    """Print the figures for a person."""
    from covey.report.inspection import WORDS

    row, _, things = WORDS[body["kind"]]
    out.print(data, markup=False, style="bold")
    show_shape(body)
    out.print(f"\nWho knows this many {things} of a person finds that person's {row} with probability")
    for risk in body["risk"]:
        if not risk["eligible"]:
            out.print(f"  {risk['known']:>2}  nobody has that many {things}", style="dim")
            continue
        bar = "█" * round(40 * risk["risk"]) or "▏"
        interval = f" ± {(risk['high'] - risk['low']) / 2:.1%}" if risk["samples"] else ""
        alone = f"{risk['unique']:.1%} unique"
        out.print(f"  {risk['known']:>2}  [red]{bar:<40}[/] {risk['risk']:6.1%}{interval}  [dim]{alone}[/]")
    if "taxonomy" in body:
        show_tree(body["taxonomy"])
    if body["kind"] != "table" and body["sensitive"]:
        show_sensitive(body)


def show_shape(body: dict[str, Any]) -> None:
    """Print how large the data is and what it is made of."""
    from rich.table import Table

    from covey.report.inspection import QUANTILES, WORDS

    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("")
    if body["kind"] == "table":
        out.print(f"  {body['rows']:,} rows; {body['unique']:.1%} are unique by all quasi-identifiers")
        table.add_column("role")
        table.add_column("values", justify="right")
        for column in body["columns"]:
            table.add_row(f"  {escape(column['name'])}", column["role"], f"{column['values']:,}")
        out.print(table)
        return
    _, rows, things = WORDS[body["kind"]]
    columns = "items" if body["kind"] == "baskets" else "issues"
    entries = "entries" if body["kind"] == "baskets" else "ratings"
    scale = f" on {body['scale']}" if "scale" in body else ""
    out.print(
        f"  {body[rows]:,} {rows}, {body[columns]:,} {columns}, {body[entries]:,} {entries}{scale} "
        f"({body['density']:.3%} of the matrix)"
    )
    if body.get("empty_transactions"):
        out.print(f"  {body['empty_transactions']:,} transactions are empty")
    for heading in ("mean", *QUANTILES):
        table.add_column(heading, justify="right")
    for title, key in (
        (f"  {things} per {rows[:-1]}", "length"),
        (f"  {rows} per {columns[:-1]}", "support"),
    ):
        row = body[key]
        table.add_row(title, f"{row['mean']:,.1f}", *(f"{row[q]:,}" for q in QUANTILES))
    out.print(table)
    frequent = ", ".join(f"{x['item']} ({x['support']:,})" for x in body["most_frequent"][:5])
    out.print(f"  most frequent: {frequent}", markup=False)


def show_sensitive(body: dict[str, Any]) -> None:
    """Print the sensitive items or issues."""
    what = "item" if body["kind"] == "baskets" else "issue"
    many = "" if len(body["sensitive"]) == 1 else "s"
    out.print(f"\n{len(body['sensitive'])} sensitive {what}{many}; most frequent first")
    for entry in sorted(body["sensitive"], key=lambda s: -s["support"])[:10]:
        out.print(f"  {entry['support']:>8,}  {entry['item']}", markup=False)
    worst = max(body["sensitive"], key=lambda s: s["support"])
    if worst.get("largest_p"):
        out.print(f"degree(p) is feasible up to p = {worst['largest_p']}.")
