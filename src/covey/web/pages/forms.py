"""From the fields of the registry to HTML forms, and from filled-in forms back to what the service takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from covey.data.kinds import data_kind
from covey.errors import ParameterError
from covey.io.baskets.recognition import FORMATS as BASKETS
from covey.io.ratings.layout import FORMATS as RATINGS
from covey.io.table.reading import FORMATS as TABLE
from covey.parameters import Scalar, call_text, scalar
from covey.release.about import About
from covey.web.pages.words import GUARANTEES, READING, Parameter, label_of
from covey.web.records.choices import Field, GuaranteeChoice, MethodChoice
from covey.web.records.datasets import Dataset
from covey.web.records.roles import ROLES
from covey.web.server.reading import reading_options

#: Before the name of a method's option in a form, so that it meets no other name.
OPTION = "option."

#: What a release says of itself.
ABOUT = ("title", "license", "contact")

#: The names of the file formats that each kind of data is read from.
FORMATS: Mapping[str, Sequence[str]] = {"baskets": BASKETS, "ratings": RATINGS, "table": TABLE}


#: Columns that need not be there, and what is then so.
UNNAMED = {"person": "nobody is named", "names_column": "not used"}

#: What can be said about persons, in words.
SAID = {
    "missing_person": (
        ("", "refuse the file"),
        ("drop", "leave such rows out"),
        ("alone", "count each as a different person"),
    ),
    "unmatched": (("", "refuse the file"), ("drop", "leave them out")),
    "unit": (("", "persons, once they are named"), ("row", "rows")),
    "row_is_person": (("", "not said"), ("true", "yes")),
    "missing": (("", "as usual"), ("error", "refuse the file"), ("drop", "leave them out"), ("keep", "keep them")),
    "no_header": (("", "names the columns"), ("true", "is a row already")),
    "sensitive_missing": (("", "refuse the file"), ("warn", "go on without them")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input of a form.

    Attributes
    ----------
    name, label, hint, value : str
        As the page shows them.
    type : str
        ``number`` or ``text``; a choice has `choices`.
    required : bool
        Whether it may not stay empty.
    choices : sequence of (str, str)
        Value and words of each choice.
    """

    name: str
    label: str
    hint: str = ""
    value: str = ""
    type: str = "text"
    required: bool = False
    choices: Sequence[tuple[str, str]] = field(default_factory=tuple)


def guarantee_inputs(choice: GuaranteeChoice, given: Mapping[str, str], *, sensitive: bool = False) -> list[Input]:
    """The parameters of a guarantee, filled in with what was given, or else with what suits the data.

    Parameters
    ----------
    choice : GuaranteeChoice
        The guarantee.
    given : mapping
        What the form holds already.
    sensitive : bool
        Whether something is marked as sensitive; what protects it is then proposed too.
    """
    known = GUARANTEES[choice.name].parameters if choice.name in GUARANTEES else {}
    inputs = []
    for one in choice.fields:
        words = known.get(one.name, Parameter(label=one.name, hint=one.help))
        proposed = _text(one.suggestion if one.suggestion is not None else one.default)
        if sensitive and not proposed:
            small = one.feasible is not None and words.start and one.feasible < float(words.start)
            proposed = _text(one.feasible) if small else words.start
        value = given.get(one.name, proposed)
        inputs.append(_input(one, one.name, words.label, f"{words.hint} {_range(one)}".strip(), value))
    return inputs


def guarantee_text(name: str, fields: Iterable[Field], given: Mapping[str, str]) -> str:
    """The guarantee as text; what was left empty is left out.

    Examples
    --------
    >>> guarantee_text("degree", [Field(name="p", type="integer", required=True)], {"p": " 10 "})
    'degree(p=10)'
    """
    values: dict[str, Scalar] = {}
    for one in fields:
        text = given.get(one.name, "").strip()
        if not text and one.required:
            raise ParameterError(f"Fill in “{label_of(name, one.name)}”.")
        if text and ("," in text or "(" in text or ")" in text or "=" in text):
            raise ParameterError(
                f"{text!r} is not a value for “{label_of(name, one.name)}”. Write one number, such as 5 or 0.8."
            )
        if text:
            values[one.name] = scalar(text)
    return call_text(name, values)


def method_inputs(method: MethodChoice, given: Mapping[str, str]) -> list[Input]:
    """The options of a method."""
    inputs = []
    for one in method.fields:
        value = given.get(OPTION + one.name, _text(one.default))
        inputs.append(_input(one, OPTION + one.name, label_of(method.name, one.name), one.help, value))
    return inputs


def method_options(method: MethodChoice, given: Mapping[str, str]) -> dict[str, Any]:
    """The options that differ from what the method does anyway.

    Examples
    --------
    >>> alpha = Field(name="alpha", type="integer", required=False, default=3)
    >>> cahd = MethodChoice(name="cahd", summary="", paper="", recommended=True, why="", uses_taxonomy=False,
    ...                     fields=[alpha])
    >>> method_options(cahd, {"option.alpha": "5"}), method_options(cahd, {"option.alpha": "3"})
    ({'alpha': 5}, {})
    """
    chosen: dict[str, Any] = {}
    for one in method.fields:
        text = given.get(OPTION + one.name, "").strip()
        if text and text != _text(one.default):
            chosen[one.name] = scalar(text)
    return chosen


def seed_of(given: Mapping[str, str]) -> int | None:
    """The seed, or None when it was left empty."""
    text = given.get("seed", "").strip()
    if not text:
        return None
    value = scalar(text)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ParameterError(f"The seed must be a whole number of at least 0, or empty. Got {text!r} instead.")
    return value


def audit_of(given: Mapping[str, str]) -> float | None:
    """The highest lift that an attack may have, or None when it was left empty."""
    text = given.get("audit", "").strip()
    if not text:
        return None
    value = scalar(text)
    if isinstance(value, bool | str) or not value >= 1:
        raise ParameterError(f"The highest lift must be a number of at least 1, or empty. Got {text!r} instead.")
    return float(value)


def about_of(given: Mapping[str, str]) -> About:
    """What the release says of itself; what was left empty is not said."""
    return About(**{name: given[name].strip() for name in ABOUT if given.get(name, "").strip()})


def reading_inputs(data: Dataset) -> list[Input]:
    """How to read the file, as far as it is not asked for elsewhere."""
    inputs = []
    for name in reading_options(data.kind):
        if name in ROLES and data_kind(data.kind).has_columns:
            continue
        label, hint = READING.get(name, (name.capitalize(), ""))
        given = data.options.get(name, "")
        value = ", ".join(given) if isinstance(given, list) else _text(given)
        choices: Sequence[tuple[str, str]] = ()
        if name == "format":
            choices = _or_recognise(FORMATS.get(data.kind, ()))
        elif name in ("transaction", "item", "user", "rating") and data.columns:
            choices = _or_recognise(data.columns)
        elif name in UNNAMED:
            choices = [("", UNNAMED[name]), *((one, one) for one in data.columns)]
        elif name in SAID:
            choices = SAID[name]
        inputs.append(Input(name=name, label=label, hint=hint, value=value, choices=choices))
    return inputs


def _or_recognise(names: Iterable[str]) -> list[tuple[str, str]]:
    return [("", "recognize it"), *((name, name) for name in names)]


def reading_of(kind: str, given: Mapping[str, str], before: Dataset) -> dict[str, Any]:
    """The options for reading that a form states; roles of columns stay as they were."""
    kept = before.options if before.kind == kind else {}
    apart = ROLES if data_kind(kind).has_columns else ()
    options: dict[str, Any] = {name: kept[name] for name in apart if name in kept}
    for name in reading_options(kind):
        text = given.get(name, "").strip() if name != "separator" else given.get(name, "")
        if name not in apart and text:
            options[name] = text
    return options


def _input(one: Field, name: str, label: str, hint: str, value: str) -> Input:
    choices: Sequence[tuple[str, str]] = [(choice, choice) for choice in one.choices]
    if one.type == "boolean":
        choices = [("true", "yes"), ("false", "no")]
    return Input(
        name=name,
        label=label,
        hint=hint,
        value=value,
        type="number" if one.type in ("integer", "number") else "text",
        required=one.required,
        choices=choices,
    )


def _range(one: Field) -> str:
    """The range that a parameter accepts with this data, as a sentence."""
    if one.feasible is not None and one.minimum is not None:
        if one.minimum == one.feasible:
            return f"This data allows only {one.feasible:,g}."
        return f"This data allows {one.minimum:g} to {one.feasible:,g}."
    if one.minimum is not None and one.maximum is not None:
        return f"From {one.minimum:g} to {one.maximum:g}."
    return f"At least {one.minimum:g}." if one.minimum is not None else ""


def _text(value: Any) -> str:
    """A value as it stands in a form."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
