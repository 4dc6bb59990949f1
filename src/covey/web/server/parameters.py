"""The parameters of guarantees and methods as fields of a form.

Everything is derived: the fields from the dataclasses and their docstrings, the smallest accepted values by asking the
dataclasses.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from covey.errors import CoveyError, ParameterError
from covey.guarantees import GUARANTEES
from covey.parameters import did_you_mean
from covey.registry import METHODS
from covey.web.records.choices import Field

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
APART = ("seed", "taxonomy")


def guarantee_names(kind: str) -> list[str]:
    """Guarantees that some method keeps for a kind of data, in the order of the registry.

    Examples
    --------
    >>> guarantee_names("table")
    ['k-anonymity', 'l-diversity']
    """
    return list(dict.fromkeys(name for entry in METHODS if entry.data == kind for name in entry.guarantees))


def guarantee_class(name: str) -> Any:
    """The class behind a guarantee's name."""
    if name not in GUARANTEES:
        raise ParameterError(
            f"There is no guarantee '{name}'.{did_you_mean(name, GUARANTEES)} Known: {', '.join(GUARANTEES)}."
        )
    module, _, cls = GUARANTEES[name].partition(":")
    return getattr(import_module(module), cls)


def suggested_values(name: str) -> dict[str, Any]:
    """Sound parameters to begin with: for every required parameter at least."""
    own = dict(SUGGESTED.get(name, {}))
    for field in fields_of(guarantee_class(name)):
        if field.required and field.name not in own:
            own[field.name] = int(field.minimum or 2) if field.type == "integer" else field.minimum or 1.0
    return own


def suggested_guarantees(kind: str) -> dict[str, dict[str, Any]]:
    """The guarantees for a kind of data, with sound parameters to begin with.

    Examples
    --------
    >>> suggested_guarantees("table")
    {'k-anonymity': {'k': 5}, 'l-diversity': {'l': 2, 'k': 5}}
    """
    return {name: suggested_values(name) for name in guarantee_names(kind)}


@cache
def fields_of(cls: Any) -> tuple[Field, ...]:
    """The fields of a guarantee or a method, in order."""
    words = parameter_docs(cls)
    found = []
    for entry in dataclasses.fields(cls):
        if not entry.init or entry.name in APART:
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
