"""Kinds of release: one object each, from which writer, verifier, metrics, report and page derive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from covey.errors import ReleaseError
from covey.lazy import Lazy, load
from covey.release.persons import data_of

if TYPE_CHECKING:
    from covey.release.base import Release
    from covey.release.manifest import Manifest
    from covey.release.tables import Schema, Tables


class Files(Protocol):
    """What the module ``release/<kind>/files.py`` has."""

    def tables(self, manifest: Manifest) -> Mapping[str, Schema]:
        """The exact tables that a release with this manifest consists of."""

    def problem(self, manifest: Manifest) -> str:
        """What is wrong with the facts of the manifest, in words; nothing when nothing is."""

    def to_tables(self, release: Any) -> Mapping[str, Iterator[Any]]:
        """The tables as covey writes them, in pieces."""

    def from_tables(self, tables: Tables, manifest: Manifest) -> Release:
        """The release that such tables are of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseKind:
    """Everything that is particular to one kind of release.

    Attributes
    ----------
    name : str
        As the manifest states it.
    made_from : tuple of str
        Kinds of data that it can be made from.
    files : Lazy
        The module that knows its tables (`Files`).
    row, group, groups : str
        What a row is called, and what rows that hide each other are called; "" where there are no such.
    keeps : mapping
        What a guarantee means for it in words, by name, where that is not what it means for other kinds.
    counts : mapping
        What each figure of the manifest counts, in words.
    of_records : mapping
        The same of a release from records, where that is something else.
    facts : mapping
        What each fact of the manifest is, in words.
    use : str
        How to compute with it, for its README: Markdown, in which ``$name`` is where SQL reads a table from and
        ``$labels`` the list of labels in a row's column of items.
    drawn : str
        What is made up in complete baskets that are drawn from it; "" where rows are complete as they are.
    hints : Lazy or None
        ``(release) -> reading options`` that the original must be read with to be compared.
    original : Lazy or None
        ``(release, original) -> original``: as a release of this kind sees it, whatever way it was read.
    unprotected : Lazy or None
        ``(release) -> [(column, share of distinct values)]`` for what is published as it was.
    uniqueness : Lazy or None
        ``(release, original or None) -> figures``: how well exact knowledge, which the promise does not cover, tells
        people apart in what is published, and did in the original.
    measures, attacks : mapping
        What can be measured of it, and who can attack it, by name: ``(release, original, **options) -> result``.
    by_person : Lazy or None
        ``(release, original) -> both with a row per person``, for attacks on a release that counts persons.
    approximate : Lazy or None
        ``(release, original) -> str``: why figures about it are approximate, in a sentence; empty where they are not.
    study : Lazy or None
        ``(release, original, seed) -> study``: what its attacks have in common, worked out once and handed to each.
    company : Lazy or None
        ``(release, original, about) -> covey.attacks.company.Company``: who is published with whom, for what two
        releases tell together; None where there are no groups or classes.
    evaluate : Lazy or None
        ``(release, original, extent) -> figures``: all that `covey evaluate` reports.
    kept : Lazy or None
        ``(figures) -> [covey.report.trade.Kept]``: what is left of the original, the most telling yardstick first.
    measure_rows : Lazy or None
        ``(figures) -> [(what is measured, value)]`` in words, for reports and pages.
    evaluation_lines : Lazy or None
        ``(figures) -> lines`` for a terminal.
    cost : Lazy or None
        ``(release, original, taxonomy) -> Cost``: what is left of the original, to be said when it is made.
    findings : Lazy or None
        ``(release, original, seed) -> fields of a report's findings``.
    browse, headline, page : Lazy or None
        For the page: ``(release) -> a view of its rows``, ``(results, figures of the verdict) -> rows``, and its words.
    """

    name: str
    made_from: tuple[str, ...]
    files: Lazy
    row: str
    group: str = ""
    groups: str = ""
    keeps: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, str]
    of_records: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    use: str = ""
    drawn: str = ""
    hints: Lazy | None = None
    original: Lazy | None = None
    unprotected: Lazy | None = None
    uniqueness: Lazy | None = None
    measures: Mapping[str, Lazy] = field(default_factory=dict)
    attacks: Mapping[str, Lazy] = field(default_factory=dict)
    by_person: Lazy | None = None
    approximate: Lazy | None = None
    study: Lazy | None = None
    company: Lazy | None = None
    evaluate: Lazy | None = None
    kept: Lazy | None = None
    measure_rows: Lazy | None = None
    evaluation_lines: Lazy | None = None
    cost: Lazy | None = None
    findings: Lazy | None = None
    browse: Lazy | None = None
    headline: Lazy | None = None
    page: Lazy | None = None

    def counted(self, facts: Mapping[str, Any]) -> Mapping[str, str]:
        """What each figure counts, in words, in a release whose manifest states these facts."""
        return {**self.counts, **(self.of_records if data_of(facts) == "records" else {})}

    def load_files(self) -> Files:
        """The module that knows the tables."""
        files: Files = load(self.files)
        return files


#: What each room does with a release of a kind is the function ``of_<kind>`` of one module.
ROOMS = {
    "evaluate": "covey.metrics.evaluation",
    "kept": "covey.report.trade",
    "cost": "covey.report.cost",
    "measure_rows": "covey.report.measure_rows",
    "evaluation_lines": "covey.report.evaluation_lines",
    "findings": "covey.report.findings_by_kind",
    "browse": "covey.web.work.browsing",
    "headline": "covey.web.server.figures",
}


def in_every_room(name: str, *, without: tuple[str, ...] = ()) -> dict[str, Lazy]:
    """Where the rooms that covey's own kinds share keep what they do with this one.

    Examples
    --------
    >>> in_every_room("sets")["cost"]
    'covey.report.cost:of_sets'
    """
    places = {field: f"{module}:of_{name}" for field, module in ROOMS.items() if field not in without}
    return {**places, "page": f"covey.web.pages.kinds:{name.upper()}"}


#: One line per kind of release.
RELEASE_KINDS: dict[str, Lazy] = {
    "grouped": "covey.release.grouped:GROUPED",
    "sets": "covey.release.sets:SETS",
    "table": "covey.release.table:TABLE",
    "ratings": "covey.release.ratings:RATINGS",
    "records": "covey.release.records:RECORDS",
    "chunks": "covey.release.chunks:CHUNKS",
}


def release_kind(name: str) -> ReleaseKind:
    """Return the kind of release of this name."""
    if name not in RELEASE_KINDS:
        raise ReleaseError(f"This version of covey does not know releases of the kind {name!r}.")
    loaded: ReleaseKind = load(RELEASE_KINDS[name])
    return loaded


def nearly_unique(share: float) -> bool:
    """Whether a column published as it was tells people apart by itself, by the share of its distinct values.

    Examples
    --------
    >>> nearly_unique(0.95), nearly_unique(0.01)
    (True, False)
    """
    return share >= 0.5
