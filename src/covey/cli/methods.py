"""`covey methods`: the registry."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from covey.cli.options import JSON
from covey.cli.session import emit, out
from covey.registry import METHODS, recommended


def methods(
    every: Annotated[bool, typer.Option("--all", help="List rivals too, and the options of every method.")] = False,
    as_json: JSON = False,
) -> None:
    """List the recommended method of each guarantee."""
    if as_json:
        chosen = [entry for entry, _ in recommended()]
        emit(
            {
                "methods": [
                    {
                        **{key: getattr(m, key) for key in ("name", "data", "release", "summary", "paper")},
                        "guarantees": list(m.guarantees),
                        "recommended": m in chosen,
                        "engines": ["local", *m.elsewhere],
                        "options": {p.name: p.default for p in m.parameters()},
                        "parameters": [
                            {"name": p.name, "default": p.default, "values": p.wanted, "says": p.says}
                            for p in m.parameters()
                        ],
                    }
                    for m in METHODS
                ]
            }
        )
        return
    table = Table("method", "for", "what it does", *(["options"] if every else []), box=None, pad_edge=False)
    rivals = [(m, f"{', '.join(m.guarantees)} of {m.data}") for m in METHODS]
    for m, use in rivals if every else recommended():
        options = [", ".join(f"{p.name}={p.default}" for p in m.parameters() if p.name != "seed")] if every else []
        table.add_row(m.name, use, m.summary, *options)
    out.print(table, "" if every else "Rivals and options: covey methods --all")
