"""Guarantees and methods that can be chosen for a kind of data, in the order of the registry."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import call_text
from covey.registry import METHODS, MethodEntry, find
from covey.report.words import promise_of
from covey.web.records.choices import Field, GuaranteeChoice, MethodChoice
from covey.web.server.parameters import (
    fields_of,
    guarantee_class,
    parameter_docs,
    suggested_values,
    summary_of,
)


def guarantee_names(kind: str) -> list[str]:
    """Guarantees that some method keeps for a kind of data, in the order of the registry.

    Examples
    --------
    >>> guarantee_names("table")
    ['k-anonymity', 'l-diversity']
    """
    return list(dict.fromkeys(name for entry in METHODS if entry.data == kind for name in entry.guarantees))


def method_entries(kind: str, guarantee: str) -> list[MethodEntry]:
    """The methods that keep a guarantee for a kind of data, the recommended one first."""
    return [entry for entry in METHODS if entry.data == kind and guarantee in entry.guarantees]


def guarantee_choices(
    kind: str, limits: Mapping[str, Any], *, sensitive: bool, taxonomy: bool
) -> list[GuaranteeChoice]:
    """The guarantees for a kind of data, the most fitting first.

    Parameters
    ----------
    kind : str
        Of data.
    limits : mapping
        As from `covey.web.work.examining.limits`; empty when they are not known yet.
    sensitive, taxonomy : bool
        Whether sensitive things are named, and a taxonomy is given.
    """
    names = guarantee_names(kind)
    # Without anything sensitive, hiding people among their like is what is left to promise.
    fit = [name for name in names if not sensitive or not ignores_sensitive(name, kind)]
    if kind == "baskets" and not sensitive:
        fit = ["km-anonymity"] if taxonomy else ["k-anonymity"]
    if kind == "table" and sensitive and not limits.get("l-diversity", {}).get("blocked"):
        fit = ["l-diversity"]  # looking alike protects no sensitive value that all who look alike share
    first = fit[0] if fit else names[0]
    ordered = sorted(names, key=lambda name: name != first)
    return [_guarantee_choice(name, kind, limits.get(name, {}), sensitive, name == first) for name in ordered]


def ignores_sensitive(name: str, kind: str) -> bool:
    """Whether a guarantee treats all items alike, so that it is none for data with sensitive ones."""
    return kind == "baskets" and bool(getattr(guarantee_class(name), "ignores_sensitive", False))


def _guarantee_choice(
    name: str, kind: str, limit: Mapping[str, Any], sensitive: bool, recommended: bool
) -> GuaranteeChoice:
    cls = guarantee_class(name)
    largest = limit.get("largest", {})
    suggested = suggested_values(name)
    fields = []
    for field in fields_of(cls):
        most = largest.get(field.name)
        value = suggested.get(field.name, field.default)
        if most is not None and isinstance(value, int | float) and value > most:
            value = type(value)(max(most, field.minimum or most))
        fields.append(dataclasses.replace(field, suggestion=value, feasible=most))
    values = {field.name: field.suggestion for field in fields if field.suggestion is not None}
    words = promise_of(call_text(name, values), kind)
    blocked = limit.get("blocked")
    if ignores_sensitive(name, kind) and sensitive:
        blocked = ignored_text(name)
    return GuaranteeChoice(
        name=name,
        summary=summary_of(cls),
        short=words.short,
        meaning=list(words.meaning),
        limits=list(words.limits),
        fields=fields,
        methods=[entry.name for entry in method_entries(kind, name)],
        recommended=recommended,
        needs_sensitive=name in ("degree", "l-diversity", "coherence"),
        blocked=blocked,
    )


def ignored_text(name: str) -> str:
    """Why a guarantee that treats all items alike is refused when some are marked as sensitive."""
    return (
        f"{name} treats all items alike: those marked as sensitive would be published like any other. Unmark them, "
        "or promise degree or coherence, which protect them."
    )


def explain(text: str, kind: str) -> dict[str, Any]:
    """A guarantee with its parameters in plain words: ``text``, ``short``, ``meaning``, ``limits``."""
    promise = parse_guarantee(text)
    words = promise_of(promise.text, kind)
    return {
        "text": promise.text,
        "short": words.short,
        "meaning": list(words.meaning),
        "limits": list(words.limits),
    }


def method_choices(kind: str, guarantee: str, *, taxonomy: bool) -> list[MethodChoice]:
    """The methods that keep a guarantee for a kind of data, the recommended one first, with reasons."""
    name = guarantee.partition("(")[0].strip()
    guarantee_class(name)
    entries = method_entries(kind, name)
    found = []
    for place, entry in enumerate(entries):
        cls: Any = entry.load()
        uses = "generalized" in parameter_docs(cls).get("taxonomy", ("", ""))[1].split(";")[0]
        found.append(
            MethodChoice(
                name=entry.name,
                summary=entry.summary,
                paper=entry.paper,
                recommended=place == 0,
                why=_why(place, len(entries), name, uses, taxonomy),
                uses_taxonomy=uses,
                fields=[field for field in fields_of(cls) if not _foreign(entry, field)],
            )
        )
    return found


def _foreign(entry: MethodEntry, field: Field) -> bool:
    """Whether an option is said to be for another kind of data."""
    return entry.data != "table" and field.help.startswith("Tables only")


def _why(place: int, count: int, guarantee: str, uses_taxonomy: bool, taxonomy: bool) -> str:
    if count == 1:
        text = f"The one method that keeps {guarantee} for this kind of data."
    elif place == 0:
        text = f"Recommended: of the methods that keep {guarantee}, it usually keeps most of what the data is good for."
    else:
        text = "Keeps the same promise in another way; for comparison."
    if uses_taxonomy:
        text += (
            " It replaces items by broader ones of your taxonomy."
            if taxonomy
            else " With a taxonomy it could replace items by broader ones; without one it leaves them out."
        )
    return text


def takes_taxonomy(method: str) -> bool:
    """Whether a method has an option for a taxonomy."""
    return any(field.name == "taxonomy" for field in dataclasses.fields(find(method).load()))
