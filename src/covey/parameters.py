"""Validating parameters, and the one textual form they have everywhere: ``name(key=value, ...)``.

Guarantees and methods are frozen dataclasses; these functions give all of them the same messages and the
same way from text to object and back.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from covey.errors import ParameterError

Scalar = int | float | str | bool

_CALL = re.compile(r"^\s*([A-Za-z][\w^-]*)\s*(?:\(\s*(.*?)\s*\))?\s*$", re.DOTALL)
_LONGEST_WORD = 200


def integer(owner: str, name: str, value: object, *, minimum: int) -> int:
    """Return `value` as an int of at least `minimum`, or raise `ParameterError`.

    Examples
    --------
    >>> integer("degree", "p", 1, minimum=2)
    Traceback (most recent call last):
        ...
    covey.errors.ParameterError: The 'p' parameter of degree must be an integer >= 2. Got 1 instead.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise ParameterError(
            f"The '{name}' parameter of {owner} must be an integer >= {minimum}. Got {value!r} instead."
        )
    return int(value)


def number(
    owner: str, name: str, value: object, *, minimum: float = -math.inf, maximum: float = math.inf
) -> float:
    """Return `value` as a finite float from `minimum` to `maximum`, or raise `ParameterError`.

    Examples
    --------
    >>> number("coherence", "h", 2, minimum=0, maximum=1)
    Traceback (most recent call last):
        ...
    covey.errors.ParameterError: The 'h' parameter of coherence must be a number >= 0 and <= 1. Got 2 instead.
    """
    # The limits of a float refuse infinity and integers too long to convert; no comparison holds for NaN.
    low, high = max(minimum, -sys.float_info.max), min(maximum, sys.float_info.max)
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    bounds = [f">= {minimum}"] * (minimum > -math.inf) + [f"<= {maximum}"] * (maximum < math.inf)
    wanted = f"a number {' and '.join(bounds)}" if bounds else "a finite number"
    raise ParameterError(f"The '{name}' parameter of {owner} must be {wanted}. Got {value!r} instead.")


def choice(owner: str, name: str, value: object, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of `allowed`, or raise `ParameterError`."""
    if value not in allowed:
        options = ", ".join(repr(a) for a in allowed)
        raise ParameterError(
            f"The '{name}' parameter of {owner} must be one of {options}. Got {value!r} instead."
        )
    return str(value)


def scalar(text: str) -> Scalar:
    """Read one value as written on the command line.

    Examples
    --------
    >>> [scalar(t) for t in ("10", "0.5", "inf", "true", "rcm")]
    [10, 0.5, inf, True, 'rcm']
    """
    text = text.strip().strip("'\"")
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def parse_call(text: str) -> tuple[str, list[Scalar], dict[str, Scalar]]:
    """Split ``name(1, key=2)`` into name, positional and named values.

    Examples
    --------
    >>> parse_call("km-anonymity(5, m=7)")
    ('km-anonymity', [5], {'m': 7})
    """
    match = _CALL.match(text)
    if match is None:
        raise ParameterError(f"Cannot read {text!r}: write a name with its parameters, such as degree(p=10).")
    name, inside = match.group(1), match.group(2)
    positional: list[Scalar] = []
    named: dict[str, Scalar] = {}
    for part in inside.split(",") if inside else []:
        key, equals, value = part.partition("=")
        if not part.strip() or (equals and not (key.strip() and value.strip())):
            raise ParameterError(f"Cannot read {text!r}: {part.strip()!r} is not of the form key=value.")
        if not equals:
            if named:
                raise ParameterError(f"Cannot read {text!r}: a bare value follows a named one.")
            positional.append(scalar(part))
        elif key.strip() in named:
            raise ParameterError(f"Cannot read {text!r}: '{key.strip()}' is given twice.")
        else:
            named[key.strip()] = scalar(value)
    return name, positional, named


def build(cls: type[Any], owner: str, positional: Sequence[Scalar], named: Mapping[str, Scalar]) -> Any:
    """Make a dataclass from parsed values, naming what is unknown, missing or given twice."""
    fields = [f for f in dataclasses.fields(cls) if f.init]
    names = [f.name for f in fields]
    if len(positional) > len(names):
        raise ParameterError(
            f"{owner} takes the parameters {', '.join(names)}; got {len(positional)} values."
        )
    values: dict[str, Scalar] = dict(zip(names, positional, strict=False))
    for key, value in named.items():
        if key not in names:
            takes = f"It takes {', '.join(names)}." if names else "It takes no parameters."
            raise ParameterError(f"{owner} has no parameter '{key}'.{did_you_mean(key, names)} {takes}")
        if key in values:
            raise ParameterError(f"The '{key}' parameter of {owner} is given twice.")
        values[key] = value
    required = [
        f.name
        for f in fields
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    ]
    missing = [name for name in required if name not in values]
    if missing:
        example = f"{owner}({', '.join(f'{name}=…' for name in required)})"
        raise ParameterError(f"{owner} needs the parameter '{missing[0]}': write {example}.")
    return cls(**values)


def call_text(owner: str, values: Mapping[str, object]) -> str:
    """Write ``name(key=value, ...)``, the inverse of `parse_call`.

    Examples
    --------
    >>> call_text("degree", {"p": 10})
    'degree(p=10)'
    """

    def one(value: object) -> str:
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            return str(int(value))
        return str(value).lower() if isinstance(value, bool) else str(value)

    inside = ", ".join(f"{key}={one(value)}" for key, value in values.items() if value is not None)
    return f"{owner}({inside})" if inside else owner


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence with the nearest known words, or nothing, ready to follow a full stop.

    Examples
    --------
    >>> did_you_mean("ordr", ["alpha", "order"])
    " Did you mean 'order'?"
    """
    if len(word) > _LONGEST_WORD:  # comparing takes time that grows with the product of the lengths
        return ""
    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
