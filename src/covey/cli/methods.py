"""`covey methods`: the registry."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from covey.cli.command import command, new_app
from covey.cli.session import show
from covey.guarantees import GUARANTEES
from covey.guarantees.words import card
from covey.registry import METHODS, recommended
from covey.tabular import Figures

app = new_app()
#: Which guarantee is for what, as the page and the docs have it.
CARDS = [
    "Which guarantee do I need?",
    *(
        f"`{name}`: {one.title}. Covers someone who knows {one.knows}. Stays usable: {one.usable}."
        for name, one in ((name, card(guarantee)) for name, guarantee in GUARANTEES.items())
    ),
    "A person with several rows is protected as one only if `--person` names the column of persons.",
]


@command(app, "covey methods", also=CARDS)
def methods(
    every: Annotated[bool, typer.Option("--all", help="List rivals too, and the options of every method.")] = False,
) -> None:
    """List the recommended method of each guarantee."""
    table = Table("method", "for", "what it does", *(["options"] if every else []), box=None, pad_edge=False)
    rivals = [(method, f"{', '.join(method.guarantees)} of {method.data}") for method in METHODS]
    for method, use in rivals if every else recommended():
        options = [", ".join(f"{p.name}={p.default}" for p in method.parameters() if p.name != "seed")] if every else []
        table.add_row(method.name, use, method.summary, *options)
    show(_listed(), [table, "" if every else "Rivals and options: covey methods --all"])


def _listed() -> Figures:
    """Return every method with its options, as plain data."""
    chosen = [entry for entry, _ in recommended()]
    return {
        "methods": [
            {
                **{key: getattr(method, key) for key in ("name", "data", "release", "summary", "paper")},
                "guarantees": list(method.guarantees),
                "recommended": method in chosen,
                "engines": ["local", *method.elsewhere],
                "options": {p.name: p.default for p in method.parameters()},
                "parameters": [
                    {"name": p.name, "default": p.default, "values": p.wanted, "says": p.says}
                    for p in method.parameters()
                ],
            }
            for method in METHODS
        ]
    }
