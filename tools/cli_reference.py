"""Write docs/cli.md from the command line itself; a test fails when the two differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covey.cli.app import COMMANDS, load
from covey.cli.command import OUTPUT

TARGET = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """# Command line

Every command takes `--help`, `-v/--verbose`, `-q/--quiet` and `--json`. Exit codes: 0 done or holds; 1 does not hold,
infeasible or stopped; 2 bad usage or unreadable input. Progress goes to standard error.

No command writes into a release or replaces a file that it reads, even with `--force`. A file that exists is replaced
without `--force` only if it is empty, or if covey wrote it for the same purpose: an HTML page or a plot; lists and
data, which people edit, never. `covey --install-completion` makes the Tab key complete commands and options.

## Options of several commands

| | |
|---|---|
"""
SHARED = 3  # commands that have an option in the same words: it is described once


def reference() -> str:
    """Return the whole page."""
    commands = dict(one for group in COMMANDS.values() for n in group for one in _commands(load(n), ["covey", n]))
    uses = Counter(_row(option) for command in commands.values() for option in _options(command))
    shared = {row for row, count in uses.items() if count >= SHARED}
    return HEAD + "".join(sorted(shared)) + "".join(_section(path, one, shared) for path, one in commands.items())


def _commands(command: Any, path: list[str]) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name, one in command.commands.items():
        yield from _commands(one, [*path, name])


def _section(path: str, command: Any, shared: set[str]) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([path, *(a.metavar or a.name.upper() for a in arguments), "[OPTIONS]"])
    text = " ".join((command.help or "").split())
    lines = [f"\n## {path}\n\n", f"    {usage}\n\n", f"{text}\n"]
    examples = re.findall("`(covey [^`]*)`", command.epilog.split("Which guarantee")[0])
    lines += ["\nFor example:\n\n", *(f"    {example}\n" for example in examples)]
    rows = [f"| `{a.metavar or a.name.upper()}` | {getattr(a, 'help', '') or ''} |\n" for a in arguments]
    rows += [row for option in _options(command) if (row := _row(option)) not in shared]
    lines += ["\n| | |\n|---|---|\n", *rows] if rows else []
    also = [f"`{option.opts[0]}`" for option in _options(command) if _row(option) in shared]
    lines += [f"\nAlso {', '.join(also)}.\n"] if also else []
    return "".join(lines)


def _options(command: Any) -> list[Any]:
    options = [p for p in command.params if p.param_type_name == "option"]
    return [p for p in options if p.name not in OUTPUT]


def _row(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    text = option.help or ""
    if option.required:
        text += " Required."
    elif option.default not in (None, False, ()) and not callable(option.default):
        text += f" Default: `{option.default}`."
    return f"| {names} | {text.strip()} |\n"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
