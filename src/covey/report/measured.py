"""The sections of a report that need the original: risk before and after, utility, attacks."""

from __future__ import annotations

from html import escape
from typing import Any

from covey.report import charts, page
from covey.report.charts import percent
from covey.report.findings import Findings
from covey.report.measure_rows import measure_rows
from covey.report.table_sections import loss_by_column, rows_found, values_guessed
from covey.report.words import Promise


def risk_section(found: Findings, promise: Promise) -> str:
    """What an attacker could conclude from the original, and can from the release."""
    linked = [seen for seen in found.utility.get("exposure", ()) if seen["samples"]]
    if linked:
        parts = _linked(linked, promise)
    elif found.found_before is not None and found.found_after is not None:
        parts = rows_found(found.found_before, found.found_after, promise)
        parts += values_guessed(found.utility.get("certainty", ()))
    else:
        parts = _found_before_and_after(found, promise)
    return page.section("Risk, before and after", *parts) if any(parts) else ""


def _linked(seen: list[dict[str, Any]], promise: Promise) -> list[str]:
    """For releases in groups: how likely it looks that a holder holds the sensitive item."""
    chart = charts.before_and_after(
        [str(one["known"]) for one in seen],
        [one["link_before"] for one in seen],
        [one["link_after"] for one in seen],
        title="Chance of attaching a sensitive item to its holder, before and after",
        x_label="ordinary items the attacker knows",
        line=promise.line,
    )
    last = seen[-1]
    return [
        page.paragraph(
            "Someone knows a few ordinary items that a person has, from a conversation or a receipt, and looks up "
            "everybody with these items. How likely does a sensitive item look that the person really has?"
        ),
        page.figure(
            chart,
            f"Mean over {last['samples']:,} holders of a sensitive item, drawn at random, and as many of their "
            "ordinary items drawn at random.",
        ),
        page.paragraph(
            f"With {last['known']} known items the original would leave the attacker certain in "
            f"{percent(last['certain_before'])} of the cases, this release in {percent(last['certain_after'])}. The "
            f"row itself is found as easily as before (with a chance of {percent(last['find_after'])}), because "
            "ordinary items are published as they are; but it no longer carries sensitive items."
        ),
    ]


def _found_before_and_after(found: Findings, promise: Promise) -> list[str]:
    """For sets: how likely the row of a person is found."""
    after = {risk["known"]: risk for risk in found.risk_after}
    seen = [
        (risk, after[risk["known"]])
        for risk in found.risk_before
        if risk["eligible"] and risk["known"] in after
    ]
    if not seen:
        return []
    chart = charts.before_and_after(
        [str(before["known"]) for before, _ in seen],
        [before["risk"] for before, _ in seen],
        [then["risk"] for _, then in seen],
        title="Chance of finding a person's row, before and after",
        x_label="items the attacker knows",
        line=promise.line,
    )
    return [
        page.paragraph(
            "Someone knows a few items that a person has, from a conversation or a receipt. How likely does that lead "
            "to the person's row, and so to everything else in it?"
        ),
        page.figure(
            chart,
            "A row with at least this many items is drawn at random, then that many of its items; the bar is the mean "
            "of 1 / (rows that have them all).",
        ),
    ]


def utility_section(found: Findings) -> str:
    """What questions the release still answers, and how well."""
    parts = []
    if found.questions:
        rows = [
            (f"{q.sensitive} and {q.present}", f"{q.estimate:,.1f} ± {q.standard_error:,.1f}", f"{q.truth:,}")
            for q in found.questions
        ]
        parts += [
            page.paragraph(
                "Questions about ordinary items alone have exact answers. For those that involve a sensitive item the "
                "release gives an estimate. Some examples, each sensitive item with what it most often goes with:"
            ),
            page.table(("how many have both", "from the release", "truth"), rows, numbers=(1, 2)),
            page.paragraph(
                "The ± is the spread when all members of a group are equally likely holders. Where two items really go "
                "together, as in these examples, estimates fall short by more: within a group the tie is cut. That is "
                "the price of the promise, and it grows with it.",
                style="dim small",
            ),
        ]
    if found.columns and found.utility:
        parts += loss_by_column(found.utility["ncp"])
    measures = measure_rows(found.utility)
    if measures:
        parts += [
            "<h3>Measured over many questions</h3>" if found.questions else "",
            page.table(("measure", "value"), measures, numbers=(1,)),
        ]
    return page.section("What it is still good for", *parts) if parts else ""


def attack_section(found: Findings) -> str:
    """How often attacks guess right, beside the claim and what is possible without the release."""
    if not found.attacks:
        return ""
    rows = [
        (
            attack["attack"],
            attack["success_rate"],
            attack["low"],
            attack["high"],
            (
                (attack["claim"], "claim"),
                *([(attack["floor"], "without release")] if attack["floor"] else []),
            ),
        )
        for attack in found.attacks
    ]
    told = "".join(
        f"<h3>{escape(str(attack['attack']))}</h3>{page.paragraph(attack['explanation'])}"
        for attack in found.attacks
    )
    beaten = [str(attack["attack"]) for attack in found.attacks if attack["beats_bar"]]
    highest = max(found.attacks, key=lambda attack: float(attack["lift"]))
    verdict = (
        f"{_listed(beaten)} right more often than promised, and more often than somebody who knows the population does "
        f"without the release: up to {highest['lift']:.2f} times as often ({highest['attack']}). Weigh this before the "
        "release leaves."
        if beaten
        else "None of them guesses right more often than promised, or than somebody who knows the population does "
        f"without the release. The highest lift is {highest['lift']:.2f} ({highest['attack']})."
    )
    caption = (
        "How often a guess is right, with its 95 % interval; beside it what the promise allows (claim) and, where it "
        "was worked out, what somebody who knows the population achieves without the release. Lift is the success "
        "over the higher of the two: 1 is the ideal."
    )
    return page.section(
        "What an attacker achieves",
        page.paragraph(
            "Attacks were run against the published files; the original told whether a guess was right, and what can "
            "be known without the release."
        ),
        page.figure(charts.spans(rows, title="Success rates of the attacks"), caption),
        page.paragraph(verdict),
        told,
    )


def _listed(names: list[str]) -> str:
    """The subject and verb of a sentence about attacks.

    Examples
    --------
    >>> _listed(["pivot"]), _listed(["pivot", "learned"])
    ('The attack pivot guesses', 'The attacks pivot and learned guess')
    """
    if len(names) == 1:
        return f"The attack {names[0]} guesses"
    return f"The attacks {', '.join(names[:-1])} and {names[-1]} guess"
