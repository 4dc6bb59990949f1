"""`covey anonymize`: from a file to a verified release."""

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
    SEED,
    SENSITIVE,
    TAXONOMY,
    on_spark,
    parse_settings,
)
from covey.cli.reading import READING, Source, reads
from covey.cli.session import Stages, emit, out, run, use_json
from covey.cli.verify import show_verdict


@reads("baskets", "ratings", "table")
def anonymize(
    data: DATA,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="Directory to write the release to.")
    ],
    guarantee: Annotated[
        str, typer.Option("--guarantee", "-g", help="What to promise, such as 'degree(p=10)'.")
    ],
    method: Annotated[
        str | None, typer.Option("--method", "-m", help="Which method; `covey methods` lists them.")
    ] = None,
    sensitive: SENSITIVE = None,
    taxonomy: TAXONOMY = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the method, such as alpha=5; may be repeated."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV instead of Parquet.")] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace an existing release; it stays until the new one is in place."),
    ] = False,
    seed: SEED = None,
    engine: ENGINE = "local",
    master: MASTER = None,
    as_json: JSON = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Make a release that keeps a guarantee, verify it, and write it whole or not at all."""
    use_json(as_json)
    from covey.errors import ParameterError
    from covey.guarantees import guarantee as parse
    from covey.pipeline import data_kind, publish

    stages = Stages()
    source = Source(
        data=data,
        sensitive=sensitive,
        progress=stages,
        **reading,
    ).for_kind(data_kind(method, guarantee))
    promise = parse(guarantee)
    if sensitive is not None and source.kind == "baskets" and getattr(promise, "ignores_sensitive", False):
        raise ParameterError(
            f"{promise.name} treats all items alike: those named with --sensitive would be published like any "
            "other. Leave the option out, or promise degree or coherence, which protect them."
        )
    options = parse_settings(settings) | ({} if taxonomy is None else {"taxonomy": taxonomy})

    def work() -> Any:
        if not on_spark(engine, master):
            return publish(
                source, output, guarantee, method, csv=csv, force=force, seed=seed, progress=stages, **options
            )
        from covey.engines.spark import anonymize as distribute

        if csv or source.kind != "baskets":
            what = "CSV" if csv else f"data of the kind {source.kind}"
            raise ParameterError(f"The engine spark writes sets as Parquet; {what} is for the engine local.")
        return distribute(
            data, guarantee, method, out=output, sensitive=sensitive, seed=seed, force=force, master=master,
            progress=stages, **{name: reading[name] for name in READING["baskets"]}, **options,
        )  # fmt: skip

    with stages.shown():
        published = run(work)
    if as_json:
        emit(published.to_dict())
        return
    counts = published.manifest.counts
    figures = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    out.print(f"[bold]{escape(str(output))}[/]: {figures}, by {published.manifest.method}")
    show_verdict(published.verdict)
    if "ratings_kept" in published.verdict.figures:
        out.print(
            f"{published.verdict.figures['ratings_kept']:.1%} of the published records' ratings were kept."
        )
    out.print(f"fingerprint {published.manifest.fingerprint}")
