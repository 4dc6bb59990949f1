"""How a dataset may be read: the options of its kind, and checking those that are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.data.kinds import ReadingOption, data_kind
from covey.errors import ParameterError
from covey.parameters import did_you_mean

#: Options that hold names of columns, of which there can be several.
COLUMN_LISTS = ("quasi", "identifier", "other", "categorical")

#: How a switch is said to be on or off, besides by true and false themselves.
YES, NO = ("true", "yes"), ("false", "no")


def reading_options(kind: str) -> list[str]:
    """The names of the options with which data of a kind is read; files are given by themselves.

    Examples
    --------
    >>> reading_options("baskets")  # doctest: +ELLIPSIS
    ['format', 'transaction', 'item', 'person', ...]
    """
    return [option.name for option in data_kind(kind).options if not (option.file or option.local)]


def second_files(kind: str) -> list[ReadingOption]:
    """The options of a kind that are a second file, to be given with the first.

    Examples
    --------
    >>> [option.name for option in second_files("records")]
    ['baskets']
    """
    return [option for option in data_kind(kind).options if option.file and not option.many]


def checked_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as text or lists of texts, without those that are empty.

    Examples
    --------
    >>> checked_options("table", {"quasi": ["age", "sex"], "format": ""})
    {'quasi': ['age', 'sex']}
    """
    known = reading_options(kind)
    switches = [option.name for option in data_kind(kind).options if option.switch]
    given: dict[str, Any] = {}
    for name, value in options.items():
        if name not in known:
            raise ParameterError(
                f"{kind} have no reading option '{name}'.{did_you_mean(name, known)} They have {', '.join(known)}."
            )
        if value is None or value == "" or value == []:
            continue
        if isinstance(value, list) and name not in COLUMN_LISTS:
            raise ParameterError(f"The reading option '{name}' is one text, not a list.")
        if name in switches:
            said = str(value).lower()
            if said not in (*YES, *NO):
                raise ParameterError(f"The reading option '{name}' is true or false. Got {value!r} instead.")
            given |= {name: True} if said in YES else {}
            continue
        if isinstance(value, bool):
            raise ParameterError(f"The reading option '{name}' is a text, not {str(value).lower()}.")
        given[name] = [str(part) for part in value] if isinstance(value, list) else str(value)
    return given
