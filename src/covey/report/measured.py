"""The sections of a report that need the original: risk before and after, utility, attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from covey.counting import percent
from covey.guarantees.words import Promise
from covey.measure.attacks.result import LIMIT, NO_GAINS, TITLES, gains, ratios_of, right_of, title_of, unpromised
from covey.report import charts, page
from covey.report.findings import Findings
from covey.report.measure_rows import measure_rows
from covey.report.risk_change import risk_change
from covey.report.uniqueness import telling
from covey.tabular import Figures


def risk_section(found: Findings, promise: Promise) -> str:
    """What an attacker could conclude from the original, and can from the release."""
    change = risk_change(found)
    if change is None:
        return ""
    chart = charts.before_and_after(
        change.labels, change.before, change.after, x_label=change.axis, line=promise.line(change.labels)
    )
    return page.section(
        "Risk, before and after",
        page.paragraph(change.question),
        page.figure(charts.svg(chart, change.title), change.caption),
        page.paragraph(change.answer) if change.answer else "",
        page.paragraph(found.utility["approximate"]) if "approximate" in found.utility else "",
        *values_guessed(found.utility.get("certainty", ())),
    )


def utility_section(found: Findings) -> str:
    """What questions the release still answers, and how well."""
    parts = []
    if found.questions:
        rows = [
            (f"{q.sensitive} and {q.present}", f"{q.estimate:,.1f} ± {q.standard_error:,.1f}", f"{q.truth:,}")
            for q in found.questions
        ]
        lower = all(q.estimate < q.truth for q in found.questions)
        examples = ", as in these examples" if lower else ""
        parts += [
            page.paragraph(
                "Questions about ordinary items alone have exact answers. For those that involve a sensitive item the "
                "release gives an estimate. Some examples, each sensitive item with what it most often goes with:"
            ),
            page.table(("how many have both", "from the release", "truth"), rows, numbers=(1, 2)),
            page.paragraph(
                "The ± is the spread if all members of a group are equally likely to have the item. It is not an "
                "error bar. "
                f"Where two items really go together{examples}, estimates are lower than the truth, because the "
                "release cuts the link within a group. That is the price of the promise; it grows with its strength.",
                style="dim small",
            ),
        ]
    if found.columns and "ncp" in found.utility:
        parts += loss_by_column(found.utility["ncp"])
    measures = measure_rows(found.utility)
    if measures:
        parts += [
            "<h3>Measured over many questions</h3>" if found.questions else "",
            page.table(("measure", "value"), measures, numbers=(1,)),
        ]
    return page.section("What it is still useful for", *parts) if parts else ""


def attack_section(found: Findings) -> str:
    """How often attacks guess right, beside the claim and what is possible without the release."""
    if not found.attacks:
        return ""
    told = "".join(
        f"<h3>{escape(title_of(attack['attack']))} <code>{escape(str(attack['attack']))}</code></h3>"
        f"{page.paragraph(attack['explanation'])}"
        for attack in found.attacks
    )
    caption = (
        "How often a guess is right, with its 95 % interval, compared with what the guarantee claims and, if known, "
        "with what someone who knows the population achieves without the release (baseline). Attacks that are right "
        f"more than {LIMIT:g} times as often as either are drawn in the colour of warnings."
    )
    rows = [
        (
            title_of(attack["attack"]),
            right_of(attack),
            *("—" if ratio is None else f"{ratio:.2f}" for ratio in ratios_of(attack)),
        )
        for attack in found.attacks
    ]
    gained = gains(found.attacks)
    verdict = f"{gained} Consider this before you publish the release." if gained else NO_GAINS
    return page.section(
        "What an attacker achieves",
        page.paragraph(
            "Attacks were run against the published files; the original showed whether a guess was right, and what can "
            "be known without the release."
        ),
        page.figure(charts.svg(charts.attacks(found.attacks, TITLES), "How often each attack is right"), caption),
        page.table(("attack", "right", "times the claim", "times the baseline"), rows, numbers=(1, 2, 3)),
        page.paragraph(f"{verdict} {unpromised(found.attacks)}".strip()),
        told,
    )


def values_guessed(certainty: Sequence[Figures]) -> list[str]:
    """How well a row's sensitive values are guessed by someone who knows all quasi-identifiers."""
    if not certainty:
        return []
    names = ("blind", "before", "after", "certain_before", "certain_after")
    rows = [(one["column"], *(percent(one[name]) for name in names)) for one in certainty]
    return [
        "<h3>What is learned without finding the row</h3>",
        page.paragraph(
            "Rows that look alike may also share sensitive values. Someone who knows all quasi-identifiers of a row "
            "guesses the value that most rows like it have. How often is that right, and how often do all of them "
            "have it, so that it is certain?"
        ),
        page.table(
            (
                "sensitive column",
                "right without either",
                "right from the original",
                "right from this release",
                "certain from the original",
                "certain from this release",
            ),
            rows,
            numbers=(1, 2, 3, 4, 5),
        ),
    ]


def loss_by_column(ncp: Mapping[str, float]) -> list[str]:
    """A bar per quasi-identifier: how much of its detail is lost."""
    if not ncp:
        return []
    chart = charts.svg(charts.shares(ncp, x_label="detail lost (%)"), "Detail lost by column")
    words = "Detail lost by column: the mean width of the published ranges, as a share of the whole column (NCP)."
    return [page.figure(chart, words)]


def uniqueness_section(found: Figures) -> str:
    """The section of a report."""
    told = telling(found)
    if told is None:
        return ""
    chart = charts.bars(
        told.labels,
        told.after,
        x_label="ordinary ratings that someone knows exactly",
        y_label="records singled out (%)",
        colour=charts.WARN if told.tone == "warn" else charts.INK,
    )
    picture = charts.svg(chart, "Published records that exact ratings single out")
    heads = ("known ratings", *(["the original"] if told.before else []), "this release")
    columns = [told.labels, *([list(map(percent, told.before))] if told.before else []), list(map(percent, told.after))]
    return page.section(
        "Who is found by exact ratings",
        page.paragraph(told.text),
        page.paragraph(
            "The promise covers someone who knows ratings roughly. Someone who knows some of them exactly, for "
            "example from another site, may find one record. A coarser scale (the option round) makes that less likely."
        ),
        page.figure(picture, "How often this many ordinary ratings of a record, drawn at random, fit one record only.")
        if any(told.after)
        else "",
        page.table(heads, list(zip(*columns, strict=True)), numbers=range(1, len(heads))) if told.before else "",
    )
