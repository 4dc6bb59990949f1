"""The report of a release: promise, proof, cost, attacks and use, on one page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from typing import Any

from covey.errors import ParameterError
from covey.registry import find
from covey.report import charts, page
from covey.report.charts import percent
from covey.report.findings import Findings
from covey.report.queries import query_section
from covey.report.words import Promise, promise_of

COUNTS = {
    "transactions": "transactions, all of the original",
    "rows": "rows, all of the original",
    "groups": "groups",
    "items": "published items",
    "entries": "published entries",
    "sensitive_items": "sensitive items",
    "sensitive_entries": "sensitive entries, as counts only",
    "empty": "rows published empty",
}

INSIDE = (
    "This page was made with the original at hand. It holds figures that the release does not give away: "
    "keep "
    "it inside, and share the one made from the release alone."
)


def release_page(found: Findings, *, date: str = "") -> str:
    """The whole report as HTML.

    Parameters
    ----------
    found : Findings
        What to report.
    date : str
        Printed at the top; empty leaves it out.
    """
    promise = promise_of(found.verdict.guarantee)
    about = f"{found.manifest.guarantee} by {found.manifest.method}"
    return page.document(
        f"{found.name} · covey report",
        [
            page.heading(found.name, f"Release report · {about}" + (f" · {date}" if date else "")),
            f'<div class="banner">{escape(INSIDE)}</div>' if found.with_original else "",
            _verdict(found, promise),
            _tiles(found),
            _promise(promise),
            _proof(found),
            _sizes(found),
            _risk(found, promise),
            _utility(found),
            _attacks(found),
            _pictures(found),
            query_section(found),
            _details(found),
            "<footer>Made by covey. This file stands alone: it loads nothing from anywhere.</footer>",
        ],
    )


def _verdict(found: Findings, promise: Promise) -> str:
    if found.verdict.holds:
        checked = "from the published files alone" + (
            " and against the original" if found.with_original else ""
        )
        return (
            '<div class="verdict"><div class="mark">✓</div><div>'
            f"<strong>Verified: {escape(found.verdict.guarantee)} holds.</strong>"
            f"<p>{escape(promise.short)}</p>{_caveat(found)}"
            f'<p class="dim small">Checked {checked}, by code that shares nothing with the method.</p>'
            "</div></div>"
        )
    failed = found.verdict.failures()[0]
    return (
        '<div class="verdict bad"><div class="mark">✗</div><div>'
        "<strong>This release must not be trusted.</strong>"
        f"<p>{escape(failed.name)}: {escape(failed.detail)}</p></div></div>"
    )


def _caveat(found: Findings) -> str:
    """What must stand beside the promise where an attack does better than its arithmetic."""
    beaten = [attack for attack in found.attacks if attack["beats_claim"]]
    if not beaten:
        return ""
    worst = max(beaten, key=lambda attack: float(attack["success_rate"]))
    return page.paragraph(
        f"But the best attack tried, {worst['attack']}, names the right person in "
        f"{percent(worst['success_rate'])} of its guesses, by using what the promise leaves out: see "
        "what an attacker achieves."
    )


def _tiles(found: Findings) -> str:
    counts = found.manifest.counts
    return page.tiles((f"{counts[name]:,}", text) for name, text in COUNTS.items() if name in counts)


def _promise(promise: Promise) -> str:
    if not promise.meaning:
        return ""
    return page.section(
        "What is promised",
        *(page.paragraph(text) for text in promise.meaning),
        "<h3>What is not promised</h3>",
        page.points(promise.limits),
    )


def _proof(found: Findings) -> str:
    rows = "".join(
        f'<tr><td class="{"ok" if check.passed else "no"}">{"✓" if check.passed else "✗"}</td>'
        f'<td>{escape(check.name)}<br><span class="dim small">{escape(check.detail)}</span></td></tr>'
        for check in found.verdict.checks
    )
    hint = (
        ""
        if found.with_original
        else page.paragraph(
            "Whether the release is faithful to the original can be checked only by whoever has it: "
            "covey verify … --original DATA.",
            style="dim small",
        )
    )
    return page.section("What was checked", f"<table><tbody>{rows}</tbody></table>", hint)


def _sizes(found: Findings) -> str:
    if not found.sizes:
        return ""
    total = sum(count for _, count in found.sizes)
    chart = charts.bars(
        [label for label, _ in found.sizes],
        [float(count) for _, count in found.sizes],
        texts=[f"{count:,}" for _, count in found.sizes],
        title="Groups by size",
        x_label="transactions in a group",
    )
    caption = f"{total:,} groups by the number of transactions in them."
    words = (
        ""
        if found.shares is None
        else (
            "Of all sensitive entries, the holder is on average one of a group in which "
            f"{percent(found.shares[0])} "
            f"hold the item; in no group is that share above {percent(found.shares[1])}."
        )
    )
    return page.section("How people are grouped", page.figure(chart, caption), page.paragraph(words))


def _risk(found: Findings, promise: Promise) -> str:
    before = [risk for risk in found.risk_before if risk["eligible"]]
    if not before:
        return ""
    parts = [
        page.paragraph(
            "Suppose the original itself were published, without names. Somebody who knows a few items "
            "that a person "
            "has, from a conversation or a receipt, would find that person's row, and with it everything "
            "else in it, with this probability:"
        ),
        page.figure(_risk_bars(before, promise, tone="warn", line=not found.risk_after), _drawn(before)),
    ]
    after = [risk for risk in found.risk_after if risk["eligible"]]
    if after:
        parts += [
            page.paragraph("In the release the same attacker is left with:"),
            page.figure(_risk_bars(after, promise, tone="good", line=True), _drawn(after)),
        ]
    elif found.shares is not None:
        ceiling = promise.ceiling if promise.ceiling is not None else found.shares[1]
        parts.append(
            page.paragraph(
                "In the release the row can still be found, because ordinary items are published as they "
                "are. But it no longer carries sensitive items: the row leads to a group, of whose members "
                f"on average {percent(found.shares[0])} hold a sensitive item of the group and never more "
                f"than {percent(ceiling)} (the dashed line), however many items are known."
            )
        )
    return page.section("Risk, before and after", *parts)


def _risk_bars(risks: list[dict[str, Any]], promise: Promise, *, tone: str, line: bool) -> str:
    reference = None
    if line and promise.ceiling is not None:
        reference = (promise.ceiling, f"allowed: {percent(promise.ceiling)}")
    return charts.bars(
        [str(risk["known"]) for risk in risks],
        [risk["risk"] for risk in risks],
        texts=[percent(risk["risk"]) for risk in risks],
        lows=[risk["low"] for risk in risks],
        highs=[risk["high"] for risk in risks],
        title="Probability of finding a person, by number of known items",
        x_label="items the attacker knows",
        line=reference,
        tone=tone,
    )


def _drawn(risks: list[dict[str, Any]]) -> str:
    samples = max(risk["samples"] for risk in risks)
    return (
        "A row with at least so many items is drawn at random, then that many of its items; the bar is the "
        "mean of "
        f"1 / (rows that have them all). Exact for one item, {samples:,} draws for more; whiskers: 95 % "
        "interval."
    )


def _utility(found: Findings) -> str:
    if not found.with_original or not (found.questions or found.utility):
        return ""
    parts = []
    if found.questions:
        rows = [
            (
                f"{q.sensitive} and {q.present}",
                f"{q.estimate:,.1f} ± {q.standard_error:,.1f}",
                f"{q.truth:,}",
            )
            for q in found.questions
        ]
        parts += [
            page.paragraph(
                "Questions about ordinary items alone have exact answers. For those that involve a "
                "sensitive item the "
                "release gives an estimate. Some examples, each sensitive item with what it most often "
                "goes with:"
            ),
            page.table(("how many hold both", "from the release", "truth"), rows, numbers=(1, 2)),
            page.paragraph(
                "The ± is the spread when all members of a group are equally likely holders. Where two items "
                "really go together, as in these examples, estimates fall short by more: within a group the "
                "tie is cut. That is the price of the promise, and it grows with it.",
                style="dim small",
            ),
        ]
    if found.utility:
        parts += ["<h3>Measures</h3>", _measures(found.utility)]
    return page.section("What it is still good for", *parts)


def _measures(utility: Mapping[str, Any]) -> str:
    rows = [(name, value) for name, value in flatten(utility)]
    return page.table(("measure", "value"), rows, numbers=(1,))


def flatten(figures: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested figures as (name, text) pairs; a mean takes its standard error along."""
    rows: list[tuple[str, str]] = []
    for name, value in figures.items():
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping) and "mean" in value:
            error = value.get("standard_error")
            rows.append((label, f"{value['mean']:.4g}" + (f" ± {error:.2g}" if error else "")))
        elif isinstance(value, Mapping):
            rows += flatten(value, f"{label}, ")
        elif isinstance(value, bool) or value is None:
            continue
        elif isinstance(value, int | float):
            rows.append((label, f"{value:,}" if isinstance(value, int) else f"{value:.4g}"))
    return rows


def _attacks(found: Findings) -> str:
    if not found.attacks:
        return ""
    rows = [
        (
            attack["attack"],
            attack["success_rate"],
            attack["low"],
            attack["high"],
            ((attack["chance"], "chance"), (attack["claim"], "claim")),
        )
        for attack in found.attacks
    ]
    told = "".join(
        f"<h3>{escape(str(attack['attack']))}</h3>{page.paragraph(attack['explanation'])}"
        for attack in found.attacks
    )
    beaten = [str(attack["attack"]) for attack in found.attacks if attack["beats_claim"]]
    verdict = (
        f"{' and '.join(beaten)} guess right more often than the promise's arithmetic assumes, because they "
        "use "
        "what the promise leaves out (see: what is not promised). Weigh this before the release leaves."
        if beaten
        else "None of them guesses right more often than promised."
    )
    caption = (
        "How often a guess at the holder of a sensitive item is right, with its 95 % interval; beside it "
        "what blind "
        "guessing within the group gives (chance) and what the promise allows (claim)."
    )
    return page.section(
        "What an attacker achieves",
        page.paragraph(
            "Attacks were run against the published files; the original only told whether a guess was right."
        ),
        page.figure(charts.spans(rows, title="Success rates of the attacks"), caption),
        page.paragraph(verdict),
        told,
    )


def _pictures(found: Findings) -> str:
    if not found.pictures:
        return ""
    images = "".join(
        f'<figure><img alt="{escape(title, quote=True)}" src="data:image/png;base64,'
        f'{base64.b64encode(picture).decode()}"><figcaption>{escape(title.capitalize())}</figcaption></figure>'
        for title, picture in found.pictures
    )
    return page.section(
        "The shape of what is published",
        page.paragraph(
            "Rows are transactions, columns are items; a dot is darker the more of its cell is filled. "
            "Sorting rows "
            "so that neighbours share items shows the patterns that are still there for analysis. Both "
            "pictures are "
            "drawn from published items only."
        ),
        f'<div class="pair">{images}</div>',
    )


def _details(found: Findings) -> str:
    manifest = found.manifest
    options = ", ".join(f"{name} = {value}" for name, value in manifest.options.items()) or "none"
    rows = [("guarantee", manifest.guarantee), ("method", manifest.method), ("options", options)]
    with suppress(ParameterError):  # a method that this installation does not know
        rows.append(("paper", find(manifest.method).paper))
    rows.append(("covey", manifest.covey))
    hashes = "".join(
        f'<tr><td>{escape(name)}</td><td class="hash">{escape(digest)}</td></tr>'
        for name, digest in [*sorted(manifest.files.items()), ("fingerprint", manifest.fingerprint)]
    )
    return page.section(
        "Details",
        page.table(("", ""), rows),
        "<h3>Files and their SHA-256</h3>",
        f"<table><tbody>{hashes}</tbody></table>",
        page.paragraph(
            "The fingerprint stands for the whole release. Note it down apart from the files; covey verify "
            "--fingerprint compares it.",
            style="dim small",
        ),
    )
