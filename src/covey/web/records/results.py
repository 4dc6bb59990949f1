"""What is told of a release that a job has made: plain frozen records, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from covey.web.records.jobs import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One headline number of a release.

    Attributes
    ----------
    key, label : str
        The label is for people.
    value : float or None
        None when it was not measured.
    unit : str
        ``share`` (0 to 1), ``count``, ``seconds`` or ``number``.
    better : str or None
        ``lower``, ``higher``, or None when neither is.
    """

    key: str
    label: str
    value: float | None
    unit: str
    better: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What was measured of a finished job.

    Attributes
    ----------
    release : str
        Kind of release: ``grouped``, ``generalized``, ``ratings`` or ``table``.
    figures : list of Figure
        Headlines.
    utility : mapping
        As from `covey.measure.evaluate`.
    attacks : list of mapping
        As from `covey.measure.attacks.run_attacks`, for grouped releases.
    uniqueness : mapping
        How well exact knowledge tells people apart, before and after; see `covey.measure.uniqueness`.
    sizes : list of (str, int)
        Ranges of group sizes and how many groups fall into each.
    columns : list of (str, str, int)
        Of tables: name, role and number of different published values.
    risk_before, risk_after : list of mapping
        Of generalized sets: risk by number of known items.
    found_before, found_after : mapping
        Of tables: mean, worst and unique for whoever knows all quasi-identifiers.
    questions : list of mapping
        Examples of questions: sensitive, present, estimate, standard_error, truth.
    weaker : list of mapping
        Where little is left: weaker promises by the same method, each with ``guarantee``, ``kept`` and ``lost``.
    """

    release: str
    figures: list[Figure] = field(default_factory=list)
    utility: dict[str, Any] = field(default_factory=dict)
    attacks: list[dict[str, Any]] = field(default_factory=list)
    uniqueness: dict[str, Any] = field(default_factory=dict)
    sizes: list[tuple[str, int]] = field(default_factory=list)
    columns: list[tuple[str, str, int]] = field(default_factory=list)
    risk_before: list[dict[str, Any]] = field(default_factory=list)
    risk_after: list[dict[str, Any]] = field(default_factory=list)
    found_before: dict[str, float] | None = None
    found_after: dict[str, float] | None = None
    questions: list[dict[str, Any]] = field(default_factory=list)
    weaker: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One group of a release as anybody can read it in the published files.

    Attributes
    ----------
    number : int
        Its place in the list.
    size : int
        Published rows of it.
    persons : int or None
        Where persons are counted beside rows: how many they are; `risk` is about them then.
    members : list of list of str
        Published rows (items, ratings as ``issue: rating``, or cells); at most a few dozen are shown.
    shared : list of str
        What all members have in common, where the group is defined by that.
    sensitive : list of (str, int)
        Sensitive items and how many members hold them, persons where they are counted; or values, and in how many rows
        they are.
    risk : float
        How sure someone can be who knows that a person is in it: of a sensitive item or value where there are such,
        else of the person.
    """

    number: int
    size: int
    members: list[list[str]]
    shared: list[str] = field(default_factory=list)
    sensitive: list[tuple[str, int]] = field(default_factory=list)
    risk: float = 0.0
    persons: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """One page of the groups of a release.

    Attributes
    ----------
    what : str
        ``groups``, ``classes`` (rows published alike) or ``records``.
    total, offset : int
        How many there are, and the number of the first one shown.
    columns : list of str
        Headings of `members`, for tables.
    groups : list of Group
        Those of this page.
    unit : str
        What a row is, in the plural, where it is not what the data calls a row: ``persons``, each with all they have.
    """

    what: str
    total: int
    offset: int
    columns: list[str]
    groups: list[Group]
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What a release can be asked: its sensitive items, and its most frequent ordinary ones.

    Releases in chunks have none of the former. Both are empty for other kinds, which can be read as they are.
    """

    sensitive: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a release to a count query.

    Attributes
    ----------
    sensitive, present, absent
        What was asked.
    estimate, standard_error : float
        If within each group every member is equally likely to be a holder; the error is the spread of dealing at
        random, no error bar of the truth.
    lower, upper : int
        Bounds that hold for certain.
    transactions : int
        All of them.
    matching : int or None
        Of groups: those that match the published items, exact.
    unit : str
        What is counted, in the plural: ``transactions``, or ``persons`` where each has all they hold.
    persons, of_persons : int or None
        Where groups of transactions count persons: how many hold the sensitive item in any transaction, exact, and how
        many persons there are.
    """

    sensitive: str
    present: list[str]
    absent: list[str]
    estimate: float
    standard_error: float
    lower: int
    upper: int
    transactions: int
    matching: int | None = None
    unit: str = "transactions"
    persons: int | None = None
    of_persons: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFigure:
    """One figure of two releases side by side; `better` is ``first``, ``second`` or None."""

    key: str
    label: str
    unit: str
    first: float | None
    second: float | None
    better: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two jobs side by side."""

    first: Job
    second: Job
    figures: list[ComparedFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """How to do the same without the page.

    Attributes
    ----------
    command : str
        One line for a shell.
    python : str
        A script.
    files : list of str
        Names of files the command reads besides the data, which the page offers (the list of sensitive items).
    """

    command: str
    python: str
    files: list[str] = field(default_factory=list)
