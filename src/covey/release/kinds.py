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

    Words: `row`, `group` and `groups` are what a row, and rows that hide each other, are called. `keeps` has what a
    guarantee means where that differs from other kinds, `counts` and `facts` what the figures and facts of the manifest
    are (`of_records`: in a release from records), `use` the README's section on computing, in which ``$name`` is where
    SQL reads a table from and ``$labels`` the labels of a row, and `drawn` what is made up in baskets drawn from it.

    The others are functions, or where they are; None where there is none:

    - ``hints(release)``: the reading options that the original needs to be compared.
    - ``unprotected(release)``: (column, share of distinct values) for what is published as it was.
    - ``uniqueness(release, original or None)``: how well exact knowledge, which the promise does not cover, tells
      people apart in what is published, and in the original.
    - ``measures`` and ``attacks`` by name, each ``(release, original, **options)``.
    - ``by_person(release, original)``: both with a row per person, for attacks on a release that counts persons.
    - ``approximate(release, original)``: why figures about it are approximate, in a sentence; "" where they are not.
    - ``study(release, original, seed)``: what its attacks have in common.
    - ``company(release, original, about)``: who is published with whom, for attacks with two releases.
    - ``evaluate(release, original, extent)``: the figures of `covey evaluate`; ``kept``, ``measure_rows`` and
      ``evaluation_lines`` turn them into what is left of the original, rows of reports, and lines for a terminal.
    - ``cost(release, original, taxonomy)``: what is left of the original, reported when it is made.
    - ``findings(release, original, seed)``: the fields of a report's findings.
    - ``browse(release)``, ``headline(results, figures)`` and `page`: its rows, headline and words on the page.
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
    "evaluate": "covey.measure.evaluation",
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
