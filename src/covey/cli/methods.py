"""`covey methods`: the registry."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from covey.cli.options import JSON
from covey.cli.session import emit, out
from covey.registry import METHODS, kinds_taken, recommended


def methods(
    every: Annotated[bool, typer.Option("--all", help="List rivals too, and the options of every method.")] = False,
    as_json: JSON = False,
) -> None:
    """List the recommended method of each guarantee."""
    if as_json:
        chosen = {(entry.name, entry.data) for entry, _ in recommended()}
        emit(
            {
                "methods": [
                    {
                        "name": m.name,
                        "data": m.data,
                        "guarantees": list(m.guarantees),
                        "recommended": (m.name, m.data) in chosen,
                        "release": m.release,
                        "engines": ["local", *m.elsewhere],
                        "options": {p.name: p.default for p in m.parameters()},
                        "parameters": [
                            {"name": p.name, "default": p.default, "values": p.wanted, "says": p.says}
                            for p in m.parameters()
                        ],
                        "summary": m.summary,
                        "paper": m.paper,
                    }
                    for m in METHODS
                ]
            }
        )
        return
    headings = ("method", "keeps", "data", "options", "what it does") if every else ("guarantee", "method", "why")
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for m, kinds in kinds_taken() if every else ():
        options = ", ".join(f"{p.name}={p.default}" for p in m.parameters() if p.name != "seed")
        table.add_row(m.name, ", ".join(m.guarantees), kinds, options, m.summary)
    for m, use in () if every else recommended():
        table.add_row(use, m.name, m.summary)
    out.print(table)
    if not every:
        out.print("Rivals and options: covey methods --all")
