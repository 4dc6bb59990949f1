"""What can be chosen for a kind of data: guarantees and methods, with their parameters as fields of a form.

Everything is derived: which guarantees and methods there are from the registry, the fields from the dataclasses and
their docstrings, the smallest accepted values by asking the dataclasses.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from covey.errors import CoveyError, ParameterError
from covey.guarantees import GUARANTEES
from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import build, call_text, did_you_mean, scalar
from covey.registry import METHODS, MethodEntry, find
from covey.web.records import Field, GuaranteeChoice, MethodChoice

#: Sound values to begin with; what has no entry here is left at its default.
SUGGESTED: Mapping[str, Mapping[str, Any]] = {
    "coherence": {"h": 0.8, "k": 5, "p": 2},
    "degree": {"p": 10},
    "k-anonymity": {"k": 5},
    "k-eps-l": {"k": 5, "epsilon": 1.0},
    "km-anonymity": {"k": 5, "m": 2},
    "l-diversity": {"l": 2, "k": 5},
}

#: Options that are not fields of a form: they come from elsewhere on the page.
_APART = ("seed", "taxonomy")


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


def guarantee_class(name: str) -> Any:
    """The class behind a guarantee's name."""
    if name not in GUARANTEES:
        raise ParameterError(
            f"There is no guarantee '{name}'.{did_you_mean(name, GUARANTEES)} Known: {', '.join(GUARANTEES)}."
        )
    module, _, cls = GUARANTEES[name].partition(":")
    return getattr(import_module(module), cls)


def make_guarantee(name: str, values: Mapping[str, Any]) -> Any:
    """A guarantee from its name and parameters."""
    return build(guarantee_class(name), name, [], {k: v for k, v in values.items() if v is not None})


def suggested_values(name: str) -> dict[str, Any]:
    """Sound parameters to begin with: for every required parameter at least."""
    own = dict(SUGGESTED.get(name, {}))
    for field in fields_of(guarantee_class(name)):
        if field.required and field.name not in own:
            own[field.name] = int(field.minimum or 2) if field.type == "integer" else field.minimum or 1.0
    return own


@cache
def fields_of(cls: Any) -> tuple[Field, ...]:
    """The fields of a guarantee or a method, in order."""
    words = parameter_docs(cls)
    found = []
    for entry in dataclasses.fields(cls):
        if not entry.init or entry.name in _APART:
            continue
        type_text, help_text = words.get(entry.name, ("", ""))
        required = entry.default is dataclasses.MISSING
        default = None if required else entry.default
        found.append(_field(cls, entry.name, str(entry.type), type_text, help_text, required, default))
    return tuple(found)


def _field(
    cls: type[Any], name: str, annotation: str, type_text: str, help_text: str, required: bool, default: Any
) -> Field:
    choices = re.findall(r'"([^"]+)"', type_text) if type_text.startswith("{") else []
    infinite = "inf" in re.split(r"\W+", type_text)
    if choices:
        kind = "choice"
    elif annotation.startswith("bool"):
        kind = "boolean"
    elif annotation.startswith("int") or infinite:
        kind = "integer"
    elif annotation.startswith("float"):
        kind = "number"
    else:
        kind = "text"
    least, most = _range(cls, name, kind)
    return Field(
        name=name,
        type=kind,
        required=required,
        default=default,
        suggestion=default,
        choices=choices,
        minimum=least,
        maximum=most,
        infinite=infinite,
        help=help_text,
    )


def _range(cls: type[Any], name: str, kind: str) -> tuple[float | None, float | None]:
    """The smallest and largest value that the class accepts, found by asking it."""
    if kind not in ("integer", "number"):
        return None, None
    values: dict[str, Any] = {}
    for entry in dataclasses.fields(cls):
        if entry.default is dataclasses.MISSING:
            values[entry.name] = SUGGESTED.get(getattr(cls, "name", ""), {}).get(entry.name, 2)

    def accepts(value: float) -> bool:
        try:
            cls(**{**values, name: value})
        except CoveyError:
            return False
        return True

    if kind == "integer":
        least = next((float(value) for value in range(-1, 17) if accepts(value)), None)
        most = None if accepts(10**9) else next((float(v) for v in range(1024, 0, -1) if accepts(v)), None)
        return (None if least == -1 else least), most
    least = None if accepts(-1.0) else 0.0
    return least, None if accepts(1e9) else next((v for v in (100.0, 1.0) if accepts(v)), None)


@cache
def parameter_docs(cls: Any) -> dict[str, tuple[str, str]]:
    """Type and description of each parameter, from the numpydoc section of the docstring.

    Examples
    --------
    >>> from covey.guarantees.degree import Degree
    >>> parameter_docs(Degree)
    {'p': ('int', 'The privacy degree, at least 2.')}
    """
    text = inspect.getdoc(cls) or ""
    match = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    found: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in (match.group(1) if match else "").splitlines():
        head = re.match(r"(\w[\w, ]*?) : (.*)", line)
        if head and not line.startswith(" "):
            names = [name.strip() for name in head.group(1).split(",")]
            found |= {name: (head.group(2), "") for name in names}
        else:
            for name in names:
                kind, so_far = found[name]
                found[name] = kind, f"{so_far} {line.strip()}".strip().replace("``", "")
    return found


def summary_of(cls: type[Any]) -> str:
    """The first sentence of a class's docstring."""
    return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())


def guarantee_choices(
    kind: str, limits: Mapping[str, Any], *, sensitive: bool, taxonomy: bool
) -> list[GuaranteeChoice]:
    """The guarantees for a kind of data, the most fitting first.

    Parameters
    ----------
    kind : str
        Of data.
    limits : mapping
        As from `covey.web.profiling.limits`; empty when they are not known yet.
    sensitive, taxonomy : bool
        Whether sensitive things are named, and a taxonomy is given.
    """
    names = guarantee_names(kind)
    # Without anything sensitive, hiding people among their like is what is left to promise.
    fit = [name for name in names if not sensitive or not _ignores(name, kind)]
    if kind == "baskets" and not sensitive:
        fit = ["km-anonymity"] if taxonomy else ["k-anonymity"]
    if kind == "table" and sensitive and not limits.get("l-diversity", {}).get("blocked"):
        fit = ["l-diversity"]  # looking alike protects no sensitive value that all who look alike share
    first = fit[0] if fit else names[0]
    ordered = sorted(names, key=lambda name: name != first)
    return [_guarantee_choice(name, kind, limits.get(name, {}), sensitive, name == first) for name in ordered]


def _ignores(name: str, kind: str) -> bool:
    return kind == "baskets" and bool(getattr(guarantee_class(name), "ignores_sensitive", False))


def _guarantee_choice(
    name: str, kind: str, limit: Mapping[str, Any], sensitive: bool, recommended: bool
) -> GuaranteeChoice:
    from covey.report.words import promise_of

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
    if _ignores(name, kind) and sensitive:
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
    from covey.report.words import promise_of

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


def finite(value: Any) -> Any:
    """Infinity as text, for JSON; anything else as it is."""
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def takes_taxonomy(method: str) -> bool:
    """Whether a method has an option for a taxonomy."""
    return any(field.name == "taxonomy" for field in dataclasses.fields(find(method).load()))


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


def costly(guarantee: str, limits: Mapping[str, Any]) -> str | None:
    """What a guarantee that is perhaps possible would cost in data with these limits; None if nothing is known."""
    promise = parse_guarantee(guarantee)
    spread = _asked_spread(promise, limits.get(promise.name, {}))
    if spread is None or promise.l <= spread[0]:
        return None
    return (
        f"l = {promise.l:g} is more than everybody together reaches: people will have to be left out, and it may turn "
        f"out to be impossible. l = {spread[0]:g} can be kept for sure."
    )


def _asked_spread(promise: Any, limit: Mapping[str, Any]) -> Sequence[float] | None:
    """Where a guarantee asks how far ratings spread: the spread over everybody, and the most of any people."""
    if "spread" not in limit or promise.l is None:
        return None
    found: Sequence[float] = limit["spread"][promise.nulls]
    return found


def settle(
    kind: str,
    guarantee: str,
    method: str | None,
    options: Mapping[str, Any],
    seed: int | None,
    *,
    sensitive: bool,
) -> tuple[str, str, dict[str, Any]]:
    """Check a wish before anything is started; returns guarantee and method as text, and the options as values."""
    promise = parse_guarantee(guarantee)
    entries = method_entries(kind, promise.name)
    if not entries:
        able = ", ".join(guarantee_names(kind))
        raise ParameterError(
            f"No method keeps {promise.name} for {kind}. What can be promised for it: {able}."
        )
    names = [entry.name for entry in entries]
    if method is not None and method not in names:
        raise ParameterError(
            f"The method {method} does not keep {promise.name} for {kind}.{did_you_mean(method, names)} "
            f"These do: {', '.join(names)}."
        )
    if sensitive and _ignores(promise.name, kind):
        raise ParameterError(ignored_text(promise.name))
    entry = next(entry for entry in entries if method in (None, entry.name))
    given = {name: scalar(value) if isinstance(value, str) else value for name, value in options.items()}
    given = {name: value for name, value in given.items() if value is not None and value != ""}
    apart = next((name for name in _APART if name in given), None)
    if apart is not None:
        raise ParameterError(f"The {apart} is not an option of a method here; it is given by itself.")
    build(entry.load(), entry.name, [], {**given, **({} if seed is None else {"seed": seed})})
    return promise.text, entry.name, given
