"""Everything a report states, gathered from a release and, where it is at hand, the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from covey.errors import ReleaseError
from covey.measure.attacks import ATTACKS, run_attacks
from covey.measure.evaluation import evaluate
from covey.measure.uniqueness import before_and_after
from covey.pipeline import cut_short
from covey.progress import Progress, silent
from covey.release.base import Words
from covey.release.kinds import release_kind
from covey.release.manifest import Manifest
from covey.release.ratings import RatingsRelease
from covey.report.findings_by_kind import Question
from covey.report.findings_by_kind import findings as by_kind
from covey.report.signing import sensitive_of
from covey.tabular import Figures
from covey.verdict import Verdict

#: The fields of `Findings` that come from measuring, in JSON.
MEASURED = ["utility", "attacks", "uniqueness", "sizes", "columns", "risk_before", "risk_after"]
MEASURED += ["found_before", "found_after"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found out about one release; each kind of release fills in what it has."""

    name: str
    manifest: Manifest
    verdict: Verdict
    #: What searches that were cut short may have cost, in words.
    cut_short: list[str] = field(default_factory=list)
    #: What was warned of when the original was read and must be seen beside the verdict.
    warned: list[str] = field(default_factory=list)
    #: Columns that are published as they were, and how many different values they have for each row.
    unprotected: list[tuple[str, float]] = field(default_factory=list)
    #: How well exact knowledge tells people apart, which the promise does not cover; see
    #: `covey.measure.uniqueness.before_and_after`.
    uniqueness: Figures = field(default_factory=dict)
    #: Ranges of the sizes of groups, or of classes of rows that look alike, and how many fall into each.
    sizes: list[tuple[str, int]] = field(default_factory=list)
    #: Mean and largest share of holders of a sensitive item in its group, over sensitive entries.
    shares: tuple[float, float] | None = None
    #: Name and role of each column, and how many different values it has.
    columns: list[tuple[str, str, int]] = field(default_factory=list)
    #: Labels to use in the examples of queries.
    examples: Mapping[str, str] = field(default_factory=dict)
    #: What is sensitive: items, columns or issues.
    sensitive: list[str] = field(default_factory=list)
    #: Whether the original was at hand: for the checks and, if these were passed, for the figures below.
    with_original: bool = False
    #: Which rows of the original were left out before anything was made of it, in words.
    cleaned: str = ""
    #: Chance of finding a row by number of known items.
    risk_before: list[dict[str, Any]] = field(default_factory=list)
    risk_after: list[dict[str, Any]] = field(default_factory=list)
    #: Chance of finding a row by all its quasi-identifiers; see `covey.measure.profile.RowExposure`. With `persons`,
    #: how many there are, where they are counted.
    found_before: Mapping[str, float] | None = None
    found_after: Mapping[str, float] | None = None
    utility: Figures = field(default_factory=dict)
    attacks: list[dict[str, Any]] = field(default_factory=list)
    #: Answers beside the truth.
    questions: list[Question] = field(default_factory=list)

    def measured(self) -> dict[str, Any]:
        """What was measured, as plain data for JSON."""
        figures = {name: getattr(self, name) for name in MEASURED}
        return {"kind": self.manifest.kind, **figures, "questions": [asdict(one) for one in self.questions]}

    @property
    def words(self) -> Words | None:
        """The words for the kind of release; None when its manifest states one that this version does not know."""
        with suppress(ReleaseError):
            return release_kind(self.manifest.kind).words
        return None


def examine_release(
    directory: str | Path,
    manifest: Manifest,
    verdict: Verdict,
    release: Any = None,
    original: Any = None,
    *,
    taxonomy: Any = None,
    seed: int = 0,
    cleaned: str = "",
    warned: Sequence[str] = (),
    progress: Progress = silent,
) -> Findings:
    """Gather what a report states.

    Parameters
    ----------
    directory : path
        Where the release is; only its name is used.
    manifest, verdict
        What it states, and what was checked.
    release : release or None
        What is published; None when it cannot be read, or must not be trusted.
    taxonomy : Taxonomy or None
        What the labels of sets were generalized along.
    cleaned : str
        Which rows of the original were left out before, in words.
    warned : sequence of str
        What was warned of when the original was read and must be seen beside the verdict.
    """
    found: dict[str, Any] = {"name": Path(directory).resolve().name, "manifest": manifest, "verdict": verdict}
    if release is None:
        return Findings(**found, with_original=original is not None)
    progress("drawing", 0.0)
    found |= {"cut_short": cut_short(manifest), "sensitive": sensitive_of(release)}
    found["unprotected"] = release.unprotected()
    if isinstance(release, RatingsRelease):
        found["uniqueness"] = before_and_after(release, original)
    found |= by_kind(release, original, seed)
    if original is not None:
        progress("measuring", 0.4)
        found |= {
            "with_original": True,
            "cleaned": cleaned,
            "warned": list(warned),
            "utility": evaluate(release, original, seed, taxonomy=taxonomy),
        }
        progress("attacking", 0.7)
        if release.kind in ATTACKS:
            found["attacks"] = [result.to_dict() for result in run_attacks(release, original, seed)]
    return Findings(**found)
