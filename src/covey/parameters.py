"""Parameters, declared once: type, range, choices, default and one sentence, in the metadata of a dataclass's field.

Guarantees and methods are frozen dataclasses that inherit `Declared`. Validation at construction, ``--set``, `covey
methods`, the tables in the docs, the forms of the page and the manifest all derive from the declaration. The one
textual form is ``name(key=value, ...)``.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from covey.errors import ParameterError

Scalar = int | float | str | bool
#: A file or directory.
Place = str | os.PathLike[str]

_CALL = re.compile(r"^\s*([A-Za-z][\w^-]*)\s*(?:\(\s*(.*?)\s*\))?\s*$", re.DOTALL)
_LONGEST_WORD = 200
#: The largest integer that a manifest may state: up to here every reader of JSON reads the same number.
LARGEST = 2**53 - 1
#: So alike words are if one may be meant by the other: two letters of three that changed places are.
_NEAR = 0.65
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "str": "choice", "Taxonomy": "taxonomy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What is declared of one parameter."""

    #: As written in text and in Python.
    name: str
    #: Follows from the annotation of the field.
    type: str
    #: One sentence for people.
    says: str
    #: What it is called on a form; its name if left out.
    label: str = ""
    #: Whether it must be given; if not, it has a `default`.
    required: bool = False
    default: Any = None
    #: Whether None is a value, and means that nothing is asked for.
    optional: bool = False
    #: The range of a number; `above` is an open end.
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    #: Whether an integer may also be ``inf``.
    infinite: bool = False
    #: Whether an integer may be larger than `LARGEST`; only what no manifest states.
    any_size: bool = False
    one_of: tuple[str, ...] = ()
    #: A sound value to begin with, where that is not the default, and where something is sensitive.
    suggests: Any = None
    suggests_if_sensitive: Any = None
    #: Left out of the text form while it has its default.
    brief: bool = False
    #: For experiments: pages and tables show it last.
    expert: bool = False
    #: For a limit on a search: what may be lost when the search is cut short by it.
    cut_short: str = ""

    @property
    def wanted(self) -> str:
        """The values it may have, in words.

        Examples
        --------
        >>> Parameter(name="p", type="integer", says="", at_least=2).wanted
        'an integer >= 2'
        """
        if self.type == "choice":
            return f"one of {', '.join(map(repr, self.one_of))}"
        if self.type in ("boolean", "taxonomy"):
            return "true or false" if self.type == "boolean" else "a covey.Taxonomy"
        ends = ((">=", self.at_least), (">", self.above), ("<=", self.at_most))
        bounds = " and ".join(f"{sign} {end:g}" for sign, end in ends if end is not None)
        what = "an integer" if self.type == "integer" else "a number" if bounds else "a finite number"
        return f"{what} {bounds}".strip() + (" or inf" if self.infinite else "")

    def wanted_instead_of(self, value: object) -> str:
        """The values it may have, in words; for an integer that is too large also how large it may be."""
        large = self.type == "integer" and isinstance(value, int) and value > LARGEST
        return f"{self.wanted}, and at most {LARGEST}" if large else self.wanted

    def accepts(self, value: object) -> bool:
        """Whether `value` is of the type and in the range that are declared."""
        if value is None:
            return self.optional
        if self.type == "choice":
            return value in self.one_of
        if self.type == "boolean":
            return isinstance(value, bool)
        if self.type == "taxonomy":
            return type(value).__name__ == "Taxonomy"
        if self.infinite and value == math.inf:
            return True
        whole = self.type == "integer"
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            return False
        # The limits of a float refuse infinity and integers too long to convert; no comparison holds for NaN.
        largest = math.inf if self.any_size else LARGEST if whole else sys.float_info.max
        low = -largest if self.at_least is None else self.at_least
        high = largest if self.at_most is None else min(self.at_most, largest)
        return low <= value <= high and (self.above is None or value > self.above)


def parameter(default: Any = dataclasses.MISSING, *, says: str, **declared: Any) -> Any:
    """Declare a parameter: a dataclass field that knows its range, its choices and what it is for.

    Parameters
    ----------
    default : object, optional
        Left out, the parameter must be given.
    says : str
        One sentence for people.
    **declared
        Anything else that `Parameter` has, apart from name and type, which follow from the field.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Pick(Declared):
    ...     name = "pick"
    ...     count: int = parameter(3, at_least=1, says="How many.")
    >>> Pick(count=0)
    Traceback (most recent call last):
        ...
    covey.errors.ParameterError: The 'count' parameter of pick must be an integer >= 1. Got 0 instead.
    """
    return dataclasses.field(default=default, metadata={"says": says, **declared})


class Declared:
    """A dataclass whose fields are declared with `parameter`; it is validated when it is made."""

    __slots__ = ()

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for declared in parameters_of(type(self)):
            _require(self.name, declared, getattr(self, declared.name))

    def values(self) -> dict[str, Any]:
        """The parameters by name, in order."""
        return {declared.name: getattr(self, declared.name) for declared in parameters_of(type(self))}


def parameters_of(cls: type[Any]) -> tuple[Parameter, ...]:
    """The declared parameters of a class, in order.

    Examples
    --------
    >>> from covey.guarantees.degree import Degree
    >>> [(p.name, p.type, p.at_least) for p in parameters_of(Degree)]
    [('p', 'integer', 2)]
    """
    declared = []
    for field in sorted(dataclasses.fields(cls), key=lambda field: field.name == "seed"):  # which all methods inherit
        kinds = [part.strip() for part in str(field.type).split("|")]
        required = field.default is dataclasses.MISSING
        declared.append(
            Parameter(
                name=field.name,
                type=_TYPES[kinds[0]],
                required=required,
                default=None if required else field.default,
                optional="None" in kinds,
                **field.metadata,
            )
        )
    return tuple(declared)


def integer(owner: str, name: str, value: object, *, minimum: int) -> int:
    """Return `value` as an int of at least `minimum`, or raise `ParameterError`; for what is not a declared field.

    Examples
    --------
    >>> integer("degree", "p", 1, minimum=2)
    Traceback (most recent call last):
        ...
    covey.errors.ParameterError: The 'p' parameter of degree must be an integer >= 2. Got 1 instead.
    """
    _require(owner, Parameter(name=name, type="integer", says="", at_least=minimum, any_size=True), value)
    return int(value)  # type: ignore[call-overload, no-any-return]


def number(
    owner: str, name: str, value: object, *, minimum: float | None = None, maximum: float | None = None
) -> float:
    """Return `value` as a finite float from `minimum` to `maximum`, or raise `ParameterError`.

    Examples
    --------
    >>> number("coherence", "h", 2, minimum=0, maximum=1)
    Traceback (most recent call last):
        ...
    covey.errors.ParameterError: The 'h' parameter of coherence must be a number >= 0 and <= 1. Got 2 instead.
    """
    _require(owner, Parameter(name=name, type="number", says="", at_least=minimum, at_most=maximum), value)
    return float(value)  # type: ignore[arg-type]


def path(owner: str, name: str, value: object) -> Path:
    """Return `value` as a path, or raise `ParameterError`.

    Examples
    --------
    >>> path("publish", "out", 5)
    Traceback (most recent call last):
        ...
    covey.errors.ParameterError: The 'out' parameter of publish must be a path, such as 'folder/name'. Got 5 instead.
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise ParameterError(
            f"The '{name}' parameter of {owner} must be a path, such as 'folder/name'. Got {value!r} instead."
        )
    return Path(value)


def choice(owner: str, name: str, value: object, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of `allowed`, or raise `ParameterError`."""
    _require(owner, Parameter(name=name, type="choice", says="", one_of=tuple(allowed)), value)
    return str(value)


def _require(owner: str, declared: Parameter, value: object) -> None:
    """The one form of a parameter's error."""
    if not declared.accepts(value):
        wanted = declared.wanted_instead_of(value)
        raise ParameterError(f"The '{declared.name}' parameter of {owner} must be {wanted}. Got {value!r} instead.")


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
            if text.lstrip("+-").isdecimal():
                raise ParameterError(f"A number of {len(text):,} digits is too long. Write a smaller one.") from None
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
    name, inside = match.groups()
    positional: list[Scalar] = []
    named: dict[str, Scalar] = {}
    for part in inside.split(",") if inside else []:
        key, equals, value = (word.strip() for word in part.partition("="))
        if not key or (equals and not value):
            raise ParameterError(f"Cannot read {text!r}: {part.strip()!r} is not of the form key=value.")
        if not equals and named:
            raise ParameterError(f"Cannot read {text!r}: a bare value follows a named one.")
        if key in named:
            raise ParameterError(f"Cannot read {text!r}: '{key}' is given twice.")
        if equals:
            named[key] = scalar(value)
        else:
            positional.append(scalar(key))
    return name, positional, named


def build(cls: type[Any], owner: str, positional: Sequence[Scalar], named: Mapping[str, Scalar]) -> Any:
    """Make a dataclass from parsed values, naming what is unknown, missing or given twice."""
    declared = parameters_of(cls)
    names = [one.name for one in declared]
    if len(positional) > len(names):
        raise ParameterError(f"{owner} takes the parameters {', '.join(names)}; got {len(positional)} values.")
    values: dict[str, Scalar] = dict(zip(names, positional, strict=False))
    for key, value in named.items():
        if key not in names:
            takes = f"It takes {', '.join(names)}." if names else "It takes no parameters."
            raise ParameterError(f"{owner} has no parameter '{key}'.{did_you_mean(key, names)} {takes}")
        if key in values:
            raise ParameterError(f"The '{key}' parameter of {owner} is given twice.")
        values[key] = value
    required = [one.name for one in declared if one.required]
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
    >>> did_you_mean("Tset", ["TEST", "tea"])
    " Did you mean 'TEST'?"
    """
    if len(word) > _LONGEST_WORD:  # comparing takes time that grows with the product of the lengths
        return ""
    words = list(known)
    near = difflib.get_close_matches(word, words, n=3, cutoff=_NEAR)
    if not near:  # perhaps in another case
        folded = {one.casefold(): one for one in reversed(words)}
        near = [folded[one] for one in difflib.get_close_matches(word.casefold(), folded, n=3, cutoff=_NEAR)]
    return f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


def as_paths(given: Place | Sequence[Place]) -> tuple[Path, ...]:
    """One path or several, as a tuple.

    Examples
    --------
    >>> as_paths("trace.npz")
    (PosixPath('trace.npz'),)
    """
    return (Path(given),) if isinstance(given, str | os.PathLike) else tuple(map(Path, given))


#: Replaces the limit on what compressed files unpack to.
VARIABLE = "COVEY_MAX_DECOMPRESSED"
_LEAST = 1 << 28
_RATIO = 100
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*(?:([kmgt])(i?)b?|b)?", re.IGNORECASE)


def most_decompressed(packed: int) -> int:
    """Return how many bytes a compressed file of `packed` bytes may unpack to.

    Examples
    --------
    >>> most_decompressed(1000) == 2**28, most_decompressed(10**9) == 10**11
    (True, True)
    """
    given = os.environ.get(VARIABLE, "").strip()
    return byte_count(given) if given else max(_LEAST, _RATIO * packed)


def byte_count(text: str) -> int:
    """Return a number of bytes, with or without a unit.

    Examples
    --------
    >>> byte_count("10GiB") == 10 * 2**30, byte_count("1.5 MB"), byte_count("4096")
    (True, 1500000, 4096)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ParameterError(
            f"The environment variable {VARIABLE} must be a number of bytes such as 10GiB. Got {text!r} instead."
        )
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** " kmgt".index((unit or " ").lower()))
