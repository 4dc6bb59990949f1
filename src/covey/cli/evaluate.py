"""`covey evaluate`: what a release is still good for, measured against its original."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from covey.cli.options import (
    ENGINE,
    JSON,
    MASTER,
    RELEASE,
    TAXONOMY,
    on_spark,
)
from covey.cli.reading import READING, Source, reads
from covey.cli.session import Stages, emit, out, run, use_json
from covey.errors import ParameterError

ORIGINAL = Annotated[str, typer.Option("--original", help="The data the release was made from.")]


@reads("baskets", "ratings", "table")
def evaluate(
    release: RELEASE,
    original: ORIGINAL,
    r: Annotated[int, typer.Option("--items", "-r", min=1, max=16, help="Published items per KL query.")] = 4,
    queries: Annotated[int, typer.Option("--queries", min=1, help="KL queries of each workload.")] = 100,
    known: Annotated[
        int, typer.Option("--known", min=1, max=16, help="Exposure for 1 up to so many known items.")
    ] = 4,
    top: Annotated[int, typer.Option("--top", min=1, help="How many frequent itemsets to look up.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For drawing queries and cases.")] = 0,
    taxonomy: TAXONOMY = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Measure a release against its original: errors of estimates, what an attacker learns, patterns kept."""
    use_json(as_json)
    from covey.metrics import evaluate as measure
    from covey.pipeline import original_of
    from covey.release import read_release
    from covey.release.manifest import read_manifest

    stages = Stages()
    source = Source(
        data=original,
        progress=stages,
        **reading,
    )

    def work() -> dict[str, Any]:
        published = read_release(release)
        tree = None
        if taxonomy is not None:
            from covey.io import read_taxonomy

            tree = read_taxonomy(taxonomy)
        return measure(
            published,
            original_of(release, read_manifest(release), source),
            seed,
            r=r,
            queries=queries,
            known=known,
            top=top,
            taxonomy=tree,
            progress=stages,
        )

    def work_on_spark() -> dict[str, Any]:
        from covey.engines.spark.evaluation import evaluate as measure_on_spark

        kept = {name: reading[name] for name in READING["baskets"] if reading[name] is not None}
        if taxonomy is not None or kept != {
            name: value for name, value in reading.items() if value is not None
        }:
            raise ParameterError(
                "Spark measures grouped releases of baskets; taxonomies, ratings and tables need the engine local."
            )
        return measure_on_spark(
            release,
            original,
            r=r,
            queries=queries,
            known=known,
            seed=seed,
            master=master,
            progress=stages,
            **kept,
        )

    with stages.shown():
        body = run(work_on_spark if on_spark(engine, master) else work)
    if as_json:
        emit({"path": str(release), **body})
    else:
        VIEWS[body["kind"]](body)


def show_sets(body: dict[str, Any]) -> None:
    """Print the figures of generalized sets for a person."""
    out.print(
        f"[bold]{body['guarantee']}[/] by {body['method']}, {body['transactions']:,} sets, {body['items']:,} labels"
    )
    if "gcp" in body:
        loss = body["gcp"]
        out.print(f"\n{loss['gcp']:.1%} of all item occurrences are not published as they were (GCP);")
        out.print(f"{loss['lost_items']:.1%} of the different items are not published at all")
    if "ncp" in body:
        out.print(f"\nInformation lost along the taxonomy (NCP): {body['ncp']:.2%}")
        kept = body["frequent"]
        out.print(f"{kept['surviving']:,} of {kept['frequent']:,} frequent generalized itemsets survive")
    elif "gcp" not in body or body["method"] == "lg":
        out.print("\nGive --taxonomy to measure the loss along it.")


def show_ratings(body: dict[str, Any]) -> None:
    """Print the figures of released ratings for a person."""
    out.print(f"[bold]{body['guarantee']}[/] by {body['method']}")
    out.print(
        f"\n{body['records_kept']:.1%} of the records and {body['ratings_kept']:.1%} of the ratings are published"
    )


def show_table(body: dict[str, Any]) -> None:
    """Print the figures of a released table for a person."""
    out.print(f"[bold]{body['guarantee']}[/] by {body['method']}, {body['classes']:,} classes of equal rows")
    out.print(f"\nInformation lost (GCP): {body['gcp']:.1%}, by column")
    for name, loss in body["ncp"].items():
        out.print(f"  {loss:6.1%}  {name}", markup=False)
    error = body["query_error"]
    out.print(
        f"\nCounts over two columns are off by {error['median']:.1%} (median of {error['queries']:,} queries)"
    )
    if body["certainty"]:
        out.print("\nWho knows all quasi-identifiers of a person guesses right for so many rows")
    for found in body["certainty"]:
        out.print(
            f"  {found['after']:6.1%}  {found['column']}: {found['before']:.1%} from the original, "
            f"{found['blind']:.1%} without either; certain for {found['certain_after']:.1%} "
            f"instead of {found['certain_before']:.1%}",
            markup=False,
        )


def show(body: dict[str, Any]) -> None:
    """Print the figures for a person."""
    from rich.table import Table

    out.print(f"[bold]{body['guarantee']}[/] by {body['method']}, {body['groups']:,} groups")
    out.print("\nError of estimated distributions (KL divergence, 0 is exact)")
    for workload, words in (("uniform", "items drawn uniformly"), ("support", "items drawn by support")):
        figure = body["kl"][workload]
        out.print(
            f"  {figure['mean']:8.4f} ± {figure['standard_error']:.4f}  "
            f"[dim]{figure['queries']:,} queries over {figure['r']} items, {words}[/]"
        )
    out.print("\nWho knows a few items of somebody who holds a sensitive item")
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for heading in ("  known", "finds the basket", "sure of the item before", "after", "at worst after"):
        table.add_column(heading, justify="right")
    for row in body["exposure"]:
        if row["samples"]:
            cells = (row["find_after"], row["link_before"], row["link_after"], row["worst_after"])
            table.add_row(str(row["known"]), *(f"{cell:.1%}" for cell in cells))
    out.print(table)
    out.print(
        "  [dim]Ordinary items are published exactly, so baskets are found as before; the item is not.[/]"
    )
    kept = body.get("patterns")  # not measured on Spark
    if kept and kept["patterns"]:
        out.print(
            f"\n{kept['kept']} of the {kept['patterns']} most frequent itemsets with a sensitive item keep their "
            f"support within {kept['tolerance']:.0%} (mean error {kept['mean_relative_error']:.0%})"
        )


#: How each kind of release is shown.
VIEWS = {"generalized": show_sets, "grouped": show, "ratings": show_ratings, "table": show_table}
