"""The `covey` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from covey.cli.helping import complete
from covey.cli.session import guarded
from covey.lazy import load
from covey.threads import VARIABLE

#: Where each command is, in the order of the help. Only what is asked for is imported.
COMMANDS = {
    "inspect": "covey.cli.inspect:inspect",
    "items": "covey.cli.items:items",
    "check": "covey.cli.check:check",
    "anonymize": "covey.cli.anonymize:anonymize",
    "verify": "covey.cli.verify:verify",
    "query": "covey.cli.query:query",
    "sample": "covey.cli.sample:sample",
    "evaluate": "covey.cli.evaluate:evaluate",
    "attack": "covey.cli.attack:attack",
    "explore": "covey.cli.explore:explore",
    "compare": "covey.cli.compare:compare",
    "report": "covey.cli.report:report",
    "generate": "covey.cli.generate:app",
    "taxonomy": "covey.cli.trees:taxonomy",
    "hierarchy": "covey.cli.trees:hierarchy",
    "methods": "covey.cli.methods:methods",
    "serve": "covey.cli.serve:serve",
    "compile": "covey.cli.compile:compile",
    "demo": "covey.cli.demo:demo",
}


def _version(wanted: bool) -> None:
    if wanted:
        from covey import __version__

        typer.echo(f"covey {__version__}")
        raise typer.Exit


def covey(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            help=f"Most threads to work with, before the command; also {VARIABLE}. One per core when left out; "
            "releases and figures are the same for any number.",
        ),
    ] = None,
) -> None:
    """Publish sparse data about people under a privacy promise, and prove that it is kept."""
    if threads is not None:
        os.environ[VARIABLE] = str(threads)


def with_commands(names: Iterable[str]) -> typer.Typer:
    """The command line with some of the commands."""
    app = typer.Typer(
        name="covey",
        help="Publish sparse data about people under a privacy promise, and prove that it is kept.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(covey)
    for name in names:
        command: Any = load(COMMANDS[name])
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    complete(app)
    return app


def __getattr__(name: str) -> typer.Typer:
    if name == "app":  # all of it, for those who describe it
        return with_commands(COMMANDS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def run() -> int:
    """Run the command line and return its exit code."""
    asked = sys.argv[1:2]
    wanted = asked if asked and asked[0] in COMMANDS else COMMANDS
    return guarded(lambda: with_commands(wanted)(standalone_mode=False))
