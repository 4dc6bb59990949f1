"""The page of `covey inspect --html`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from typing import Any

from covey.counting import percent
from covey.data.kinds import DataKind, data_kind
from covey.report import charts, page
from covey.report.descriptions import DESCRIPTIONS
from covey.tabular import Figures

INTERNAL = "Internal use only: this page describes the original data."


def risk_page(name: str, body: Figures, *, date: str = "") -> str:
    """The figures of `covey inspect` as HTML.

    Parameters
    ----------
    body : mapping
        What `covey inspect --json` prints.
    date : str
        Printed at the top; empty leaves it out.
    """
    kind = data_kind(body["kind"])
    described = DESCRIPTIONS[kind.name](body)
    return page.document(
        f"{name} · covey inspect",
        [
            page.heading(name, "What is in the data, and what it gives away" + (f" · {date}" if date else "")),
            page.banner(INTERNAL),
            page.tiles(described.tiles),
            _risk(kind, body["risk"], "persons" in body),
            *(part.html() for part in (*described.shape, *described.details)),
            page.FOOTER,
        ],
    )


def _risk(kind: DataKind, risks: list[dict[str, Any]], by_person: bool) -> str:
    """What someone who knows a few things achieves, if anybody has as many."""
    row, rows_are = ("person", "persons") if by_person else (kind.row, kind.rows)
    shown = [risk for risk in risks if risk["eligible"]]
    if not shown:
        return ""
    last = shown[-1]
    known = f"one of the {kind.things}" if last["known"] == 1 else f"{last['known']} {kind.things}"
    words = (
        f"Someone who knows {known} of a {row} finds that {row} with a chance of "
        f"{percent(last['risk'])}; in {percent(last['unique'])} of the cases only one {row} fits."
    )
    caption = (
        f"A {row} with at least this many {kind.things} is drawn at random, then that many of these "
        f"{kind.things}; the bar is the mean of 1 / ({rows_are} that have them all). Whiskers: 95 % interval."
    )
    title = f"Chance of finding someone, by number of known {kind.things}"
    chart = charts.svg(charts.risk(shown, kind.things), title)
    rows = [(str(r["known"]), percent(r["risk"]), percent(r["unique"]), f"{r['eligible']:,}") for r in shown]
    return page.section(
        "If it were published as it is",
        page.paragraph(words),
        page.figure(chart, caption),
        page.table(
            (f"known {kind.things}", f"finds the {row}", "only one fits", f"{rows_are} that long"),
            rows,
            numbers=(1, 2, 3),
        ),
    )
