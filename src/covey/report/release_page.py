"""The report of a release: promise, proof, cost, attacks and use, on one page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from html import escape

from covey.counting import percent
from covey.errors import ParameterError
from covey.guarantees.words import Promise
from covey.measure.attacks.result import NO_GAINS, exceeds, gains, title_of, unpromised
from covey.measure.kept import unusable
from covey.registry import find
from covey.release.base import counts_persons, data_of
from covey.release.kinds import nearly_unique, promise_of
from covey.report import page
from covey.report.findings import Findings
from covey.report.measures import best_attack_text, measure_rows
from covey.report.sections import attack_part, exact_ratings, risk_parts, sizes_part, use_parts
from covey.report.uniqueness import telling
from covey.tabular import Figures

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
#: Sections that only a report with the original has.
WITH_ORIGINAL = ("What an attacker achieves", "What it is still useful for")
#: So many sensitive items are named on the page that is signed.
NAMED = 60


def release_page(found: Findings, *, date: str = "", title: str = "") -> str:
    """Return the whole report as HTML; `date` is printed at its top, below the `title` if the release states none."""
    facts = found.manifest.facts
    by_person, data = counts_persons(facts), data_of(facts)
    promise = promise_of(found.verdict.guarantee, found.manifest.kind, by_person=by_person, data=data)
    title = str(found.manifest.about.get("title", title or found.name))
    about = [found.name] if title != found.name else []
    about += [f"{found.manifest.guarantee} by {found.manifest.method}", *([date] if date else [])]
    holds = found.verdict.holds
    return page.document(
        title,
        "covey report",
        title,
        f"Release report · {' · '.join(about)}",
        [
            page.banner(INTERNAL) if found.with_original else "",
            _verdict(found, promise),
            *_notices(found),
            _answers(found, promise) if holds and promise.meaning else "",
            _tiles(found),
            page.paragraph(found.cleaned),
            _promise(promise),
            page.paragraph(found.unique),
            page.parts_section("Who is found by exact ratings", exact_ratings(found.figures["uniqueness"])),
            _proof(found),
            _sizes(found),
            _columns(found),
            page.parts_section("Risk, before and after", risk_parts(found.figures, promise)),
            page.parts_section(WITH_ORIGINAL[1], use_parts(found.figures)),
            _attacks(found.figures["attacks"]),
            _queries(found) if found.examples else _use(found),
            _details(found),
            _signing(found, promise, date) if holds else "",
        ],
    )


def _verdict(found: Findings, promise: Promise) -> str:
    if not found.verdict.holds:
        failed = found.verdict.failures()[0]
        return (
            '<div class="verdict bad"><div class="mark">✗</div><div><strong>This release must not be trusted.</strong>'
            f"{page.paragraph(f'{failed.name}: {failed.detail}')}</div></div>"
        )
    checked = "from the published files alone" + (" and against the original" if found.with_original else "")
    return (
        '<div class="verdict"><div class="mark">✓</div><div>'
        f"<strong>Verified: {escape(found.verdict.outcome)}.</strong>"
        f"{page.paragraph(f'{promise.short} {promise.counts}'.rstrip())}"
        f'<p class="dim small">Checked {checked}, by code that shares nothing with the method.</p></div></div>'
    )


def _notices(found: Findings) -> list[str]:
    """Return what must be seen beside the verdict, the loud ones as banners."""
    unique, attacks = telling(found.figures["uniqueness"]), found.figures["attacks"]
    notices = [] if unique is None else [(page.banner if unique.warns else page.paragraph)(unique.text)]
    if attacks:
        over = any(exceeds(attack) for attack in attacks if attack["targets"])
        notices.append((page.banner if over else page.paragraph)(f"Best attack: {best_attack_text(attacks)}"))
    columns = [
        f"The column '{name}' is published as it was, and it has {percent(share)} as many different values as rows: "
        "it can identify people by itself. Drop it, or publish it as ranges or broader groups."
        for name, share in found.unprotected
        if nearly_unique(share)
    ]
    warned = [*found.warned, unusable(found.figures["utility"]), *columns]
    return [*notices, *map(page.banner, filter(None, warned))]


def _answers(found: Findings, promise: Promise) -> str:
    """Return the five questions of whoever signs, each with an answer and a link to the details."""
    manifest, utility = found.manifest, found.figures["utility"]
    left_out = "Measured only in a report with the original."
    if manifest.kind == "grouped":
        left_out = "No ordinary item. Of sensitive items only counts per group are published."
    elif utility:
        left_out = "; ".join(f"{what}: {value}" for what, value in measure_rows(utility)[:2]) + "."
    stated = f"the published files keep it; that they are true{' and whose' * counts_persons(manifest.facts)}"
    if manifest.kind == "model":
        stated = "the files are those of this fingerprint; that the noise was drawn at random"
    public = (
        f"That the release keeps {manifest.guarantee} ({promise.short.rstrip('.')}), made by {manifest.method} of "
        f"covey {manifest.covey}, with the fingerprint {manifest.fingerprint[:16]}; anyone can check with covey "
        f"verify that {stated} is stated by the publisher. Do not call it anonymous without saying what is "
        "not promised."
    )
    # To whom: the limits that name someone.
    limits = " ".join(limit for limit in promise.limits if limit == promise.limits[0] or "omeone who" in limit)
    rows = (
        ("What exactly is promised?", promise.short, "What is promised"),
        ("What is not promised, and to whom?", limits, "What is not promised"),
        ("What did the best attack achieve?", best_attack_text(found.figures["attacks"]), WITH_ORIGINAL[0]),
        ("What was left out?", f"{found.cleaned} {left_out}", WITH_ORIGINAL[1]),
        ("What may I tell the public?", public, "Details"),
    )
    parts = []
    for question, answer, section in rows:
        linked = found.with_original or section not in WITH_ORIGINAL
        more = f' <a href="#{page.anchor_of(section)}">{escape(section)}</a>' if linked else ""
        parts.append(f"<dt>{escape(question)}</dt><dd>{escape(answer.strip())}{more}</dd>")
    return page.section("In short", f"<dl>{''.join(parts)}</dl>")


def _tiles(found: Findings) -> str:
    words = {} if found.words is None else found.words.counted(found.manifest.facts)
    counts = found.manifest.counts
    return page.tiles([(f"{counts[name]:,}", text) for name, text in words.items() if name in counts])


def _promise(promise: Promise) -> str:
    if not promise.meaning:
        return ""
    limits = page.heading("What is not promised") + page.points(promise.limits)
    return page.section("What is promised", *map(page.paragraph, promise.meaning), limits)


def _proof(found: Findings) -> str:
    rows = "".join(
        f'<li class="{"passed" if check.passed else "failed"}"><span class="mark">{"✓" if check.passed else "✗"}</span>'
        f'<span>{escape(check.name)}<span class="detail">{escape(check.detail)}</span></span></li>'
        for check in found.verdict.checks
    )
    hint = "Whether the release is faithful to the original can be checked only by someone who has it: covey verify … "
    alone = "" if found.with_original else page.paragraph(f"{hint}--original DATA.", "dim small")
    return page.section("What was checked", f'<ul class="checks">{rows}</ul>', alone)


def _sizes(found: Findings) -> str:
    part = sizes_part(found.figures["sizes"], found.words)
    if part is None or found.words is None:
        return ""
    words, one = "", found.words.group
    if found.shares is not None:
        mean, most = map(percent, found.shares)
        sensitive = found.manifest.counts["sensitive_entries"] / max(found.manifest.counts["groups"], 1)
        words = (
            f"On average {mean} of the members of a sensitive entry's {one} have the item; in no {one} is that share "
            f"above {most}. A {one} has {sensitive:,.1f} sensitive items on average, counted once for each holder."
        )
    return page.section(part.title, part.html(), page.paragraph(words))


def _columns(found: Findings) -> str:
    """Return what is published of each column, and which columns nothing protects."""
    columns = found.figures["columns"]
    if not columns:
        return ""
    rows = [(name, ROLES.get(role, role), f"{count:,}") for name, role, count in columns]
    listed = ", ".join(name for name, _ in found.unprotected)
    words = f"Published unchanged: {listed}. Someone who knows such a value may find the row." if listed else ""
    heads = ("column", "how it is published", "different values")
    return page.section("The columns", page.table(heads, rows, numbers=(2,)), page.paragraph(words))


def _attacks(attacks: Sequence[Figures]) -> str:
    """Return how often attacks guess right, beside the claim and what is possible without the release."""
    if not attacks:
        return ""
    explained = (
        f"<h3>{escape(title_of(one['attack']))} <code>{escape(str(one['attack']))}</code></h3>"
        f"{page.paragraph(one['explanation'])}"
        for one in attacks
    )
    gained = gains(attacks)
    verdict = f"{gained} Consider this before you publish the release." if gained else NO_GAINS
    return page.section(
        WITH_ORIGINAL[0],
        page.paragraph(
            "Attacks were run against the published files; the original showed whether a guess was right, and what can "
            "be known without the release."
        ),
        attack_part(attacks).html(),
        page.paragraph(f"{verdict} {unpromised(attacks)}".strip()),
        *explained,
    )


def _use(found: Findings) -> str:
    """Return how to use the release."""
    frame = f"import covey\n\nrelease = covey.read_release({found.name!r})\nprint(release.to_frame())"
    parts = [page.heading("Python"), page.code(frame)]
    table = next((name for name in sorted(found.manifest.files) if name.endswith(".parquet")), None)
    if table is not None:
        path = f"{found.name}/{table}".replace("'", "''")
        parts += [page.heading("SQL, for example DuckDB"), page.code(f"SELECT * FROM '{path}'")]
    return page.section("How to use it", *parts)


def _queries(found: Findings) -> str:
    """Return how to ask a release of groups; examples use labels of the release itself."""
    sensitive, present, absent = (found.examples[key] for key in ("sensitive", "present", "absent"))
    shell = ["covey", "query", found.name, "--sensitive", sensitive, "--present", present, "--absent", absent]
    python = (
        f"import covey\n\nrelease = covey.read_release({found.name!r})\n"
        f"answer = release.estimate({sensitive!r}, present=[{present!r}], absent=[{absent!r}])\n"
        "print(answer.estimate, answer.standard_error, answer.lower, answer.upper)"
    )
    words = (
        f"How many have {sensitive} and {present}, but not {absent}? In a group of g with a holders, of whose members "
        "b fit, a·b/g is the expected number; the answer is their sum over the groups, with bounds that "
        "hold for certain."
    )
    return page.section(
        "How to ask it",
        page.paragraph(words),
        page.heading("Command line"),
        page.code(shlex.join(shell)),
        page.heading("Python"),
        page.code(python),
        page.paragraph("The release's README says how to ask it in SQL."),
    )


def _details(found: Findings) -> str:
    manifest = found.manifest
    rows = [("guarantee", manifest.guarantee), ("method", manifest.method)]
    for what, stated in (("options", manifest.options), ("facts", manifest.facts)):
        rows.append((what, "; ".join(f"{name} = {_shown(value)}" for name, value in stated.items()) or "none"))
    with suppress(ParameterError):  # a method that this installation does not know
        rows.append(("paper", find(manifest.method).paper))
    rows.append(("covey", manifest.covey))
    digests = [*sorted(manifest.files.items()), ("fingerprint", manifest.fingerprint)]
    hashes = "".join(f'<tr><td>{escape(name)}</td><td class="hash">{escape(one)}</td></tr>' for name, one in digests)
    hint = "The fingerprint identifies the whole release. Keep it separate from the files; covey verify --fingerprint "
    return page.section(
        "Details",
        page.table(("what", "value"), rows),
        page.heading("Files and their SHA-256"),
        f"<table><tbody>{hashes}</tbody></table>",
        page.paragraph(f"{hint}compares it.", "dim small"),
    )


def _shown(value: object) -> str:
    """Return the value of an option or a fact; a long list only begins."""
    if not isinstance(value, list | tuple):
        return str(value) or "none"
    return ", ".join(map(str, value[:8])) + (" …" if len(value) > 8 else "") or "none"


def _signing(found: Findings, promise: Promise, date: str) -> str:
    """Return the page to sign: what was published, and under which promise."""
    manifest, more = found.manifest, len(found.sensitive) - NAMED
    listed = ", ".join(found.sensitive[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
    unmeasured = "not measured in this report, which was made without the original"
    rows = (
        ("Release", f"{found.name}, fingerprint {manifest.fingerprint}"),
        ("Promise", f"{manifest.guarantee}: {promise.short}"),
        ("Sensitive", listed or "nothing is marked as sensitive"),
        ("Attacks", "measured, as this report states" if found.with_original else unmeasured),
        ("Method", f"{manifest.method}, covey {manifest.covey}"),
        ("Verified", f"{len(found.verdict.checks)} checks, all passed {date}"),
    )
    lines = "".join(f"<span>{one}</span>" for one in ("Name", "Role", "Place and date", "Signature"))
    words = "I have read this report, and agree that the release named here may be handed over."
    return page.section(
        "Approval", page.paragraph(words), page.table(("", ""), rows), f'<div class="lines">{lines}</div>'
    )
