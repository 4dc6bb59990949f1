"""The `covey` command."""

from __future__ import annotations

from typing import Annotated

import typer

from covey.cli import (
    anonymize,
    attack,
    check,
    compare,
    compile,
    demo,
    evaluate,
    explore,
    generate,
    inspect,
    items,
    methods,
    query,
    report,
    sample,
    serve,
    trees,
    verify,
)
from covey.cli.helping import complete
from covey.cli.session import guarded

app = typer.Typer(
    name="covey",
    help="Publish sparse data about people under a privacy promise, and prove that it is kept.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from covey import __version__

        typer.echo(f"covey {__version__}")
        raise typer.Exit


@app.callback()
def covey(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Publish sparse data about people under a privacy promise, and prove that it is kept."""


app.command()(inspect.inspect)
app.command()(items.items)
app.command()(check.check)
app.command()(anonymize.anonymize)
app.command()(verify.verify)
app.command()(query.query)
app.command()(sample.sample)
app.command()(evaluate.evaluate)
app.command()(attack.attack)
app.command()(explore.explore)
app.command()(compare.compare)
app.command()(report.report)
app.add_typer(generate.app, name="generate")
app.add_typer(trees.taxonomy, name="taxonomy")
app.add_typer(trees.hierarchy, name="hierarchy")
app.command()(methods.methods)
app.command()(serve.serve)
app.command()(compile.compile)
app.command()(demo.demo)
complete(app)


def run() -> int:
    """Run the command line and return its exit code."""
    return guarded(lambda: app(standalone_mode=False))
