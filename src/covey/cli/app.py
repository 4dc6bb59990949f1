"""The `covey` command."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from covey import __version__
from covey.cli.helping import complete
from covey.cli.session import guarded
from covey.threads import VARIABLE

#: The commands in the order of the help.
_NAMES = ["prepare", "inspect", "items", "check", "anonymize", "verify", "query", "sample", "evaluate", "attack"]
_NAMES += ["explore", "report", "generate", "taxonomy", "hierarchy", "methods", "serve", "compile", "demo"]
#: Where each is: most in a module of its own. Only what is asked for is imported.
COMMANDS = {name: (f"covey.cli.{name}", name) for name in _NAMES} | {
    "generate": ("covey.cli.generate", "app"),
    "taxonomy": ("covey.cli.trees", "taxonomy"),
    "hierarchy": ("covey.cli.trees", "hierarchy"),
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"covey {__version__}")
        raise typer.Exit


def covey(
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Show the version.")
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


def with_commands(names: Iterable[str], *, listed: bool = False) -> typer.Typer:
    """The command line with some of the commands; if they shall only be `listed`, with stand-ins for them."""
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
        module, attribute = COMMANDS[name]
        command: Any = stand_in(module, attribute) if listed else None
        command = command or getattr(import_module(module), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    complete(app, listed=listed)
    return app


def stand_in(module: str, name: str) -> Any:
    """A command that does nothing and has the help of the one in a `module`, or None if its source does not tell.

    To list the commands, none of them has to be imported.
    """
    spec = find_spec(module)
    read: Any = getattr(spec.loader, "get_source", None) if spec else None
    source = read(module) if read else None

    def nothing() -> None:
        pass

    for node in ast.parse(source or "").body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            nothing.__doc__ = ast.get_docstring(node)
            return nothing
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            words = {word.arg: word.value for word in getattr(node.value, "keywords", ())}
            said = words.get("help")
            if isinstance(said, ast.Constant) and isinstance(said.value, str):
                group = typer.Typer(help=said.value)
                group.command()(nothing)
                return group
    return None


def __getattr__(name: str) -> typer.Typer:
    if name == "app":  # all of it, for those who describe it
        return with_commands(COMMANDS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def run() -> int:
    """Run the command line and return its exit code."""
    asked = sys.argv[1:2]
    wanted = asked if asked and asked[0] in COMMANDS else COMMANDS
    listed = sys.argv[1:] in ([], ["-h"], ["--help"])
    return guarded(lambda: with_commands(wanted, listed=listed)(standalone_mode=False))
