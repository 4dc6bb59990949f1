"""Every method covey has: the command line, the docs, the contract tests and the benchmarks derive from it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from covey.errors import ParameterError
from covey.parameters import Scalar, build, did_you_mean, parse_call

PAPERS = {
    "cahd": "Ghinita, Tao, Kalnis: On the Anonymization of Sparse High-Dimensional Data. ICDE 2008",
    "hilbert": "Ghinita, Karras, Kalnis, Mamoulis: Fast Data Anonymization with Low Information Loss. VLDB 2007",
    "mondrian": "LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006",
    "pattern-ka": "PatternKa: Scalable Privacy Algorithm for Sparse High Dimensional Data. KDD 2020 (submission)",
    "mhghs": "Liu, Wang: Anonymizing Transaction Data by Integrating Suppression and Generalization. PAKDD 2010",
    "aa": "Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of Set-valued Data. VLDB 2008",
    "mm": "Xu, Wang, Fu, Yu: Anonymizing Transaction Databases for Publication. KDD 2008",
    "lg": "He, Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodEntry:
    """One line of the registry; a method for two kinds of data has a line for each.

    Attributes
    ----------
    name : str
        What users type.
    target : str
        ``module:Class``; imported when needed.
    data : str
        Kind of input: ``baskets`` or ``table``.
    guarantees : tuple of str
        Names of the guarantees it can keep.
    release : str
        Kind of release it makes.
    summary : str
        One sentence for people.
    paper : str
        Where it comes from.
    """

    name: str
    target: str
    data: str
    guarantees: tuple[str, ...]
    release: str
    summary: str
    paper: str

    def load(self) -> type[Any]:
        """Import and return the method's class."""
        module, _, cls = self.target.partition(":")
        loaded: type[Any] = getattr(import_module(module), cls)
        return loaded

    def options(self) -> dict[str, Any]:
        """The method's options and their defaults, in order."""
        return {f.name: f.default for f in dataclasses.fields(self.load())}


METHODS: tuple[MethodEntry, ...] = (
    MethodEntry(
        name="cahd",
        target="covey.methods.cahd:CAHD",
        data="baskets",
        guarantees=("degree",),
        release="grouped",
        summary="Groups each sensitive basket with similar ones found next to it in a band matrix.",
        paper=PAPERS["cahd"],
    ),
    MethodEntry(
        name="perm-mondrian",
        target="covey.methods.perm_mondrian:PermMondrian",
        data="baskets",
        guarantees=("degree",),
        release="grouped",
        summary="Splits baskets top-down on single items while both halves keep the degree; a rival.",
        paper=PAPERS["cahd"],
    ),
    MethodEntry(
        name="anatomy",
        target="covey.methods.anatomy:Anatomy",
        data="baskets",
        guarantees=("degree",),
        release="grouped",
        summary="Groups baskets at random, whatever their items; what a method must beat.",
        paper=PAPERS["cahd"],
    ),
    MethodEntry(
        name="pattern-ka",
        target="covey.methods.pattern_ka:PatternKa",
        data="baskets",
        guarantees=("k-anonymity",),
        release="generalized",
        summary="Publishes baskets that share a long frequent pattern as that pattern; suppresses, never adds.",
        paper=PAPERS["pattern-ka"],
    ),
    MethodEntry(
        name="pattern-ka",
        target="covey.methods.pattern_ka:PatternKa",
        data="table",
        guarantees=("k-anonymity", "l-diversity"),
        release="table",
        summary="Publishes rows that share most values alike, longest frequent patterns first.",
        paper=PAPERS["pattern-ka"],
    ),
    MethodEntry(
        name="hilbert",
        target="covey.methods.hilbert:Hilbert",
        data="table",
        guarantees=("k-anonymity", "l-diversity"),
        release="table",
        summary="Orders rows along a Hilbert curve and cuts the line optimally into groups.",
        paper=PAPERS["hilbert"],
    ),
    MethodEntry(
        name="mondrian",
        target="covey.methods.mondrian:Mondrian",
        data="table",
        guarantees=("k-anonymity", "l-diversity"),
        release="table",
        summary="Halves the rows at the median of the widest column, again and again.",
        paper=PAPERS["mondrian"],
    ),
    MethodEntry(
        name="mhghs",
        target="covey.methods.mhghs:MHgHs",
        data="baskets",
        guarantees=("km-anonymity",),
        release="generalized",
        summary="Generalizes items along a taxonomy and suppresses a few, in rounds of growing set size.",
        paper=PAPERS["mhghs"],
    ),
    MethodEntry(
        name="hghs",
        target="covey.methods.hghs:HgHs",
        data="baskets",
        guarantees=("km-anonymity",),
        release="generalized",
        summary="Generalizes items along a taxonomy and suppresses a few, in one search over cuts.",
        paper=PAPERS["mhghs"],
    ),
    MethodEntry(
        name="aa",
        target="covey.methods.aa:AA",
        data="baskets",
        guarantees=("km-anonymity",),
        release="generalized",
        summary="Generalizes items along a taxonomy until no small set of them is rare.",
        paper=PAPERS["aa"],
    ),
    MethodEntry(
        name="mm",
        target="covey.methods.mm:MM",
        data="baskets",
        guarantees=("coherence", "km-anonymity"),
        release="generalized",
        summary="Suppresses whole items until no small set is rare or gives a private item away.",
        paper=PAPERS["mm"],
    ),
    MethodEntry(
        name="lg",
        target="covey.methods.lg:LG",
        data="baskets",
        guarantees=("km-anonymity", "k-anonymity"),
        release="generalized",
        summary="Generalizes each transaction by itself until k of them are published alike.",
        paper=PAPERS["lg"],
    ),
)


def methods(*, guarantee: str | None = None) -> tuple[MethodEntry, ...]:
    """The registered methods, or those that can keep the named guarantee; the recommended one first.

    Examples
    --------
    >>> [m.name for m in methods(guarantee="degree")][0]
    'cahd'
    """
    return tuple(m for m in METHODS if guarantee is None or guarantee in m.guarantees)


def kinds_of(name: str, guarantee: str) -> tuple[str, ...]:
    """The kinds of data for which a method keeps a guarantee, the usual one first; none if it is not registered.

    Examples
    --------
    >>> kinds_of("pattern-ka", "k-anonymity"), kinds_of("pattern-ka", "l-diversity")
    (('baskets', 'table'), ('table',))
    """
    return tuple(entry.data for entry in METHODS if entry.name == name and guarantee in entry.guarantees)


def find(name: str, *, data: str | None = None) -> MethodEntry:
    """The registry's entry for a method; an unknown name is an error that lists the known ones.

    Of a method with several lines, the one for this kind of `data`, or else the first.
    """
    lines = [entry for entry in METHODS if entry.name == name]
    if lines:
        return next((entry for entry in lines if entry.data == data), lines[0])
    known = list(dict.fromkeys(m.name for m in METHODS))
    raise ParameterError(
        f"There is no method '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
    )


def method(text: Any, **options: Scalar | None) -> Any:
    """Make a method from its name, or from text such as ``cahd(alpha=5)``, and options.

    Examples
    --------
    >>> method("cahd", alpha=5)
    CAHD(alpha=5, order='rcm', score='overlap', degrees='proxy', seed=None)
    """
    if not isinstance(text, str):
        return text
    name, positional, named = parse_call(text)
    given = {key: value for key, value in options.items() if value is not None}
    return build(find(name).load(), name, positional, {**named, **given})
