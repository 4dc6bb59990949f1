"""Write docs/cli.md from the command line itself; a test fails when the two differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer.main

from covey.cli.app import app
from covey.cli.helping import EXAMPLES

TARGET = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """# Command line

Every command takes `--help`; those that report something take `--json`. Exit codes: 0 done or holds; 1 does not hold,
infeasible or stopped; 2 bad usage or unreadable input. Progress bars go to standard error, when it is a terminal.

Nothing is lost: no command writes into a release or replaces a file that it reads, even with `--force`. A file that
exists is replaced without `--force` only if it is empty, or if covey wrote it for the same purpose: an HTML page or
a plot; lists and data, which people edit, never. `covey explore -o` writes into a directory that is new or has its
own earlier results.

`covey --install-completion` makes the Tab key complete commands and options in bash, zsh, fish and PowerShell, from the
next shell on; `covey --show-completion` prints what it would install.
"""


def reference() -> str:
    """The whole page."""
    root = typer.main.get_command(app)
    return HEAD + "".join(_sections(root, ["covey"]))


def _sections(command: Any, path: list[str]) -> list[str]:
    if hasattr(command, "commands"):
        return [s for name in command.commands for s in _sections(command.commands[name], [*path, name])]
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([*path, *(a.metavar or a.name.upper() for a in arguments), "[OPTIONS]"])
    text = " ".join((command.help or "").split())
    lines = [f"\n## {' '.join(path)}\n\n", f"    {usage}\n\n", f"{text}\n"]
    examples = EXAMPLES.get(" ".join(path[1:]), ())
    lines += ["\nFor example:\n\n", *(f"    {example}\n" for example in examples)] if examples else []
    if arguments or options:
        lines += ["\n| | |\n|---|---|\n"]
    lines += [f"| `{a.metavar or a.name.upper()}` | {getattr(a, 'help', '') or ''} |\n" for a in arguments]
    lines += [_option(o) for o in options]
    return lines


def _option(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    text = option.help or ""
    if option.required:
        text += " Required."
    elif option.default not in (None, False, ()) and not callable(option.default):
        text += f" Default: `{option.default}`."
    return f"| {names} | {text.strip()} |\n"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
