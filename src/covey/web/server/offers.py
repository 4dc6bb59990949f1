"""Guarantees and methods that can be chosen for a kind of data, in the order of the registry."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from covey.data.kinds import data_kind
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees import guarantee_class
from covey.parameters import call_text
from covey.registry import MethodEntry, methods
from covey.report.words import promise_about
from covey.web.records.choices import GuaranteeChoice, MethodChoice
from covey.web.server.parameters import fields_of, summary_of


def guarantee_names(kind: str) -> list[str]:
    """Guarantees that some method keeps for a kind of data, in the order of the registry.

    Examples
    --------
    >>> guarantee_names("table")
    ['k-anonymity', 'l-diversity']
    """
    return list(dict.fromkeys(name for entry in methods(data=kind) for name in entry.guarantees))


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
    # Without anything sensitive, hiding people among their like is what is left to promise; looking alike protects no
    # sensitive value that all who look alike share.
    fit = [name for name in names if guarantee_class(name).needs_sensitive == sensitive]
    fit = [name for name in fit if not limits.get(name, {}).get("blocked")] or fit
    along = [name for name in fit if generalizes(methods(guarantee=name, data=kind)[0])]
    first = (along if taxonomy and along else fit or names)[0]
    ordered = sorted(names, key=lambda name: name != first)
    return [_guarantee_choice(name, kind, limits.get(name, {}), sensitive, name == first) for name in ordered]


def ignores_sensitive(name: str, kind: str) -> bool:
    """Whether a guarantee treats all items alike, so that it is none for data with sensitive ones."""
    return data_kind(kind).sensitive_needs_protection and not guarantee_class(name).protects_sensitive


def _guarantee_choice(
    name: str, kind: str, limit: Mapping[str, Any], sensitive: bool, recommended: bool
) -> GuaranteeChoice:
    cls = guarantee_class(name)
    largest = limit.get("largest", {})
    fields = []
    for field in fields_of(cls):
        most = largest.get(field.name)
        value = field.suggestion
        if most is not None and isinstance(value, int | float) and value > most:
            value = type(value)(max(most, field.minimum or most))
        fields.append(dataclasses.replace(field, suggestion=value, feasible=most))
    values = {field.name: field.suggestion for field in fields if field.suggestion is not None}
    words = promise_about(call_text(name, values), kind)
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
        methods=[entry.name for entry in methods(guarantee=name, data=kind)],
        recommended=recommended,
        needs_sensitive=cls.needs_sensitive,
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
    words = promise_about(promise.text, kind)
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
    entries = methods(guarantee=name, data=kind)
    found = []
    for place, entry in enumerate(entries):
        uses = generalizes(entry)
        found.append(
            MethodChoice(
                name=entry.name,
                summary=entry.summary,
                paper=entry.paper,
                recommended=place == 0,
                why=_why(place, len(entries), name, uses, taxonomy),
                uses_taxonomy=uses,
                fields=list(fields_of(entry.load())),
            )
        )
    return found


def generalizes(entry: MethodEntry) -> bool:
    """Whether a method replaces items by broader ones of a taxonomy."""
    return any(parameter.type == "taxonomy" and not parameter.expert for parameter in entry.parameters())


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


def takes_taxonomy(method: str, kind: str) -> bool:
    """Whether a method has an option for a taxonomy."""
    return any(
        p.type == "taxonomy"
        for entry in methods(data=kind)
        if entry.name == method
        for p in entry.parameters()
    )
