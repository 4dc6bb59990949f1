"""`covey methods`: the registry."""

from __future__ import annotations

from covey.cli.options import JSON
from covey.cli.session import emit, out, use_json


def methods(as_json: JSON = False) -> None:
    """List the methods, the guarantees they keep and their options."""
    use_json(as_json)
    from covey.registry import METHODS

    if as_json:
        emit(
            {
                "methods": [
                    {
                        "name": m.name,
                        "data": m.data,
                        "guarantees": list(m.guarantees),
                        "release": m.release,
                        "options": m.options(),
                        "summary": m.summary,
                        "paper": m.paper,
                    }
                    for m in METHODS
                ]
            }
        )
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("method", "keeps", "data", "options", "what it does"):
        table.add_column(heading, overflow="fold")
    for m in METHODS:
        options = ", ".join(f"{name}={default}" for name, default in m.options().items() if name != "seed")
        table.add_row(m.name, ", ".join(m.guarantees), m.data, options, m.summary)
    out.print(table)
