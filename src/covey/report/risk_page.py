"""The page of `covey inspect --html`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.report import charts, page
from covey.report.charts import percent
from covey.report.inspection import WORDS

INSIDE = "This page describes the original data. Keep it inside."


def risk_page(name: str, body: Mapping[str, Any], *, date: str = "") -> str:
    """The figures of `covey inspect` as HTML.

    Parameters
    ----------
    name : str
        What the data is called.
    body : mapping
        What `covey inspect --json` prints.
    date : str
        Printed at the top; empty leaves it out.
    """
    return page.document(
        f"{name} · covey inspect",
        [
            page.heading(
                name, "What is in the data, and what it gives away" + (f" · {date}" if date else "")
            ),
            f'<div class="banner">{INSIDE}</div>',
            page.tiles(_shape(body)),
            _risk(body),
            *([_columns(body)] if body["kind"] == "table" else [_sensitive(body), _frequent(body)]),
            "<footer>Made by covey. This file stands alone: it loads nothing from anywhere.</footer>",
        ],
    )


def _shape(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    if body["kind"] == "table":
        return [
            (f"{body['rows']:,}", "rows"),
            (f"{len(body['columns']):,}", "columns"),
            (percent(body["unique"]), "of the rows are unique by all quasi-identifiers"),
        ]
    _, rows, things = WORDS[body["kind"]]
    columns = "items" if body["kind"] == "baskets" else "issues"
    return [
        (f"{body[rows]:,}", rows),
        (f"{body[columns]:,}", columns),
        (f"{body['length']['mean']:.1f}", f"{things} per {rows[:-1]}, on average"),
        (percent(body["density"]), "of the matrix is filled"),
    ]


def risk_bars(risks: list[dict[str, Any]], things: str = "items") -> str:
    """The risk by number of known things as inline SVG."""
    shown = [risk for risk in risks if risk["eligible"]]
    return charts.bars(
        [str(risk["known"]) for risk in shown],
        [risk["risk"] for risk in shown],
        texts=[percent(risk["risk"]) for risk in shown],
        lows=[risk["low"] for risk in shown],
        highs=[risk["high"] for risk in shown],
        title=f"Probability of finding a person, by number of known {things}",
        x_label=f"{things} the attacker knows",
        tone="warn",
    )


def _risk(body: Mapping[str, Any]) -> str:
    row, rows_word, things = WORDS[body["kind"]]
    shown = [risk for risk in body["risk"] if risk["eligible"]]
    if not shown:
        return ""
    last = shown[-1]
    words = (
        f"Whoever knows {last['known']} {things} of a person finds that person's {row} with a probability of "
        f"{percent(last['risk'])}; in {percent(last['unique'])} of the cases only one {row} fits."
        if last["known"] > 1
        else f"Whoever knows one of the {things} of a person finds that person's {row} with a probability of "
        f"{percent(last['risk'])}."
    )
    caption = (
        f"A {row} with at least so many {things} is drawn at random, then that many of its {things}; the bar is "
        f"the mean of 1 / ({rows_word} that hold them all). Whiskers: 95 % interval."
    )
    rows = [(str(r["known"]), percent(r["risk"]), percent(r["unique"]), f"{r['eligible']:,}") for r in shown]
    return page.section(
        "If it were published as it is",
        page.paragraph(words),
        page.figure(risk_bars(shown, things), caption),
        page.table(
            (f"known {things}", "finds the person", "only one fits", f"{rows_word} that long"),
            rows,
            numbers=(1, 2, 3),
        ),
    )


def _columns(body: Mapping[str, Any]) -> str:
    rows = [(column["name"], column["role"], f"{column['values']:,}") for column in body["columns"]]
    return page.section("Columns", page.table(("column", "role", "different values"), rows, numbers=(2,)))


def _sensitive(body: Mapping[str, Any]) -> str:
    items = body["sensitive"]
    if not items:
        return ""
    if body["kind"] == "ratings":
        counts = [(item["item"], f"{item['support']:,}") for item in items]
        return page.section("Sensitive issues", page.table(("issue", "respondents"), counts, numbers=(1,)))
    ordered = sorted(items, key=lambda item: -item["support"])
    rows = [
        (item["item"], f"{item['support']:,}", "" if not item["largest_p"] else f"{item['largest_p']:,}")
        for item in ordered[:20]
    ]
    more = f"The {len(rows)} most frequent of {len(items)}." if len(items) > len(rows) else ""
    return page.section(
        "Sensitive items",
        page.paragraph("A release can promise degree(p) up to the smallest of the last column."),
        page.table(("item", "transactions", "largest p"), rows, numbers=(1, 2)),
        page.paragraph(more, style="dim small") if more else "",
    )


def _frequent(body: Mapping[str, Any]) -> str:
    rows = [(item["item"], f"{item['support']:,}") for item in body["most_frequent"]]
    what = "item" if body["kind"] == "baskets" else "issue"
    return page.section(
        f"Most frequent {what}s", page.table((what, WORDS[body["kind"]][1]), rows, numbers=(1,))
    )
