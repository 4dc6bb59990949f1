"""Guarantees and methods that can be chosen for a dataset, as forms, and whether what somebody asks for can be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from covey.counting import counted
from covey.data.kinds import data_kind
from covey.errors import CoveyError, Infeasible, ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees import guarantee_class
from covey.guarantees.words import card
from covey.io.ratings import FORMATS as RATINGS
from covey.io.recognition import FORMATS as BASKETS
from covey.io.table import FORMATS as TABLE
from covey.parameters import Parameter, Scalar, build, call_text, number, parameters_of, scalar
from covey.pipeline import ignored_text, ignores_sensitive
from covey.registry import MethodEntry, methods, promise_about
from covey.web.data import ROLES, Dataset, reading_options, undecided
from covey.web.words import label_of, reading_label

#: The names of the file formats that each kind of data is read from.
FORMATS: Mapping[str, Sequence[str]] = {"baskets": BASKETS, "ratings": RATINGS, "table": TABLE}
#: Options of methods that are not fields of a form: they come from elsewhere on the page.
APART = ("seed", "taxonomy")
#: Before the name of a method's option in a form, so that it meets no other name.
OPTION = "option."
#: What a release states about itself.
ABOUT = ("title", "license", "contact")
#: Reading options that name a column of the file.
COLUMNS = ("transaction", "item", "user", "rating", "person", "name")
#: Weaker strengths for which the price of a promise is stated, too.
PRICED = (4, 2)
#: What somebody on the page can do with a guarantee that protects nothing sensitive.
UNMARK = "Unmark them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input of a form; a choice has `choices`, each a value and words."""

    name: str
    label: str
    hint: str = ""
    value: str = ""
    type: str = "text"
    required: bool = False
    choices: Sequence[tuple[str, str]] = ()


class GuaranteeChoice:
    """A guarantee that some method keeps for this data.

    It is blocked with a reason where it cannot be promised for the data as it is; `limits` say how far its parameters
    go, as `covey inspect` states it, and are empty as long as that is not known.
    """

    def __init__(self, data: Dataset, name: str, limits: Mapping[str, Any], *, recommended: bool) -> None:
        cls = guarantee_class(name)
        self.name, self.limits, self.recommended, self.sensitive = name, limits, recommended, bool(data.sensitive)
        self.words, self.fields, self.needs_sensitive = card(cls), _shown(cls), cls.needs_sensitive
        self.blocked = str(limits.get("blocked") or "")
        if self.sensitive and ignores_sensitive(name, data.kind):
            self.blocked = ignored_text(name, data.kind, UNMARK)
        if cls.needs_sensitive and not self.sensitive:
            self.blocked = "It protects what is marked as sensitive, and nothing is marked yet."

    def inputs(self, given: Mapping[str, str]) -> list[Input]:
        """Return its parameters, filled in with what was given, or else with what suits the data."""
        found = []
        for one in self.fields:
            most = self.limits.get("largest", {}).get(one.name)
            hint = f"{one.says} {_range(one, most)}".strip()
            value = given[one.name] if one.name in given else self._proposed(one, most)
            found.append(_input(one, one.name, hint, value, required=one.required))
        return found

    def _proposed(self, one: Parameter, most: float | None) -> str:
        value = self.limits.get("suggested", {}).get(one.name, one.default if one.suggests is None else one.suggests)
        if most is not None and isinstance(value, int | float) and value > most:
            value = type(value)(max(most, one.at_least or most))
        start = one.suggests_if_sensitive
        if self.sensitive and value in (None, "") and start is not None:
            value = start if most is None else min(most, start)
        return _text(value)

    def text(self, given: Mapping[str, str]) -> str:
        """Return the guarantee with parameters from a form; what was left empty is left out."""
        values: dict[str, Scalar] = {}
        for one in self.fields:
            text, label = given.get(one.name, "").strip(), label_of(one)
            if not text and one.required:
                raise ParameterError(f"Fill in “{label}”.")
            if any(mark in text for mark in ",()="):
                raise ParameterError(f"{text!r} is not a value for “{label}”. Write one number, such as 5 or 0.8.")
            values |= {one.name: scalar(text)} if text else {}
        return call_text(self.name, values)


def _shown(cls: type[Any]) -> list[Parameter]:
    """Return the parameters of a guarantee or a method that are fields of a form, those for experiments last."""
    return [one for one in sorted(parameters_of(cls), key=lambda one: one.expert) if one.name not in APART]


def guarantee_choices(data: Dataset, limits: Mapping[str, Any]) -> list[GuaranteeChoice]:
    """Return what can be promised for a dataset, the most fitting first; `limits` are empty until they are known."""
    kind, sensitive = data.kind, bool(data.sensitive)
    names = list(dict.fromkeys(name for entry in methods(data=kind) for name in entry.guarantees))
    # Without anything sensitive, hiding people among their like is what is left to promise; looking alike protects no
    # sensitive value that all who look alike share.
    fit = [name for name in names if guarantee_class(name).needs_sensitive == sensitive]
    fit = [name for name in fit if not limits.get(name, {}).get("blocked")] or fit
    along = [name for name in fit if methods(guarantee=name, data=kind, taxonomy=True)[0].generalizes]
    first = (along if data.choices.taxonomy and along else fit or names)[0]

    names.sort(key=lambda name: name != first)
    return [GuaranteeChoice(data, name, limits.get(name, {}), recommended=name == first) for name in names]


def chosen_of(choices: Sequence[GuaranteeChoice], name: str) -> GuaranteeChoice:
    """Return the choice of this name, else the recommended one."""
    return min(choices, key=lambda one: (one.name != name, not one.recommended))


def checked(data: Dataset, choice: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, Any]:
    """Return whether a promise can be kept: its ``text`` and words, or a ``message`` with what can be done."""
    try:
        text = parse_guarantee(choice.text(given)).text
        message = data.problem or choice.blocked or infeasible(text, choice.limits)
    except CoveyError as error:
        text, message = "", str(error)
    if message:
        return {"ok": False, "message": message, "fix": _way_out(data, choice, given)}
    words = promise_about(text, data.kind, by_person=data.by_person)
    return {"ok": True, "text": text, "words": words, "warnings": [*_warnings(data, text, choice.limits)]}


def infeasible(text: str, limit: Mapping[str, Any]) -> str:
    """Return what stands against a guarantee in data with these limits; nothing if nothing is known to."""
    promise: Any = parse_guarantee(text)
    for name, most in limit.get("largest", {}).items():
        # Knowing more items than anybody has, or tolerating more than the scale allows, is possible all the same.
        if name in limit.get("hard", ()) and getattr(promise, name) > most:
            return f"{promise.text} cannot be kept with this data: the largest feasible {name} is {most:g}."
    reached, most = _spread(promise, limit)
    if most is not None and promise.l > most:
        return (
            f"{promise.text} cannot be kept with this data: no choice of people has a larger l than {most:g}. "
            f"Without leaving people out, l = {reached:g} can be kept."
        )
    return ""


def _spread(promise: Any, limit: Mapping[str, Any]) -> Sequence[float | None]:
    """Return how far ratings spread, where a guarantee depends on it: over everybody, and the most of any people."""
    return limit["spread"][promise.nulls] if "spread" in limit and promise.l is not None else (None, None)


def _way_out(data: Dataset, choice: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, str]:
    """Return the link to what would make the promise possible, if there is something."""
    here = f"/data/{data.id}"
    if choice.needs_sensitive and not data.sensitive:
        return {"url": f"{here}#sensitive", "words": "Mark what is sensitive"}
    if choice.blocked and data.sensitive and not choice.needs_sensitive:
        return {"url": f"{here}/sensitive/clear?name={choice.name}", "words": "Unmark all items"}
    for name, most in choice.limits.get("largest", {}).items():
        wanted = scalar(given.get(name, ""))
        if isinstance(wanted, int | float) and wanted > most:
            query = urlencode({**given, "name": choice.name, name: f"{most:g}"})
            return {"url": f"{here}/promise?{query}#strength", "words": f"Use {name} = {most:g}"}
    return {}


def _warnings(data: Dataset, text: str, limit: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to think of although a guarantee can be kept."""
    promise: Any = parse_guarantee(text)
    reached, _ = _spread(promise, limit)
    if reached is not None and promise.l > reached:
        yield (
            f"l = {promise.l:g} is more than all people together reach: people will have to be left out, and it may "
            f"turn out to be impossible. l = {reached:g} can be kept for sure."
        )
    if pairs := limit.get("admissible_up_to", []):
        name = promise.bounds_certainty
        strength = getattr(promise, name)
        kept = {p: sum(most >= p for most in pairs) for p in (strength, *(p for p in PRICED if p < strength))}
        if kept[strength] < len(pairs):
            others = "; ".join(f"{count:,} at {name} = {p}" for p, count in kept.items() if p != strength)
            yield (
                f"The price of {name} = {strength}: of the {counted(len(pairs), 'most frequent pair')} of a sensitive "
                f"and an ordinary item, {kept[strength]:,} can be kept{f' ({others})' if others else ''}. In the "
                f"others more than 1 in {strength} of those with the ordinary item hold the sensitive one: no release "
                "with this promise shows that."
            )
    if data_kind(data.kind).by_roles and not data.sensitive:
        yield (
            "No column is marked as sensitive. Values such as an illness or an income are then treated like an age: "
            "made coarser, and not protected from being guessed."
        )
    for name in undecided(data):
        if data.guesses[name]["role"] == "identifier":
            why = data.guesses[name]["why"]
            yield f"The column {name!r} may name people. {why} Say in step 2 whether it is to be left out."


def method_choices(data: Dataset, guarantee: str) -> Sequence[MethodEntry]:
    """Return the methods that keep a guarantee for a dataset, the recommended first."""
    name = guarantee.partition("(")[0].strip()
    guarantee_class(name)
    return methods(guarantee=name, data=data.kind, taxonomy=data.choices.taxonomy is not None)


def method_inputs(method: MethodEntry, given: Mapping[str, str]) -> list[Input]:
    """Return the options of a method."""
    return [
        _input(one, OPTION + one.name, one.says, given.get(OPTION + one.name, _text(one.default)))
        for one in _shown(method.load())
    ]


class ReleaseOrder(NamedTuple):
    """A release to be made: guarantee, method, highest lift, and the options of `covey anonymize`."""

    guarantee: str
    method: str
    audit: float | None
    words: list[str]


def release_order(
    data: Dataset, guarantee: str, method: str, given: Mapping[str, str], limits: Mapping[str, Any]
) -> ReleaseOrder:
    """Return the release that a form describes, checked as far as that is possible before anything starts."""
    promise = parse_guarantee(guarantee)
    entries = method_choices(data, promise.text)
    entry = next((one for one in entries if one.name == method), None)
    if entry is None:
        able = ", ".join(one.name for one in entries) or "none"
        raise ParameterError(f"The method {method} does not keep {promise.name} for {data.kind}. These do: {able}.")
    if data.sensitive and ignores_sensitive(promise.name, data.kind):
        raise ParameterError(ignored_text(promise.name, data.kind, UNMARK))
    texts = {name: text.strip() for name, text in given.items() if text.strip()}
    words = ["--guarantee", promise.text, "--method", entry.name]
    options: dict[str, Scalar] = {}
    for one in _shown(entry.load()):  # options that are as the method has them anyway are left out
        if (text := texts.get(OPTION + one.name, _text(one.default))) != _text(one.default):
            options[one.name] = scalar(text)
            words += ["--set", f"{one.name}={text}"]
    if "seed" in texts:
        options["seed"] = scalar(texts["seed"])
        words += ["--seed", texts["seed"]]
    build(entry.load(), entry.name, [], options)
    audit = None
    if "audit" in texts:
        audit = number(entry.name, "highest_lift", scalar(texts["audit"]), minimum=1)
        words += ["--audit", texts["audit"]]
    if problem := infeasible(promise.text, limits.get(promise.name, {})):
        raise Infeasible(problem, witness="", best=None)
    words += [word for name in ABOUT if name in texts for word in ("--about", f"{name}={texts[name]}")]
    return ReleaseOrder(promise.text, entry.name, audit, words)


def reading_inputs(data: Dataset) -> list[Input]:
    """Return how to read the file, as far as no other form has it."""
    inputs = []
    for option in reading_options(data.kind):
        if option.name in ROLES and data_kind(data.kind).has_columns:
            continue
        none, names = "as usual", option.one_of
        if option.name == "format":
            none, names = "recognize it", tuple(FORMATS.get(data.kind, ()))
        elif option.name in COLUMNS:
            none, names = "not used" if option.name in ("person", "name") else "recognize it", tuple(data.columns)
        choices = [("", none), *((name, name) for name in names)] if names else []
        if option.switch:
            choices = [("", "no"), ("true", "yes")]
        given = data.choices.options.get(option.name, "")
        value = ", ".join(given) if isinstance(given, list) else _text(given)
        label = reading_label(option.name)
        inputs.append(Input(name=option.name, label=label, hint=option.says, value=value, choices=choices))
    return inputs


def reading_of(kind: str, given: Mapping[str, str], before: Dataset) -> dict[str, Any]:
    """Return the options for reading that a form states; roles of columns stay as they were."""
    same = before.kind == kind
    options = dict(before.choices.options) if same else {}
    for one in reading_inputs(before) if same else reading_options(kind):
        text = given.get(one.name, "")
        options[one.name] = text if one.name == "separator" else text.strip()
    return {name: value for name, value in options.items() if value}


def _input(one: Parameter, name: str, hint: str, value: str, *, required: bool = False) -> Input:
    choices = [(choice, choice) for choice in one.one_of]
    if one.type == "boolean":
        choices = [("true", "yes"), ("false", "no")]
    type = "number" if one.type in ("integer", "number") else "text"
    return Input(name=name, label=label_of(one), hint=hint, value=value, type=type, required=required, choices=choices)


def _range(one: Parameter, most: float | None) -> str:
    """Return the range that a parameter accepts with this data, as a sentence."""
    least = one.above if one.at_least is None else one.at_least
    if most is not None and least is not None:
        return f"This data allows only {most:,g}." if least == most else f"This data allows {least:g} to {most:,g}."
    if least is not None and one.at_most is not None:
        return f"From {least:g} to {one.at_most:g}."
    return f"At least {least:g}." if least is not None else ""


def _text(value: Any) -> str:
    """Return a value as it is written in a form.

    Examples
    --------
    >>> [_text(value) for value in (None, True, 5.0, 0.8, "inf")]
    ['', 'true', '5', '0.8', 'inf']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
