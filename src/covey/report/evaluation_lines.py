"""What `covey evaluate` prints for each kind of release, as lines with ``rich`` markup."""

from __future__ import annotations

from collections.abc import Callable

from rich.markup import escape

from covey.counting import counted, percent, sizes
from covey.report.measure_rows import measure_rows
from covey.report.uniqueness import telling
from covey.tabular import Figures


def of_grouped(body: Figures) -> list[str]:
    """Errors of estimates, what is learned of someone who holds a sensitive item, and patterns kept."""
    lines = _measured(body, counted(body["groups"], "group"))
    whom = "person" if "persons" in body else "basket"
    heads = ("known", f"finds the {whom}", "sure of the item before", "after", "at worst after")
    lines += ["", f"Someone who knows a few items of a {whom} with a sensitive item", _row(heads, heads)]
    for row in body["exposure"]:
        if row["samples"]:
            shares = (row["find_after"], row["link_before"], row["link_after"], row["worst_after"])
            lines.append(_row((str(row["known"]), *map(_share, shares)), heads))
    who = " by someone who can tell which baskets are theirs" if whom == "person" else ""
    told = (
        f"Ordinary items are published exactly, so {whom}s are found as before{who}; by lookup alone, nobody is "
        "more than 1/p sure of the item. For other attackers see `covey attack`."
    )
    lines.append(f"  [dim]{told}[/]")
    return [*lines, *([body["approximate"]] if "approximate" in body else [])]


def of_sets(body: Figures) -> list[str]:
    """What is not published as it was, and what is lost along a taxonomy."""
    rows = body["persons"] if "persons" in body else body["transactions"]
    lines = _measured(body, sizes(sets=rows, labels=body["items"]))
    if "private_entries" in body:
        lines.append(f"  [dim]Private entries published as they were: {body['private_entries']:,}.[/]")
    if "ncp" not in body and body["recoded"] != "suppressed":
        lines.append("\nGive --taxonomy to measure the loss along it.")
    return lines


def of_chunks(body: Figures) -> list[str]:
    """What of the items is counted, and what is left of their combinations."""
    rows = body["persons"] if "persons" in body else body["transactions"]
    return _measured(body, f"{counted(rows, 'record')} in {sizes(clusters=body['clusters'], items=body['items'])}")


def of_records(body: Figures) -> list[str]:
    """What attributes and items have lost, and attributes by column."""
    size = f"{counted(body['persons'], 'person')} in {sizes(classes=body['classes'], labels=body['items'])} of items"
    return [*_measured(body, size), *_by_column(body)]


def _by_column(body: Figures) -> list[str]:
    losses = [f"  {_share(loss):>7}  {escape(name)}" for name, loss in body["ncp"].items()]
    return ["", "Information lost by column (NCP)", *losses]


def of_table(body: Figures) -> list[str]:
    """Information lost as a whole and by column, the error of counts, and how well secrets are guessed."""
    lines = _measured(body, f"{counted(body['classes'], 'class')} of equal rows")
    lines += _by_column(body)
    if body["certainty"]:
        lines += [
            "",
            "Someone who knows all quasi-identifiers of a row guesses right for this share of rows",
        ]
    for found in body["certainty"]:
        lines.append(
            f"  {_share(found['after']):>7}  {escape(found['column'])}: {_share(found['before'])} from the original, "
            f"{_share(found['blind'])} without either; certain for {_share(found['certain_after'])} instead of "
            f"{_share(found['certain_before'])}"
        )
    return lines


def of_ratings(body: Figures) -> list[str]:
    """What is published of the records and of the ratings, and whom exact ratings still single out."""
    lines = _measured(body, sizes(records=body["records"], ratings=body["ratings"]))
    told = telling(body["uniqueness"])
    if told is None:
        return lines
    heads = ("known ratings", "singled out before", "after")
    rows = zip(told.labels, map(_share, told.before), map(_share, told.after), strict=True)
    return [
        *lines,
        "",
        "Someone who knows some ordinary ratings exactly",
        *(_row(row, heads) for row in (heads, *rows)),
    ]


def _measured(body: Figures, size: str) -> list[str]:
    """What was measured, below what the release promises."""
    rows = measure_rows(body)
    width = max((len(value) for _, value in rows), default=0)
    head = f"[bold]{escape(body['guarantee'])}[/] by {escape(body['method'])}, {size}"
    return [head, *([""] if rows else []), *(f"  {value:>{width}}  {words}" for words, value in rows)]


def _row(cells: tuple[str, ...], heads: tuple[str, ...]) -> str:
    """One row of a table, its cells flush right below their heads."""
    return "  " + "  ".join(f"{cell:>{max(len(head), 7)}}" for cell, head in zip(cells, heads, strict=True))


def _share(share: float) -> str:
    return percent(share, fine=True)


def of_model(body: Figures) -> list[str]:
    """Errors of estimates, and how often they are as close as they say."""
    return _measured(body, sizes(transactions=body["transactions"], sensitive_items=body["sensitive_items"]))


#: By kind of release.
LINES: dict[str, Callable[[Figures], list[str]]] = {
    "grouped": of_grouped,
    "model": of_model,
    "sets": of_sets,
    "chunks": of_chunks,
    "records": of_records,
    "table": of_table,
    "ratings": of_ratings,
}
