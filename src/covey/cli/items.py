"""`covey items`: what there is to be marked as sensitive, and what would be."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from covey.cli.options import DATA, JSON, KIND, PERSON, SENSITIVE, TAXONOMY, marks
from covey.cli.session import emit, out, watched
from covey.counting import counted
from covey.data.kinds import data_kind
from covey.io.source import Source
from covey.report.item_list import ItemList, list_items


def items(
    data: DATA,
    match: Annotated[
        list[str] | None,
        typer.Option(
            "--match",
            help="Part of a name, `glob:*TEST*`, `re:REGEX`, or `under:NODE` of the taxonomy. May be repeated; items "
            "that fit any are listed.",
        ),
    ] = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many to print, the most frequent first.")] = 50,
    as_json: JSON = False,
) -> None:
    """List items with how often they occur and, given --sensitive, which ones would be marked."""
    source = Source.of(data, sensitive=marks(sensitive), kind=kind, person=person)
    found = watched(lambda stages: list_items(source, match, taxonomy, progress=stages))
    if as_json:
        emit({"data": data, **asdict(found)})
        return
    show(found, top, told=sensitive is not None)


def show(found: ItemList, top: int, *, told: bool) -> None:
    """Print the first of what was found, and how much there is."""
    kind = data_kind(found.kind)
    for one in found.items[:top]:
        out.print(f"{one.support:>9,}  {'[red]sensitive[/]  ' if one.sensitive else ''}", end="")
        out.print(one.item, markup=False, soft_wrap=True)
    if len(found) > top:
        out.print(f"{'…':>9}  and {len(found) - top:,} more; --top shows them", style="dim")
    fit = "" if len(found) == found.total else f"{len(found):,} of "
    marked = f"; {found.marked:,} would be marked as sensitive" if told else ""
    each = "it" if found.total == 1 else "each"
    what = f"values of {each}" if kind.by_roles else f"{kind.rows} with {each}"
    out.print(f"{fit}{counted(found.total, kind.marked)}, with the number of {what}{marked}")
