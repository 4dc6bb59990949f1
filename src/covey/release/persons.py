"""Whether a release counts persons rather than rows, as its manifest states it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from covey.errors import ParameterError

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


def misstated(facts: Mapping[str, Any], known: Collection[str] = ()) -> str:
    """What is stated besides the unit and the facts `known`, or of the unit what it cannot be, in words.

    Examples
    --------
    >>> misstated({"unit": "visit"})
    "counts something else than persons, 'visit'"
    """
    odd = sorted(set(facts) - {*known, *BY_PERSON})
    if odd:
        return f"states {odd[0]!r}"
    unit = facts.get("unit", "person")
    return "" if unit == "person" else f"counts something else than persons, {str(unit)[:60]!r}"
