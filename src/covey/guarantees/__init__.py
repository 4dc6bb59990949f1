"""What a release promises: one module per guarantee, one text form everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.errors import ParameterError
from covey.lazy import Lazy, load
from covey.parameters import build, did_you_mean, parse_call

if TYPE_CHECKING:
    from covey.guarantees.base import Guarantee

GUARANTEES: dict[str, Lazy] = {
    "coherence": "covey.guarantees.coherence:Coherence",
    "degree": "covey.guarantees.degree:Degree",
    "label-dp": "covey.guarantees.label_dp:LabelDP",
    "k-eps-l": "covey.guarantees.k_eps_l:KEpsL",
    "k-anonymity": "covey.guarantees.k_anonymity:KAnonymity",
    "l-diversity": "covey.guarantees.l_diversity:LDiversity",
    "k-km-anonymity": "covey.guarantees.k_km_anonymity:KKmAnonymity",
    "km-anonymity": "covey.guarantees.km_anonymity:KmAnonymity",
}

__all__ = ["GUARANTEES", "guarantee", "guarantee_class"]


def guarantee_class(name: str) -> type[Guarantee]:
    """The class of a guarantee; an unknown name is an error that lists the known ones."""
    if name not in GUARANTEES:
        raise ParameterError(
            f"There is no guarantee '{name}'.{did_you_mean(name, GUARANTEES)} Known: {', '.join(GUARANTEES)}."
        )
    loaded: type[Guarantee] = load(GUARANTEES[name])
    return loaded


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
        from covey.guarantees.base import Guarantee

        if isinstance(text, Guarantee):
            return text
        raise ParameterError(f"A guarantee is written as text, such as 'degree(p=10)'. Got {text!r} instead.")
    name, positional, named = parse_call(text)
    return build(guarantee_class(name), name, positional, named)
