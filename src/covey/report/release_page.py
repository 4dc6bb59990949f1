"""The report of a release: promise, proof, cost, attacks and use, on one page."""

from __future__ import annotations

import shlex
from contextlib import suppress
from html import escape

from covey.counting import percent
from covey.errors import ParameterError
from covey.guarantees.words import Promise
from covey.measure.kept import unusable
from covey.registry import find
from covey.release.kinds import nearly_unique, promise_of
from covey.release.persons import counts_persons, data_of
from covey.report import charts, page
from covey.report.answers import answers, attack_notice
from covey.report.findings import Findings
from covey.report.measured import attack_section, risk_section, uniqueness_section, utility_section
from covey.report.signing import signing_page
from covey.report.uniqueness import telling

INTERNAL = (
    "Internal use only: it contains figures from the original data, which the release does not give away. Share the "
    "report made from the release alone."
)

ROLES = {
    "quasi": "quasi-identifier: as ranges and broader groups",
    "sensitive": "sensitive: unchanged",
    "other": "other: unchanged",
    "exact": "exactly as it was",
    "counted": "sensitive: counted in each group, without names",
}

#: What is selected where transactions are counted, and persons.


def release_page(found: Findings, *, date: str = "") -> str:
    """The whole report as HTML.

    Parameters
    ----------
    date : str
        Printed at the top; empty leaves it out.
    """
    counted = counts_persons(found.manifest.facts)
    promise = promise_of(
        found.verdict.guarantee, found.manifest.kind, by_person=counted, data=data_of(found.manifest.facts)
    )
    title = str(found.manifest.about.get("title", found.name))
    about = f"{found.manifest.guarantee} by {found.manifest.method}"
    if title != found.name:
        about = f"{found.name} · {about}"
    return page.document(
        f"{title} · covey report",
        [
            page.heading(title, f"Release report · {about}" + (f" · {date}" if date else "")),
            page.banner(INTERNAL) if found.with_original else "",
            _verdict(found, promise),
            _exactly(found),
            attack_notice(found),
            *map(page.banner, _warnings(found)),
            answers(found, promise),
            _tiles(found),
            page.paragraph(found.cleaned) if found.cleaned else "",
            _promise(promise),
            uniqueness_section(found.uniqueness),
            _proof(found),
            _sizes(found),
            _columns(found),
            risk_section(found, promise),
            utility_section(found),
            attack_section(found),
            _use(found),
            _details(found),
            signing_page(found, promise, date),
            page.FOOTER,
        ],
    )


def _verdict(found: Findings, promise: Promise) -> str:
    if found.verdict.holds:
        checked = "from the published files alone" + (" and against the original" if found.with_original else "")
        return (
            '<div class="verdict"><div class="mark">✓</div><div>'
            f"<strong>Verified: {escape(found.verdict.guarantee)} holds.</strong>"
            f"<p>{escape(f'{promise.short} {promise.counts}'.rstrip())}</p>"
            f'<p class="dim small">Checked {checked}, by code that shares nothing with the method.</p>'
            "</div></div>"
        )
    failed = found.verdict.failures()[0]
    return (
        '<div class="verdict bad"><div class="mark">✗</div><div>'
        "<strong>This release must not be trusted.</strong>"
        f"<p>{escape(failed.name)}: {escape(failed.detail)}</p></div></div>"
    )


def _warnings(found: Findings) -> list[str]:
    """What must be seen beside the verdict: rows that may not be people, columns that tell people apart, and so on."""
    columns = [
        f"The column '{name}' is published as it was, and it has {percent(share)} as many different values as rows: "
        "it can identify people by itself. Drop it, or publish it as ranges or broader groups."
        for name, share in found.unprotected
        if nearly_unique(share)
    ]
    return [*found.warned, *filter(None, [unusable(found.utility)]), *columns, *found.cut_short]


def _exactly(found: Findings) -> str:
    """How well people are told apart by what the promise is not about, beside the promise."""
    told = telling(found.uniqueness)
    if told is None:
        return ""
    return page.banner(told.text) if told.tone == "warn" else page.paragraph(told.text)


def _tiles(found: Findings) -> str:
    words = {} if found.words is None else found.words.counted(found.manifest.facts)
    counts = found.manifest.counts
    return page.tiles([(f"{counts[name]:,}", text) for name, text in words.items() if name in counts])


def _promise(promise: Promise) -> str:
    if not promise.meaning:
        return ""
    return page.section(
        "What is promised",
        *(page.paragraph(text) for text in promise.meaning),
        f'<h3 id="{page.anchor_of("What is not promised")}">What is not promised</h3>',
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
            "Whether the release is faithful to the original can be checked only by someone who has it: covey verify … "
            "--original DATA.",
            style="dim small",
        )
    )
    return page.section("What was checked", f"<table><tbody>{rows}</tbody></table>", hint)


def _sizes(found: Findings) -> str:
    if not found.sizes or found.words is None:
        return ""
    total, one, what = sum(count for _, count in found.sizes), found.words.group, found.words.groups
    chart = charts.bars(
        [label for label, _ in found.sizes],
        [float(count) for _, count in found.sizes],
        texts=[f"{count:,}" for _, count in found.sizes],
        x_label=f"members of a {one}",
        y_label=what,
    )
    caption = f"{total:,} {one if total == 1 else what}, by the number of members."
    words = (
        ""
        if found.shares is None
        else f"On average {percent(found.shares[0])} of the members of a sensitive entry's {one} have the item; in no "
        f"{one} is that share above {percent(found.shares[1])}."
    )
    return page.section(
        "How they are grouped",
        page.figure(charts.svg(chart, f"{what.capitalize()} by size"), caption),
        page.paragraph(words),
    )


def _columns(found: Findings) -> str:
    """What is published of each column, and which columns nothing protects; nothing that the release does not say."""
    if not found.columns:
        return ""
    rows = [(name, ROLES.get(role, role), f"{count:,}") for name, role, count in found.columns]
    listed = ", ".join(name for name, _ in found.unprotected)
    words = f"Published unchanged: {listed}. Someone who knows such a value may find the row."
    return page.section(
        "The columns",
        page.table(("column", "how it is published", "different values"), rows, numbers=(2,)),
        page.paragraph(words) if found.unprotected else "",
    )


def _shown(value: object) -> str:
    """The value of an option or a fact for people; a long list only begins."""
    if not isinstance(value, list | tuple):
        return str(value) or "none"
    return ", ".join(map(str, value[:8])) + (" …" if len(value) > 8 else "") or "none"


def _use(found: Findings) -> str:
    """The section that says how to use the release; examples use labels of the release itself."""
    if found.examples:
        return _queries_of_groups(found)
    frame = f"import covey\n\nrelease = covey.read_release({found.name!r})\nprint(release.to_frame())"
    table = next((name for name in sorted(found.manifest.files) if name.endswith(".parquet")), None)
    parts = ["<h3>Python</h3>", page.code(frame)]
    if table is not None:
        parts += [
            "<h3>SQL, for example DuckDB</h3>",
            page.code(f"SELECT * FROM {_sql(f'{found.name}/{table}')}"),
        ]
    return page.section("How to use it", *parts)


def _queries_of_groups(found: Findings) -> str:
    sensitive, present, absent = (found.examples[key] for key in ("sensitive", "present", "absent"))
    shell = shlex.join(
        ["covey", "query", found.name, "--sensitive", sensitive, "--present", present, "--absent", absent]
    )
    python = (
        f"import covey\n\nrelease = covey.read_release({found.name!r})\n"
        f"answer = release.estimate({sensitive!r}, present=[{present!r}], absent=[{absent!r}])\n"
        "print(answer.estimate, answer.standard_error, answer.lower, answer.upper)"
    )
    parts = [
        page.paragraph(
            f"How many have {sensitive} and {present}, but not {absent}? In a group of g with a holders, of whose "
            "members b fit, a·b/g is the expected number; the answer is their sum over the groups, with bounds that "
            "hold for certain."
        ),
        "<h3>Command line</h3>",
        page.code(shell),
        "<h3>Python</h3>",
        page.code(python),
    ]
    parts.append(page.paragraph("The release's README says how to ask it in SQL."))
    return page.section("How to ask it", *parts)


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _details(found: Findings) -> str:
    manifest = found.manifest
    rows = [("guarantee", manifest.guarantee), ("method", manifest.method)]
    for what, stated in (("options", manifest.options), ("facts", manifest.facts)):
        listed = "; ".join(f"{name} = {_shown(value)}" for name, value in stated.items())
        rows.append((what, listed or "none"))
    with suppress(ParameterError):  # a method that this installation does not know
        rows.append(("paper", find(manifest.method).paper))
    rows.append(("covey", manifest.covey))
    hashes = "".join(
        f'<tr><td>{escape(name)}</td><td class="hash">{escape(digest)}</td></tr>'
        for name, digest in [*sorted(manifest.files.items()), ("fingerprint", manifest.fingerprint)]
    )
    return page.section(
        "Details",
        page.table(("what", "value"), rows),
        "<h3>Files and their SHA-256</h3>",
        f"<table><tbody>{hashes}</tbody></table>",
        page.paragraph(
            "The fingerprint identifies the whole release. Keep it separate from the files; covey verify "
            "--fingerprint compares it.",
            style="dim small",
        ),
    )
