"""The five questions of whoever signs a report, each with an answer and a link to the details."""

from __future__ import annotations

from html import escape

from covey.counting import percent
from covey.guarantees.words import Promise
from covey.measure.attacks.result import baseline_of, exceeds, ratios_of, right_of, title_of
from covey.report.findings import Findings
from covey.report.measure_rows import measure_rows
from covey.report.page import anchor_of, banner, paragraph
from covey.tabular import Figures


def answers(found: Findings, promise: Promise) -> str:
    """Return the section; empty for a release that fails its checks."""
    if not found.verdict.holds or not promise.meaning:
        return ""
    rows = (
        ("What exactly is promised?", promise.short, "What is promised"),
        ("What is not promised, and to whom?", promise.limits[0] if promise.limits else "", "What is not promised"),
        ("What did the best attack achieve?", best_attack_text(found), "What an attacker achieves"),
        ("What was left out?", _left_out(found), "What it is still useful for"),
        ("What may I tell the public?", _public(found, promise), "Details"),
    )
    parts = []
    for question, answer, section in rows:
        linked = found.with_original or section not in ("What an attacker achieves", "What it is still useful for")
        more = f' <a href="#{anchor_of(section)}">{escape(section)}</a>' if linked else ""
        parts.append(f"<dt>{escape(question)}</dt><dd>{escape(answer.strip())}{more}</dd>")
    return f"<section><h2>In short</h2><dl>{''.join(parts)}</dl></section>"


def attack_notice(found: Findings) -> str:
    """Return the best attack as a paragraph, or as a warning where it exceeds the claim or the baseline by far."""
    if not found.attacks:
        return ""
    over = any(exceeds(attack) for attack in found.attacks if attack["targets"])
    return (banner if over else paragraph)(f"Best attack: {best_attack_text(found)}")


def best_attack_text(found: Findings) -> str:
    """Return in one sentence what the attack that is right most often achieves, against the claim and the baseline."""
    tried = [attack for attack in found.attacks if attack["targets"]]
    if not tried:
        return "Attacks were not measured, because this report was made without the original."
    worst = max(tried, key=lambda attack: float(attack["success_rate"]))
    text = f"“{title_of(worst['attack'])}” is right in {right_of(worst)} of its guesses{against(worst)}."
    gains = max(tried, key=lambda attack: max((ratio or 0.0 for ratio in ratios_of(attack)), default=0.0))
    if gains is not worst and exceeds(gains):
        text += f" “{title_of(gains['attack'])}” gains most: right in {right_of(gains)}{against(gains)}."
    return text


def against(attack: Figures) -> str:
    """Return how an attack compares with the claim and with the baseline, where there are any.

    Examples
    --------
    >>> against({"success_rate": 0.5, "claim": 0.1, "baseline": 0.4})
    ', 5.0 times the claim (10 %) and 1.2 times the baseline without the release (40.0 %)'
    """
    claim, baseline = ratios_of(attack)
    told = [] if claim is None else [f"{claim:.1f} times the claim ({percent(attack['claim'])})"]
    if baseline is not None:
        known = baseline_of(attack["baseline"], attack.get("baseline_error"))
        told.append(f"{baseline:.1f} times the baseline without the release ({known})")
    return f", {' and '.join(told)}" if told else ""


def _left_out(found: Findings) -> str:
    if found.manifest.kind == "grouped":
        kept = "No ordinary item. Of sensitive items only counts per group are published."
    elif found.utility:
        kept = "; ".join(f"{what}: {value}" for what, value in measure_rows(found.utility)[:2]) + "."
    else:
        kept = "Measured only in a report with the original."
    return f"{found.cleaned} {kept}"


def _public(found: Findings, promise: Promise) -> str:
    return (
        f"That the release keeps {found.manifest.guarantee} ({promise.short.rstrip('.')}), made by "
        f"{found.manifest.method} of covey {found.manifest.covey}, with the fingerprint "
        f"{found.manifest.fingerprint[:16]}; anyone can check this with covey verify. Do not call it anonymous "
        "without saying what is not promised."
    )
