"""What can be chosen for a dataset: plain frozen records, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
