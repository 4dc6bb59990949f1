"""The page of a report that someone signs: what was published, and under which promise."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from covey.guarantees.words import Promise

if TYPE_CHECKING:
    from covey.report.findings import Findings

#: So many sensitive items are named one by one.
NAMED = 60

#: What is said of attacks with the original, and without.
MEASURED = "measured, as this report states"
UNMEASURED = "not measured in this report, which was made without the original"

PAGE = """<section class="signing">
<h2>Approval</h2>
<p>I have read this report, and agree that the release named here may be handed over.</p>
<table><tbody>
<tr><th>Release</th><td>{name}, fingerprint {fingerprint}</td></tr>
<tr><th>Promise</th><td>{guarantee}: {promise}</td></tr>
<tr><th>Sensitive</th><td>{sensitive}</td></tr>
<tr><th>Attacks</th><td>{attacks}</td></tr>
<tr><th>Method</th><td>{method}, covey {covey}</td></tr>
<tr><th>Verified</th><td>{checks} checks, all passed {date}</td></tr>
</tbody></table>
<div class="lines"><div><span>Name</span></div><div><span>Role</span></div>
<div><span>Place and date</span></div><div><span>Signature</span></div></div>
</section>"""


def sensitive_of(release: Any) -> list[str]:
    """What a release says is sensitive: items, columns or issues."""
    stated = {**release.facts(), **release.reading_options()}
    named = [*getattr(release, "sensitive_items", ()), *getattr(release, "secret_columns", ())]
    return list(dict.fromkeys(map(str, [*named, *stated.get("sensitive", ())])))


def signing_page(found: Findings, promise: Promise, date: str) -> str:
    """The page to sign; empty for a release that fails its checks."""
    if not found.verdict.holds:
        return ""
    manifest, more = found.manifest, len(found.sensitive) - NAMED
    listed = ", ".join(found.sensitive[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
    values = {
        "name": found.name,
        "fingerprint": manifest.fingerprint,
        "guarantee": manifest.guarantee,
        "promise": promise.short,
        "sensitive": listed or "nothing is marked as sensitive",
        "attacks": MEASURED if found.with_original else UNMEASURED,
        "method": manifest.method,
        "covey": manifest.covey,
        "checks": str(len(found.verdict.checks)),
        "date": date,
    }
    return PAGE.format(**{name: escape(text) for name, text in values.items()})
