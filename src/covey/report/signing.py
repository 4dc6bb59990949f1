"""The part of a report that someone signs: what was published of which file, and under which promise."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covey.attacks.result import right_of
from covey.counting import counted, sizes
from covey.lazy import load
from covey.release.kinds import release_kind
from covey.release.manifest import file_digest
from covey.release.words import Promise
from covey.report import page
from covey.report.trade import kept_of

if TYPE_CHECKING:
    from covey.report.findings import Findings

#: So many sensitive items are named one by one.
NAMED = 60

LINES = ("Name", "Role", "Place and date", "Signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The file that a release was made from."""

    name: str
    #: Digest of its bytes.
    sha256: str
    #: Its bytes.
    size: int


def origin_of(path: Any, name: str = "") -> Origin | None:
    """The file that data was read from; None where it was no single file.

    Parameters
    ----------
    path : object
        A path, or anything else that data is made of.
    name : str
        What to call it; the file's own name when empty.
    """
    if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
        return None
    file = Path(path)
    return Origin(name=name or file.name, sha256=file_digest(file), size=file.stat().st_size)


def sensitive_of(release: Any) -> list[str]:
    """What a release says is sensitive: items, columns or issues."""
    hints = release_kind(release.kind).hints
    stated = {**release.facts(), **({} if hints is None else load(hints)(release))}
    named = [*getattr(release, "sensitive_items", ()), *getattr(release, "secret_columns", ())]
    return list(dict.fromkeys(map(str, [*named, *stated.get("sensitive", ())])))


def signing_section(found: Findings, promise: Promise, date: str) -> str:
    """What is signed, as a table, and lines to sign on."""
    if not found.verdict.holds:
        return ""
    manifest = found.manifest
    options = ", ".join(f"{name} = {value}" for name, value in manifest.options.items() if value not in (None, ""))
    rows = []
    if (file := found.origin) is not None:
        rows = [("File", f"{file.name}, {file.size:,} bytes"), ("SHA-256 of the file", file.sha256)]
    rows += [
        ("Release", f"{found.name}, fingerprint {manifest.fingerprint}"),
        ("Promise", f"{manifest.guarantee}: {promise.short}"),
        ("Sensitive", _listed(found.sensitive)),
        *([("Persons", f"named by the column {found.person}")] if found.person else []),
        *([("Left out before", found.cleaned)] if found.cleaned else []),
        ("Method", f"{manifest.method}{f' ({options})' if options else ''}, covey {manifest.covey}"),
        ("Size", sizes(**manifest.counts)),
        *_figures(found),
        ("Verified", f"{counted(len(found.verdict.checks), 'check')}, all passed" + (f", {date}" if date else "")),
    ]
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
    lines = "".join(f"<div><span>{escape(name)}</span></div>" for name in LINES)
    return (
        '<section class="signing">\n<h2>Approval</h2>\n'
        + page.paragraph("I have read this report, and agree that the release named here may be handed over.")
        + f'<table><tbody>{body}</tbody></table><div class="lines">{lines}</div>\n</section>'
    )


def _listed(names: list[str]) -> str:
    if not names:
        return "nothing is marked as sensitive"
    rest = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{rest}"


def _figures(found: Findings) -> list[tuple[str, str]]:
    """What is kept, and what the best attack achieves, where the original was at hand, or that it was not."""
    rows = [("Kept" if one.share else "Distortion", f"{one}: {one.label}") for one in kept_of(found.utility)[:1]]
    if not found.with_original:
        rows.append(("Attacks", "not measured in this report, which was made without the original"))
    tried = [attack for attack in found.attacks if attack["targets"]]
    if tried:
        best = max(tried, key=lambda attack: float(attack["success_rate"]))
        rows.append(
            (
                "Attack right most often",
                f"{best['attack']}, in {right_of(best)} of {counted(best['targets'], 'guess')}",
            )
        )
        gaining = max(tried, key=lambda attack: float(attack["lift"]) if attack["beats_bar"] else 0.0)
        if gaining["beats_bar"]:
            rows.append(("Attack that gains most", f"{gaining['attack']}, lift {gaining['lift']:.2f}"))
    return rows
