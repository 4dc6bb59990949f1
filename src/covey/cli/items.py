"""`covey items`: what there is to be marked as sensitive, and what would be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import option
from covey.cli.session import show
from covey.counting import counted
from covey.data.kinds import data_kind
from covey.measuring import items
from covey.report.item_list import ItemList

app = new_app()


OPTIONS = {
    "match": option(
        list[str] | None,
        "Part of a name, `glob:*TEST*`, `re:REGEX`, or `under:NODE` of the taxonomy. May be repeated; items that fit "
        "any are listed.",
        metavar="TEXT",
    ),
}
TOP = {"top": (option(int, "How many to print, the most frequent first.", min=1), 50)}


@verb_command(app, items, OPTIONS, "covey items sales.csv --sensitive 'glob:*TEST*'", more=TOP)
def present(found: ItemList, given: Given) -> None:
    """List items with how often they occur and, given --sensitive, which ones would be marked."""
    body = {"data": given["data"], **asdict(found)}
    show(body, _lines(found, given["top"], marked=given["sensitive"] is not None))


def _lines(found: ItemList, top: int, *, marked: bool) -> Iterator[RenderableType]:
    """Yield how much there is, and the first of it."""
    kind = data_kind(found.kind)
    fit = "" if len(found) == found.total else f"{len(found):,} of "
    also = f"; {found.marked:,} would be marked as sensitive" if marked else ""
    each = "it" if found.total == 1 else "each"
    what = f"values of {each}" if kind.by_roles else f"{kind.rows} with {each}"
    yield f"{fit}{counted(found.total, kind.marked)}, with the number of {what}{also}"
    for one in found.items[:top]:
        yield Text.assemble(f"{one.support:>9,}  ", ("sensitive  " if one.sensitive else "", "red"), one.item)
    if len(found) > top:
        yield Text(f"{'…':>9}  and {len(found) - top:,} more; --top shows them", "dim")
