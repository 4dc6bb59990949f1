"""`covey inspect`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from covey.cli.options import (
    DATA,
    ENGINE,
    JSON,
    MASTER,
    SENSITIVE,
    TAXONOMY,
    on_spark,
)
from covey.cli.reading import Source, reads
from covey.cli.session import Stages, emit, out, run, use_json
from covey.errors import ParameterError

QUANTILES = {"min": 0.0, "median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


@reads("baskets")
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
    """Show shape, sparsity and supports, and the risk that somebody who knows a few items finds a person."""
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
            from covey.spark.inspection import inspect as examine_on_spark

            body = run(
                lambda: examine_on_spark(
                    data,
                    sensitive=sensitive,
                    known=known,
                    samples=samples,
                    seed=seed,
                    master=master,
                    progress=stages,
                    **reading,
                )
            )
        else:
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
    baskets: Any, known: int, samples: int, seed: int, progress: Any, taxonomy: str | None = None
) -> dict[str, Any]:
    """All figures that `covey inspect` reports, as plain data."""
    from covey.metrics.reidentification import reidentification

    lengths, supports = baskets.lengths(), baskets.supports()
    tree = {} if taxonomy is None else {"taxonomy": tree_shape(baskets, taxonomy)}
    risks = []
    for r in range(1, known + 1):
        progress("measuring", (r - 1) / known)
        risks.append(reidentification(baskets, r, samples=samples, seed=seed).to_dict())
    top = np.argsort(-supports, kind="stable")[:10]
    marked = np.flatnonzero(baskets.sensitive)
    return {
        "transactions": baskets.n,
        "items": baskets.d,
        "entries": baskets.entries,
        "density": baskets.entries / max(baskets.n * baskets.d, 1),
        "empty_transactions": int((lengths == 0).sum()),
        "length": spread(lengths),
        "support": spread(supports),
        "items_seen_once": int((supports == 1).sum()),
        "most_frequent": [{"item": baskets.items[i], "support": int(supports[i])} for i in top],
        "risk": risks,
        "sensitive": [
            {
                "item": baskets.items[i],
                "support": int(supports[i]),
                "largest_p": baskets.n // int(supports[i]) if supports[i] else None,
            }
            for i in marked
        ],
        **tree,
    }


def draw_risk(data: str, body: dict[str, Any], file: Path) -> None:
    """Write the risk as a picture."""
    from covey.compare.plots import risk_figure
    from covey.compare.style import save_plot

    save_plot(risk_figure(f"Re-identification risk: {Path(data).name}", body["risk"]), file)


def write_html(data: str, body: dict[str, Any], file: Path) -> None:
    """Write all figures as one HTML file."""
    from datetime import date

    from covey.report.files import write_whole
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


def spread(values: NDArray[np.int64]) -> dict[str, float]:
    """Mean and quantiles of a distribution."""
    if not len(values):
        return {"mean": 0.0, **dict.fromkeys(QUANTILES, 0)}
    quantiles = {name: int(np.quantile(values, q, method="lower")) for name, q in QUANTILES.items()}
    return {"mean": float(values.mean()), **quantiles}


def show(data: str, body: dict[str, Any]) -> None:
    """Print the figures for a person."""
    from rich.table import Table

    out.print(data, markup=False, style="bold")
    out.print(
        f"  {body['transactions']:,} transactions, {body['items']:,} items, {body['entries']:,} entries "
        f"({body['density']:.3%} of the matrix)"
    )
    if body["empty_transactions"]:
        out.print(f"  {body['empty_transactions']:,} transactions are empty")
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("")
    for heading in ("mean", *QUANTILES):
        table.add_column(heading, justify="right")
    for title, key in (("  items per transaction", "length"), ("  transactions per item", "support")):
        row = body[key]
        table.add_row(title, f"{row['mean']:,.1f}", *(f"{row[q]:,}" for q in QUANTILES))
    out.print(table)
    frequent = ", ".join(f"{x['item']} ({x['support']:,})" for x in body["most_frequent"][:5])
    out.print(f"  most frequent: {frequent}", markup=False)
    out.print("\nWho knows this many items of a person finds that person's transaction with probability")
    for risk in body["risk"]:
        if not risk["eligible"]:
            out.print(f"  {risk['known']:>2}  nobody has that many items", style="dim")
            continue
        bar = "█" * round(40 * risk["risk"]) or "▏"
        interval = f" ± {(risk['high'] - risk['low']) / 2:.1%}" if risk["samples"] else ""
        alone = f"{risk['unique']:.1%} unique"
        out.print(f"  {risk['known']:>2}  [red]{bar:<40}[/] {risk['risk']:6.1%}{interval}  [dim]{alone}[/]")
    if "taxonomy" in body:
        show_tree(body["taxonomy"])
    if body["sensitive"]:
        worst = max(body["sensitive"], key=lambda s: s["support"])
        out.print(f"\n{len(body['sensitive'])} sensitive items; most frequent first")
        for entry in sorted(body["sensitive"], key=lambda s: -s["support"])[:10]:
            out.print(f"  {entry['support']:>8,}  {entry['item']}", markup=False)
        if worst["largest_p"]:
            out.print(f"degree(p) is feasible up to p = {worst['largest_p']}.")
