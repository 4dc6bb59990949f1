"""What every kind of release has: how it was made, its tables, and the words that explain it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from covey.errors import ParameterError
from covey.tabular import as_frame

if TYPE_CHECKING:
    import pyarrow as pa

    from covey.release.manifest import Manifest
    from covey.release.tables import Schema, Tables


#: What the manifest of a release states that counts persons; one that counts rows states nothing.
BY_PERSON: Mapping[str, str] = {"unit": "person"}

#: What the manifest states of groups of records, so that they can be told from groups of baskets.
SECRET_COLUMNS = "sensitive_columns"


def counts_persons(facts: Mapping[str, Any]) -> bool:
    """Whether persons are counted.

    Examples
    --------
    >>> counts_persons({"unit": "person"}), counts_persons({})
    (True, False)
    """
    return "unit" in facts


def require_same_unit(facts: Mapping[str, Any], original: Any) -> None:
    """Raise when a release counts rows, and its original names persons who have several of them."""
    persons = getattr(original, "persons", None)
    if not counts_persons(facts) and persons is not None and persons < original.n:
        raise ParameterError(
            "This release counts rows, and persons have several of them in the original. Leave out --person (person= "
            "in Python) to compare by rows, or make the release with it."
        )


def data_of(facts: Mapping[str, Any]) -> str:
    """The kind of data that groups of persons are made of, where it is not said by their kind of release.

    Examples
    --------
    >>> data_of({"unit": "person", "sensitive_columns": []}), data_of({})
    ('records', '')
    """
    return "records" if SECRET_COLUMNS in facts else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """How a release was made, as far as its manifest may say.

    The options never include a seed. The notes are the options that cut a search short; what that may have cost is
    declared with the option.
    """

    guarantee: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words for one kind of release."""

    #: What a row, and rows that hide each other, are called.
    row: str
    group: str = ""
    groups: str = ""
    #: What the counts and facts of the manifest are; and the counts of a release made from records, where they differ.
    counts: Mapping[str, str]
    facts: Mapping[str, str] = field(default_factory=dict)
    of_records: Mapping[str, str] = field(default_factory=dict)
    #: The README's section on computing, in which ``$name`` is where SQL reads a table from and ``$labels`` the labels
    #: of a row; and the same for releases that count persons, where it differs.
    use: str = ""
    use_by_person: str = ""
    #: What is made up in baskets drawn from such a release.
    drawn: str = ""

    def counted(self, facts: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the words for the counts of a release whose manifest states these facts."""
        return {**self.counts, **(self.of_records if data_of(facts) == "records" else {})}


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False, kw_only=True)
class Release:
    """A release of any kind; each kind is a subclass in a module of its own."""

    #: The name of the kind, as manifests state it.
    kind: ClassVar[str]
    #: The kinds of data that it can be made from.
    data_kinds: ClassVar[tuple[str, ...]]
    #: What explains it.
    words: ClassVar[Words]
    #: The facts that its manifest may state.
    stated: ClassVar[tuple[str, ...]] = ()
    #: The tables that have its rows, side by side; the first of all where this is empty.
    framed: ClassVar[tuple[str, ...]] = ()

    #: How it was made.
    made: Statement

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables that a release with this manifest consists of."""
        raise NotImplementedError

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """Return what is wrong with the facts of a manifest, in words; "" when nothing is."""
        odd, unit = sorted(set(manifest.facts) - set(cls.stated)), manifest.facts.get("unit", "person")
        if odd:
            return f"states {odd[0]!r}"
        return "" if unit == "person" else f"counts something else than persons, {str(unit)[:60]!r}"

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """Read the release from its tables; raise `TamperedRelease` where they contradict each other."""
        raise NotImplementedError

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written, each in pieces."""
        raise NotImplementedError

    def counts(self) -> dict[str, int]:
        """Return the figures that the manifest states; nothing about single rows."""
        raise NotImplementedError

    def facts(self) -> dict[str, object]:
        """Return what else the manifest must state for the tables to be understood."""
        return {}

    def named_columns(self) -> Mapping[str, Mapping[str, str]]:
        """Return the columns of tables whose schema does not name them, and what each means."""
        return {}

    @property
    def made_from(self) -> str:
        """The kind of data that it was made from."""
        return self.data_kinds[0]

    @property
    def guarantee(self) -> str:
        """What is promised, as text."""
        return self.made.guarantee

    @property
    def method(self) -> str:
        """Which method made it."""
        return self.made.method

    @property
    def options(self) -> Mapping[str, Any]:
        """The method's options."""
        return self.made.options

    @property
    def notes(self) -> tuple[str, ...]:
        """The options that cut a search short."""
        return self.made.notes

    def reading_options(self) -> Mapping[str, object]:
        """Return the options with which the original must be read to be compared."""
        return {}

    def unprotected(self) -> list[tuple[str, float]]:
        """Return the columns published as they were, each with its number of distinct values per row."""
        return []

    @classmethod
    def supports_queries(cls) -> bool:
        """Return whether `estimate` has answers."""
        return cls.estimate is not Release.estimate

    def estimate(
        self, sensitive: str | None = None, *, present: Collection[str] = (), absent: Collection[str] = ()
    ) -> Any:
        """Estimate how many rows have some items and not others; only groups and chunks leave that open."""
        raise ParameterError(
            f"Estimates come from groups and chunks, and this is a {self.kind} release: read its tables as they "
            "are, with any tool or with covey.read_release."
        )

    def to_frame(self, table: str | None = None, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """Return one of the published tables as a frame, exactly as it stands in the files.

        By default it has the rows: what stands in several tables row by row is put side by side.
        """
        made = self.tables()
        rows = [name for name in self.framed if name in made] or [next(iter(made))]
        if table is not None and table not in made:
            raise ParameterError(f"This release has the tables {', '.join(made)}, not {table!r}.")
        shown = rows if table in (None, rows[0]) else [table]
        return as_frame(*(made[name] for name in shown), library=library)
