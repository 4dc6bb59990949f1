"""The parameters of guarantees and methods as fields of a form; all of it follows from their declarations."""

from __future__ import annotations

import inspect
from typing import Any

from covey.guarantees import guarantee_class
from covey.parameters import parameters_of
from covey.registry import methods
from covey.web.records.choices import Field

#: Options that are not fields of a form: they come from elsewhere on the page.
APART = ("seed", "taxonomy")


def guarantee_names(kind: str) -> list[str]:
    """Guarantees that some method keeps for a kind of data, in the order of the registry.

    Examples
    --------
    >>> guarantee_names("table")
    ['k-anonymity', 'l-diversity']
    """
    return list(dict.fromkeys(name for entry in methods(data=kind) for name in entry.guarantees))


def suggested_guarantees(kind: str) -> dict[str, dict[str, Any]]:
    """Sound parameters to begin with, for each guarantee that can be kept for a kind of data."""
    return {
        name: {p.name: p.suggests for p in parameters_of(guarantee_class(name)) if p.suggests is not None}
        for name in guarantee_names(kind)
    }


def fields_of(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a guarantee or a method, those for experiments last."""
    return tuple(
        Field(
            name=parameter.name,
            type=parameter.type,
            required=parameter.required,
            default=parameter.default,
            suggestion=parameter.default if parameter.suggests is None else parameter.suggests,
            choices=list(parameter.one_of),
            minimum=parameter.above if parameter.at_least is None else parameter.at_least,
            maximum=parameter.at_most,
            infinite=parameter.infinite,
            help=parameter.says,
        )
        for parameter in sorted(parameters_of(cls), key=lambda p: p.expert)
        if parameter.name not in APART
    )


def summary_of(cls: type[Any]) -> str:
    """The first sentence of a class's docstring."""
    return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
