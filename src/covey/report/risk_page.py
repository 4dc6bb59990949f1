"""The page of `covey inspect --html`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.report import charts, page
from covey.report.charts import percent

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
            page.tiles(
                [
                    (f"{body['transactions']:,}", "transactions"),
                    (f"{body['items']:,}", "items"),
                    (f"{body['length']['mean']:.1f}", "items per transaction, on average"),
                    (percent(body["density"]), "of the matrix is filled"),
                ]
            ),
            _risk(body["risk"]),
            _sensitive(body["sensitive"]),
            _frequent(body),
            "<footer>Made by covey. This file stands alone: it loads nothing from anywhere.</footer>",
        ],
    )


def risk_bars(risks: list[dict[str, Any]]) -> str:
    """The risk by number of known items as inline SVG."""
    shown = [risk for risk in risks if risk["eligible"]]
    return charts.bars(
        [str(risk["known"]) for risk in shown],
        [risk["risk"] for risk in shown],
        texts=[percent(risk["risk"]) for risk in shown],
        lows=[risk["low"] for risk in shown],
        highs=[risk["high"] for risk in shown],
        title="Probability of finding a person, by number of known items",
        x_label="items the attacker knows",
        tone="warn",
    )


def _risk(risks: list[dict[str, Any]]) -> str:
    shown = [risk for risk in risks if risk["eligible"]]
    if not shown:
        return ""
    last = shown[-1]
    words = (
        f"Whoever knows {last['known']} items that a person has finds that person's transaction with a "
        "probability of "
        f"{percent(last['risk'])}; in {percent(last['unique'])} of the cases only one transaction fits."
        if last["known"] > 1
        else f"Whoever knows one item of a person finds that person's transaction with a probability of "
        f"{percent(last['risk'])}."
    )
    caption = (
        "A transaction with at least so many items is drawn at random, then that many of its items; the "
        "bar is the "
        "mean of 1 / (transactions that hold them all). Whiskers: 95 % interval."
    )
    rows = [(str(r["known"]), percent(r["risk"]), percent(r["unique"]), f"{r['eligible']:,}") for r in shown]
    return page.section(
        "If it were published as it is",
        page.paragraph(words),
        page.figure(risk_bars(risks), caption),
        page.table(
            ("known items", "finds the person", "only one fits", "transactions that long"),
            rows,
            numbers=(1, 2, 3),
        ),
    )


def _sensitive(items: list[dict[str, Any]]) -> str:
    if not items:
        return ""
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
    return page.section("Most frequent items", page.table(("item", "transactions"), rows, numbers=(1,)))
