"""What a release promises: one module per guarantee, one text form everywhere."""

from __future__ import annotations

from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.guarantees.coherence import Coherence
from covey.guarantees.degree import Degree
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.k_eps_l import KEpsL
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.guarantees.label_dp import LabelDP
from covey.parameters import build, did_you_mean, parse_call

#: One line per guarantee.
GUARANTEES: dict[str, type[Guarantee]] = {
    "degree": Degree,
    "label-dp": LabelDP,
    "k-anonymity": KAnonymity,
    "km-anonymity": KmAnonymity,
    "k-km-anonymity": KKmAnonymity,
    "coherence": Coherence,
    "k-eps-l": KEpsL,
    "l-diversity": LDiversity,
}

__all__ = ["GUARANTEES", "guarantee", "guarantee_class"]


def guarantee_class(name: str) -> type[Guarantee]:
    """The class of a guarantee; an unknown name is an error that lists the known ones."""
    if name not in GUARANTEES:
        raise ParameterError(
            f"There is no guarantee '{name}'.{did_you_mean(name, GUARANTEES)} Known: {', '.join(GUARANTEES)}."
        )
    return GUARANTEES[name]


def guarantee(text: str | Guarantee) -> Guarantee:
    """Make a guarantee from its text; a guarantee itself is returned as it is.

    Examples
    --------
    >>> guarantee("degree(p=10)")
    Degree(p=10)
    >>> guarantee("degree(10)").text
    'degree(p=10)'
    """
    if not isinstance(text, str):
        if isinstance(text, Guarantee):
            return text
        raise ParameterError(f"A guarantee is written as text, such as 'degree(p=10)'. Got {text!r} instead.")
    name, positional, named = parse_call(text)
    made: Guarantee = build(guarantee_class(name), name, positional, named)
    return made
