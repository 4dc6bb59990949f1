"""What is told of a dataset, its items and its risk: plain frozen records, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from covey.data.kinds import USUAL_KIND

#: The states of what is found out about a dataset in the background.
State = Literal["pending", "ready", "failed"]
PENDING: State = "pending"
READY: State = "ready"
FAILED: State = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The first rows of a file as it was understood.

    Attributes
    ----------
    columns : list of str
        Headings; empty for lists of items.
    rows : list of list of str
        The first rows, cells or items as text.
    """

    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """One original: where it came from, how it is read, and what was found out about it.

    Attributes
    ----------
    id, name : str
        The name is for people: that of the file.
    origin : str
        ``upload``, ``root`` (picked below the folder that was opened) or ``demo``.
    size, created : int, float
        Bytes, and seconds since 1970.
    kind : str
        ``baskets``, ``ratings`` or ``table``: recognised, or as configured.
    recognised : str
        One sentence: what the file was understood to be.
    columns : list of str
        The columns of the file; empty for lists of items.
    preview : Preview
        The first rows.
    options : mapping
        How to read it: what `covey.read`, `covey.read_ratings` or `covey.read_table` take.
    sensitive : list of str
        Sensitive items, issues or columns.
    taxonomy : str or None
        The name of the file with the taxonomy.
    taxonomy_lacks : int
        How many items of the data are not in it.
    hierarchies : mapping
        Of tables: column to the name of the file with its hierarchy.
    files : mapping
        Reading options that are files, such as the items of records, and the names of these.
    state : str
        ``pending`` while it is being read, ``ready``, or ``failed``.
    stage, fraction : str, float
        How far reading has come.
    problem : str or None
        Why it cannot be used as it is configured, with a remedy.
    shape : mapping
        Once ready: figures such as transactions, items, entries, density; see `covey.web.work.profiling.shape_of`.
    """

    id: str
    name: str
    origin: str
    size: int
    created: float
    kind: str = USUAL_KIND
    recognised: str = ""
    columns: list[str] = field(default_factory=list)
    preview: Preview = field(default_factory=Preview)
    options: dict[str, Any] = field(default_factory=dict)
    sensitive: list[str] = field(default_factory=list)
    taxonomy: str | None = None
    taxonomy_lacks: int = 0
    hierarchies: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    state: State = PENDING
    stage: str = ""
    fraction: float = 0.0
    problem: str | None = None
    shape: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownName:
    """A name that is not in the data, and a question with the nearest that are; empty when there are none."""

    label: str
    near: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedList:
    """What became of a list of names to be marked as sensitive.

    Attributes
    ----------
    dataset : Dataset
        As it is now.
    known : int
        Names of the list that the data has.
    marked : bool
        Whether these were marked; not while some are unknown, unless that was allowed.
    unknown : list of UnknownName
        Names that the data does not have.
    """

    dataset: Dataset
    known: int
    marked: bool
    unknown: list[UnknownName]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderEntry:
    """A file or folder below the root.

    Attributes
    ----------
    name, path : str
        The path is relative to the root, with forward slashes.
    folder : bool
        Whether it is a folder.
    size : int
        Bytes; 0 for folders.
    """

    name: str
    path: str
    folder: bool
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item, issue or column, how often it occurs, and whether it is marked as sensitive.

    `support` counts transactions with the item, ratings of the issue, or different values of the column; `codes` are
    what the file has in its place, where codes were given names.
    """

    item: str
    support: int
    sensitive: bool
    codes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """What a search found: how many there are in all, and those shown, the most frequent first."""

    total: int
    items: list[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPoint:
    """What someone who knows a few things about a person achieves in the original; see `covey.measure`.

    Attributes
    ----------
    known : int
        How many items, exact ratings, or columns are known.
    risk : float
        Mean probability of picking the right record.
    unique : float
        Share of the cases in which only one record fits.
    eligible : int
        Records with so many items; the point says nothing when it is 0.
    """

    known: int
    risk: float
    unique: float
    eligible: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The exposure of the original, for its present sensitive items.

    Attributes
    ----------
    state : str
        ``pending``, ``ready`` or ``failed``.
    fraction : float
        How far it has come.
    problem : str or None
        Why it cannot be told.
    unit : str
        What is known: ``items``, ``ratings`` or ``columns``.
    points : list of RiskPoint
        By number of known things.
    curve : list of mapping
        Of ratings: the largest ``k`` that holds at each ``epsilon``; empty for large data.
    exposure : mapping
        Of tables, for whoever knows all quasi-identifiers: ``mean``, ``worst`` and ``unique``.
    """

    state: State
    fraction: float = 0.0
    problem: str | None = None
    unit: str = "items"
    points: list[RiskPoint] = field(default_factory=list)
    curve: list[dict[str, float]] = field(default_factory=list)
    exposure: dict[str, float] = field(default_factory=dict)
