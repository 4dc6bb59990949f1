"""Guarantees and methods that can be chosen for a dataset, and whether what somebody asks for can be done."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from covey.counting import counted
from covey.data.kinds import data_kind
from covey.errors import ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees import guarantee_class
from covey.parameters import build, call_text, did_you_mean, scalar
from covey.pipeline import ignored_text, ignores_sensitive
from covey.registry import methods, promise_about
from covey.web.records.choices import GuaranteeChoice, MethodChoice
from covey.web.records.datasets import FAILED, Dataset
from covey.web.records.roles import guesses_of, unconfirmed
from covey.web.server.datasets import Datasets
from covey.web.server.exposure import Exposure
from covey.web.server.parameters import APART, fields_of, guarantee_names, summary_of

#: What somebody on the page can do with a guarantee that protects nothing sensitive.
UNMARK = "Unmark them"

#: Weaker strengths that the price of a promise is told for, too.
PRICED = (4, 2)


def guarantee_choices(
    kind: str, limits: Mapping[str, Any], *, sensitive: bool, taxonomy: bool, by_person: bool = False
) -> list[GuaranteeChoice]:
    """The guarantees for a kind of data, the most fitting first.

    `limits` are those of `covey.web.work.profiling.limits`, empty when they are not known yet; `sensitive`, `taxonomy`
    and `by_person` say whether anything is marked, a taxonomy given, and persons named.
    """
    names = guarantee_names(kind)
    # Without anything sensitive, hiding people among their like is what is left to promise; looking alike protects no
    # sensitive value that all who look alike share.
    fit = [name for name in names if guarantee_class(name).needs_sensitive == sensitive]
    fit = [name for name in fit if not limits.get(name, {}).get("blocked")] or fit
    along = [name for name in fit if methods(guarantee=name, data=kind, taxonomy=True)[0].generalizes]
    first = (along if taxonomy and along else fit or names)[0]
    ordered = sorted(names, key=lambda name: name != first)
    return [
        _guarantee_choice(name, kind, limits.get(name, {}), sensitive, by_person, recommended=name == first)
        for name in ordered
    ]


def _guarantee_choice(
    name: str, kind: str, limit: Mapping[str, Any], sensitive: bool, by_person: bool, *, recommended: bool
) -> GuaranteeChoice:
    cls = guarantee_class(name)
    largest = limit.get("largest", {})
    fields = []
    for field in fields_of(cls):
        most = largest.get(field.name)
        value = limit.get("suggested", {}).get(field.name, field.suggestion)
        if most is not None and isinstance(value, int | float) and value > most:
            value = type(value)(max(most, field.minimum or most))
        fields.append(dataclasses.replace(field, suggestion=value, feasible=most))
    values = {field.name: field.suggestion for field in fields if field.suggestion is not None}
    words = promise_about(call_text(name, values), kind, by_person=by_person)
    blocked = limit.get("blocked")
    if ignores_sensitive(name, kind) and sensitive:
        blocked = ignored_text(name, kind, UNMARK)
    return GuaranteeChoice(
        name=name,
        summary=summary_of(cls),
        short=words.short,
        meaning=list(words.meaning),
        limits=list(words.limits),
        fields=fields,
        recommended=recommended,
        needs_sensitive=cls.needs_sensitive,
        blocked=blocked,
    )


def method_choices(kind: str, guarantee: str, *, taxonomy: bool) -> list[MethodChoice]:
    """The methods that keep a guarantee for a kind of data, the recommended one first, with reasons."""
    name = guarantee.partition("(")[0].strip()
    guarantee_class(name)
    entries = methods(guarantee=name, data=kind, taxonomy=taxonomy)
    return [
        MethodChoice(
            name=entry.name,
            summary=entry.summary,
            paper=entry.paper,
            recommended=place == 0,
            why=_why(place, len(entries), name, entry.generalizes, taxonomy),
            uses_taxonomy=entry.generalizes,
            fields=list(fields_of(entry.load())),
        )
        for place, entry in enumerate(entries)
    ]


def _why(place: int, count: int, guarantee: str, uses_taxonomy: bool, taxonomy: bool) -> str:
    if count == 1:
        text = f"The one method that keeps {guarantee} for this kind of data."
    elif place == 0:
        text = f"Recommended: among the methods that keep {guarantee}, usually the best choice."
    else:
        text = "Keeps the same promise in another way; for comparison."
    if uses_taxonomy:
        text += (
            " It replaces items by broader ones of your taxonomy."
            if taxonomy
            else " With a taxonomy it could replace items by broader ones; without one it leaves them out."
        )
    return text


def infeasible(guarantee: str, limits: Mapping[str, Any]) -> tuple[str | None, float | None]:
    """What stands against a guarantee in data with these limits, and the best that is possible; None if nothing is."""
    promise = parse_guarantee(guarantee)
    limit = limits.get(promise.name, {})
    if limit.get("blocked"):
        return str(limit["blocked"]), None
    for name, most in limit.get("largest", {}).items():
        value = getattr(promise, name)
        # Knowing more items than anybody has, or tolerating more than the scale allows, is possible all the same.
        if name in limit.get("hard", ()) and value > most:
            return (
                f"{promise.text} cannot be kept with this data: the largest feasible {name} is {most:g}.",
                most,
            )
    if (spread := _asked_spread(promise, limit)) is not None and promise.l > spread[1]:
        return (
            f"{promise.text} cannot be kept with this data: no choice of people has a larger l than {spread[1]:g}. "
            f"Without leaving people out, l = {spread[0]:g} can be kept.",
            spread[0],
        )
    return None, None


def warning(guarantee: str, limits: Mapping[str, Any]) -> str | None:
    """What a guarantee that is perhaps possible would cost in data with these limits; None if nothing is known."""
    promise = parse_guarantee(guarantee)
    spread = _asked_spread(promise, limits.get(promise.name, {}))
    if spread is None or promise.l <= spread[0]:
        return None
    return (
        f"l = {promise.l:g} is more than all people together reach: people will have to be left out, and it may turn "
        f"out to be impossible. l = {spread[0]:g} can be kept for sure."
    )


def price(guarantee: str, limits: Mapping[str, Any]) -> str | None:
    """How many of the frequent associations with sensitive items a guarantee must destroy; None if none or unknown."""
    promise = parse_guarantee(guarantee)
    pairs = limits.get(promise.name, {}).get("admissible_up_to", [])
    if not pairs:
        return None
    name = promise.bounds_certainty
    strength = getattr(promise, name)
    kept = {p: sum(most >= p for most in pairs) for p in (strength, *(p for p in PRICED if p < strength))}
    if kept[strength] == len(pairs):
        return None
    told = "; ".join(f"{count:,} at {name} = {p}" for p, count in sorted(kept.items(), reverse=True) if p != strength)
    return (
        f"The price of {name} = {strength}: of the {counted(len(pairs), 'most frequent pair')} of a sensitive and an "
        f"ordinary item, {kept[strength]:,} can be kept{f' ({told})' if told else ''}. In the others more than 1 in "
        f"{strength} of those with the ordinary item hold the sensitive one: no release with this promise shows that."
    )


def _asked_spread(promise: Any, limit: Mapping[str, Any]) -> Sequence[float] | None:
    """Where a guarantee asks how far ratings spread: the spread over everybody, and the most of any people."""
    if "spread" not in limit or promise.l is None:
        return None
    found: Sequence[float] = limit["spread"][promise.nulls]
    return found


def checked_request(
    kind: str,
    guarantee: str,
    method: str | None,
    options: Mapping[str, Any],
    seed: int | None,
    *,
    sensitive: bool,
    taxonomy: bool = False,
) -> tuple[str, str, dict[str, Any]]:
    """Check what is asked for before anything starts; returns guarantee and method as text, the options as values."""
    promise = parse_guarantee(guarantee)
    entries = methods(guarantee=promise.name, data=kind, taxonomy=taxonomy)
    if not entries:
        able = ", ".join(guarantee_names(kind))
        raise ParameterError(f"No method keeps {promise.name} for {kind}. What can be promised for it: {able}.")
    names = [entry.name for entry in entries]
    if method is not None and method not in names:
        raise ParameterError(
            f"The method {method} does not keep {promise.name} for {kind}.{did_you_mean(method, names)} "
            f"These do: {', '.join(names)}."
        )
    if sensitive and ignores_sensitive(promise.name, kind):
        raise ParameterError(ignored_text(promise.name, kind, UNMARK))
    entry = next(entry for entry in entries if method in (None, entry.name))
    given = {name: scalar(value) if isinstance(value, str) else value for name, value in options.items()}
    given = {name: value for name, value in given.items() if value is not None and value != ""}
    apart = next((name for name in APART if name in given), None)
    if apart is not None:
        raise ParameterError(f"The {apart} is not an option of a method here; it is given by itself.")
    build(entry.load(), entry.name, [], {**given, **({} if seed is None else {"seed": seed})})
    return promise.text, entry.name, given


class Choices:
    """Guarantees and methods for a dataset."""

    def __init__(self, datasets: Datasets, exposure: Exposure) -> None:
        self._datasets, self._exposure = datasets, exposure

    def guarantees(self, id: str) -> list[GuaranteeChoice]:
        """What can be promised for a dataset, the most fitting first, with parameters and their feasible range.

        The range is known once the risk is.
        """
        dataset = self._datasets.get(id)
        return guarantee_choices(
            dataset.kind,
            self._exposure.limits(id) if dataset.state != FAILED else {},
            sensitive=bool(dataset.sensitive),
            taxonomy=dataset.taxonomy is not None,
            by_person=_by_person(dataset),
        )

    def methods(self, id: str, guarantee: str) -> list[MethodChoice]:
        """The methods that keep a guarantee (a name, or text with parameters) for a dataset, the recommended first."""
        dataset = self._datasets.get(id)
        return method_choices(dataset.kind, guarantee, taxonomy=dataset.taxonomy is not None)

    def explain(self, id: str, guarantee: str) -> dict[str, Any]:
        """A guarantee with its parameters in plain words: ``text``, ``short``, ``meaning``, ``limits``.

        Beside them ``problem`` says what the data does not allow, as far as that is known; None when the guarantee is
        feasible. ``warnings`` say what to think of although it is.
        """
        dataset, text = self._datasets.get(id), parse_guarantee(guarantee).text
        words, limits = promise_about(text, dataset.kind, by_person=_by_person(dataset)), self._exposure.limits(id)
        problem = dataset.problem if dataset.state == FAILED else infeasible(guarantee, limits)[0]
        told = {"text": text, "short": words.short, "meaning": list(words.meaning), "limits": list(words.limits)}
        return {**told, "problem": problem, "warnings": _warnings(dataset, guarantee, limits)}


def _by_person(dataset: Dataset) -> bool:
    """Whether persons will be counted, as far as the data has been read."""
    return "persons" in dataset.shape


def _warnings(dataset: Dataset, guarantee: str, limits: Mapping[str, Any]) -> list[str]:
    found = [warning(guarantee, limits), price(guarantee, limits)]
    if data_kind(dataset.kind).by_roles and not dataset.sensitive:
        found.append(
            "No column is marked as sensitive. Values such as an illness or an income are then treated like an "
            "age: made coarser, and not protected from being guessed."
        )
    for name in unconfirmed(dataset):
        why = guesses_of(dataset)[name]["why"]
        found.append(f"The column {name!r} may name people. {why} Say in step 2 whether it is to be left out.")
    return [text for text in found if text is not None]
