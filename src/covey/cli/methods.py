"""`covey methods`: the registry."""

from __future__ import annotations

from rich.table import Table

from covey.cli.options import JSON
from covey.cli.session import emit, out
from covey.registry import METHODS, kinds_taken


def methods(as_json: JSON = False) -> None:
    """List the methods, the guarantees they keep and their options."""
    if as_json:
        emit(
            {
                "methods": [
                    {
                        "name": m.name,
                        "data": m.data,
                        "guarantees": list(m.guarantees),
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
    table = Table(box=None, pad_edge=False)
    for heading in ("method", "keeps", "data", "options", "what it does"):
        table.add_column(heading, overflow="fold")
    for m, kinds in kinds_taken():
        options = ", ".join(f"{p.name}={p.default}" for p in m.parameters() if p.name != "seed")
        table.add_row(m.name, ", ".join(m.guarantees), kinds, options, m.summary)
    out.print(table)
