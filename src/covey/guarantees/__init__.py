"""What a release promises: one module per guarantee, one text form everywhere."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from covey.errors import ParameterError
from covey.parameters import build, did_you_mean, parse_call

GUARANTEES = {
    "coherence": "covey.guarantees.coherence:Coherence",
    "degree": "covey.guarantees.degree:Degree",
    "k-anonymity": "covey.guarantees.k_anonymity:KAnonymity",
    "l-diversity": "covey.guarantees.l_diversity:LDiversity",
    "km-anonymity": "covey.guarantees.km_anonymity:KmAnonymity",
}

__all__ = ["GUARANTEES", "guarantee"]


def guarantee(text: Any) -> Any:
    """Make a guarantee from its text; a guarantee itself is returned as it is.

    Examples
    --------
    >>> guarantee("degree(p=10)")
    Degree(p=10)
    >>> guarantee("degree(10)").text
    'degree(p=10)'
    """
    if not isinstance(text, str):
        return text
    name, positional, named = parse_call(text)
    if name not in GUARANTEES:
        raise ParameterError(
            f"There is no guarantee '{name}'.{did_you_mean(name, GUARANTEES)} Known: {', '.join(GUARANTEES)}."
        )
    module, _, cls = GUARANTEES[name].partition(":")
    return build(getattr(import_module(module), cls), name, positional, named)
