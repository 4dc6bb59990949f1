"""What the steward tells of data and of the choices it leaves: plain frozen records, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: The states of what is found out about a dataset in the background.
READY, PENDING, BROKEN = "ready", "pending", "failed"


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
    state : str
        ``pending`` while it is being read, ``ready``, or ``failed``.
    stage, fraction : str, float
        How far reading has come.
    problem : str or None
        Why it cannot be used as it is configured, with a remedy.
    shape : mapping
        Once ready: figures such as transactions, items, entries, density; see `covey.web.tasks.shape_of`.
    """

    id: str
    name: str
    origin: str
    size: int
    created: float
    kind: str = "baskets"
    recognised: str = ""
    columns: list[str] = field(default_factory=list)
    preview: Preview = field(default_factory=Preview)
    options: dict[str, Any] = field(default_factory=dict)
    sensitive: list[str] = field(default_factory=list)
    taxonomy: str | None = None
    taxonomy_lacks: int = 0
    hierarchies: dict[str, str] = field(default_factory=dict)
    state: str = PENDING
    stage: str = ""
    fraction: float = 0.0
    problem: str | None = None
    shape: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A name that is not in the data, and a question with the nearest that are; empty when there are none."""

    label: str
    near: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What became of a list of names to be marked as sensitive.

    Attributes
    ----------
    dataset : Dataset
        As it is now.
    known : int
        Names of the list that the data has.
    marked : bool
        Whether these were marked; not while some are unknown, unless that was allowed.
    unknown : list of Unknown
        Names that the data does not have.
    """

    dataset: Dataset
    known: int
    marked: bool
    unknown: list[Unknown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
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

    `support` counts transactions with the item, ratings of the issue, or different values of the column.
    """

    item: str
    support: int
    sensitive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """One page of a search: how many there are in all, and those shown, the most frequent first."""

    total: int
    items: list[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPoint:
    """What somebody who knows a few things about a person achieves in the original; see `covey.metrics`.

    Attributes
    ----------
    known : int
        How many items, exact ratings, or columns are known.
    risk, low, high : float
        Mean probability of picking the right record, and its 95 % interval.
    unique : float
        Share of the cases in which only one record fits.
    eligible : int
        Records with so many items; the point says nothing when it is 0.
    samples : int
        Cases drawn; 0 when the figure is exact.
    """

    known: int
    risk: float
    low: float
    high: float
    unique: float
    eligible: int
    samples: int


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

    state: str
    fraction: float = 0.0
    problem: str | None = None
    unit: str = "items"
    points: list[RiskPoint] = field(default_factory=list)
    curve: list[dict[str, float]] = field(default_factory=list)
    exposure: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One parameter of a guarantee or option of a method, derived from its dataclass and docstring.

    Attributes
    ----------
    name : str
        As in the text form.
    type : str
        ``integer``, ``number``, ``boolean``, ``choice`` or ``text``.
    required : bool
        Whether it has no default.
    default : value or None
        What is used when it is left out.
    suggestion : value or None
        What to put into an empty form.
    choices : list of str
        For ``choice``.
    minimum, maximum : float or None
        What the parameter accepts at all.
    feasible : float or None
        The largest value that this data allows, where there is one.
    infinite : bool
        Whether the text ``inf`` is accepted too.
    help : str
        What it means.
    """

    name: str
    type: str
    required: bool
    default: Any = None
    suggestion: Any = None
    choices: list[str] = field(default_factory=list)
    minimum: float | None = None
    maximum: float | None = None
    feasible: float | None = None
    infinite: bool = False
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteeChoice:
    """A guarantee that some method keeps for this kind of data.

    Attributes
    ----------
    name : str
        For example ``degree``.
    summary : str
        One sentence.
    short : str
        What it promises with the suggested parameters, in plain words.
    meaning, limits : list of str
        What it means for a person in the data, and what it does not promise.
    fields : list of Field
        Its parameters.
    methods : list of str
        Methods that keep it, the recommended one first.
    recommended : bool
        Whether it is the first choice for this data.
    needs_sensitive : bool
        Whether it protects sensitive items, and so needs some.
    blocked : str or None
        Why it cannot be promised for this data as configured; None when it can.
    """

    name: str
    summary: str
    short: str
    meaning: list[str]
    limits: list[str]
    fields: list[Field]
    methods: list[str]
    recommended: bool
    needs_sensitive: bool
    blocked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice:
    """A method that keeps the guarantee for this kind of data.

    Attributes
    ----------
    name, summary, paper : str
        From the registry.
    recommended : bool
        Whether it is the first choice.
    why : str
        Why it is, or what it is for.
    uses_taxonomy : bool
        Whether a taxonomy makes it better.
    fields : list of Field
        Its options, without the seed and the taxonomy.
    """

    name: str
    summary: str
    paper: str
    recommended: bool
    why: str
    uses_taxonomy: bool
    fields: list[Field]
