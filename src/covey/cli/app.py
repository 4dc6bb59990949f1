"""The `covey` command. The list of commands is here; the module of one is imported when it is called."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from covey import __version__
from covey.cli.session import guarded
from covey.errors import ParameterError
from covey.threads import VARIABLE

#: The commands by group, in the order of the help, with what each does.
COMMANDS = {
    "Prepare data": {
        "prepare": "Read data, clean it, name persons and sensitive items, and save it as a dataset.",
        "inspect": "Show shape and sparsity, and the risk that someone who knows a few things finds a person.",
        "items": "List items with how often they occur and which ones are marked as sensitive.",
        "check": "Check whether the data as it is keeps a guarantee, and name what breaks it.",
        "taxonomy": "Suggest, show and check taxonomies of items.",
        "hierarchy": "Suggest hierarchies for the columns of a table.",
    },
    "Publish": {
        "anonymize": "Make a release that keeps a guarantee, verify it, and write it whole or not at all.",
        "verify": "Check a release from its published files alone or against the original.",
        "report": "Write one self-contained HTML file: the guarantee, its checks, its cost, and attacks.",
    },
    "Use a release": {
        "query": "Estimate how many transactions have some items and not others.",
        "sample": "Draw complete baskets for ordinary tools.",
    },
    "Measure": {
        "evaluate": "Measure a release against its original: errors of estimates, risk, patterns kept.",
        "attack": "Attack a release in every way covey knows.",
        "explore": "Try guarantees and methods, and show what each release would keep and risk.",
    },
    "More": {
        "methods": "List the recommended method of each guarantee.",
        "serve": "Open a local web page that does the whole job.",
        "demo": "Walk the whole path on a year of real baskets.",
        "generate": "Make synthetic data.",
        "compile": "Compile all kernels now.",
    },
}

#: Options and commands that were removed, and what replaces them.
REMOVED = {
    "--contact": "Give --about contact=ADDRESS.",
    "--fold-case": "covey prepare --query 'SELECT * REPLACE (plain(COLUMN) AS COLUMN) FROM data' does it.",
    "--license": "Give --about license=NAME.",
    "--missing-person": "covey prepare --missing error, drop or keep is for persons, too.",
    "--names": "Use covey prepare --name if the data has a column with the names, or replace the codes in the file.",
    "--project": "Keep the dataset that covey prepare makes; --like repeats its choices for the next file.",
    "--quantity": "Put quantities into the names of items: covey prepare --query.",
    "--title": "Give --about title=TEXT.",
    "--where": "Filter rows by SQL: covey prepare --query 'SELECT * FROM data WHERE …'.",
    "compare": "Use `covey explore DATA… -g GUARANTEE… -m METHOD… --seeds 3 -o DIR`; it needs no TOML file.",
}


class Group(TyperGroup):
    """The commands, listed without being imported."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that `args` name; a removed one is refused with what replaces it."""
        refuse_removed(args[0])
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and load(str(name)), rest


def load(name: str) -> Any:
    """Import a command."""
    return typer.main.get_command(import_module(f"covey.cli.{name}").app)


def refuse_removed(word: str) -> None:
    """Raise `ParameterError` if an option or command was removed.

    Examples
    --------
    >>> refuse_removed("--title")
    Traceback (most recent call last):
    covey.errors.ParameterError: --title was removed. Give --about title=TEXT.
    """
    if word in REMOVED:
        raise ParameterError(f"{word} was removed. {REMOVED[word]}")


app = typer.Typer(
    name="covey",
    cls=Group,
    help="Publish sparse data about people under a privacy guarantee that is checked on the published files.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _listed() -> None:
    """Stand in the list for a command that is not imported."""


for _panel, _commands in COMMANDS.items():
    for _name, _says in _commands.items():
        app.command(_name, help=_says, rich_help_panel=_panel)(_listed)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"covey {__version__}")
        raise typer.Exit


@app.callback()
def covey(
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Most threads to work with, before the command; also {VARIABLE}. One per core when left out; "
            "releases and figures are the same for any number.",
        ),
    ] = None,
) -> None:
    """Set what holds for all commands."""
    if threads is not None:
        os.environ[VARIABLE] = str(threads)


def call(*words: str) -> Any:
    """Run one command in this process; return its exit code, or None."""
    return app(list(words), standalone_mode=False)


def run() -> int:
    """Run the command line and return its exit code."""
    return guarded(lambda: app(prog_name="covey", standalone_mode=False))
