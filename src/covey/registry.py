"""Every method covey has: the command line, the docs, the contract tests and the benchmarks derive from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

from covey.errors import ParameterError
from covey.guarantees.words import Promise
from covey.parameters import Parameter, Scalar, build, did_you_mean, parameters_of, parse_call
from covey.release.kinds import promise_of

PAPERS = {
    "cahd": "Ghinita, Tao, Kalnis: On the Anonymization of Sparse High-Dimensional Data. ICDE 2008",
    "nearest": "Ghinita, Kalnis, Tao: Anonymous Publication of Sensitive Transactional Data. TKDE 2011",
    "aa": "Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of Set-valued Data. VLDB 2008",
    "disassociation": "Terrovitis, Liagouris, Mamoulis, Skiadopoulos: Privacy Preservation by Disassociation. "
    "PVLDB 5(10), 2012",
    "hilbert": "Ghinita, Karras, Kalnis, Mamoulis: Fast Data Anonymization with Low Information Loss. VLDB 2007",
    "k-eps-l": "Sun, Wang, Li: Satisfying Privacy Requirements: One Step before Anonymization. PAKDD 2010",
    "lg": "He, Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
    "mhghs": "Liu, Wang: Anonymizing Transaction Data by Integrating Suppression and Generalization. PAKDD 2010",
    "mm": "Xu, Wang, Fu, Yu: Anonymizing Transaction Databases for Publication. KDD 2008",
    "mondrian": "LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006",
    "rt-merge": "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing Data with Relational and Transaction "
    "Attributes. ECML/PKDD 2013",
    "specialization": "Fung, Wang, Yu: Top-Down Specialization for Information and Privacy Preservation. ICDE 2005",
    "pattern-ka": "PatternKa: Scalable Privacy Algorithm for Sparse High Dimensional Data. KDD 2020 (submission)",
}


def imported(target: str) -> Any:
    """Import what a text such as ``covey.methods.cahd:CAHD`` names; this is the only table of such texts."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodEntry:
    """One line of the registry; a method for two kinds of data has a line for each."""

    #: What users type.
    name: str
    #: The class; imported when needed.
    target: type[Any] | str
    #: Kind of data that it takes.
    data: str
    #: Names of the guarantees it can keep.
    guarantees: tuple[str, ...]
    #: Kind of release it makes.
    release: str
    #: One sentence for people.
    summary: str
    #: Where it comes from.
    paper: str
    #: Engines besides the local one that it runs on, and what they call to run it.
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> type[Any]:
        """Import and return the method's class."""
        return imported(self.target) if isinstance(self.target, str) else self.target

    def maker(self, engine: str) -> Callable[..., Any]:
        """Import and return what makes the release on another engine."""
        made: Callable[..., Any] = imported(self.elsewhere[engine])
        return made

    @property
    def takes_taxonomy(self) -> bool:
        """Whether a taxonomy can be given to it."""
        return any(parameter.type == "taxonomy" for parameter in self.parameters())

    @property
    def generalizes(self) -> bool:
        """Whether it replaces items by broader ones of a taxonomy."""
        return any(parameter.type == "taxonomy" and not parameter.expert for parameter in self.parameters())

    @property
    def recoding(self) -> str:
        """How it recodes items, as the manifest of a release of sets states it; "" for other kinds."""
        return getattr(self.load(), "recoded", "")

    def parameters(self) -> tuple[Parameter, ...]:
        """The method's options, those for experiments and the seed last."""
        declared = parameters_of(self.load())
        return tuple(sorted(declared, key=lambda p: (p.name == "seed", p.expert)))


# What methods of one family have in common.
_grouping = partial(MethodEntry, data="baskets", guarantees=("degree",), release="grouped")
_coarsening = partial(MethodEntry, data="table", guarantees=("k-anonymity", "l-diversity"), release="table")
_recoding = partial(MethodEntry, data="records", guarantees=("k-km-anonymity",), release="records")
_reducing = partial(MethodEntry, data="baskets", release="sets")

METHODS: list[MethodEntry] = [
    _grouping(
        name="matched",
        target="covey.methods.matched:Matched",
        summary="Hides each holder among baskets that are as likely to hold the sensitive item.",
        paper="covey's own; the balancing score of Rosenbaum and Rubin, Biometrika 1983",
        elsewhere={"spark": "covey.spark.make.in_parts:publish"},
    ),
    _grouping(
        name="cahd",
        target="covey.methods.cahd:CAHD",
        summary="Groups each sensitive basket with similar ones found next to it in a band matrix.",
        paper=PAPERS["cahd"],
        elsewhere={"spark": "covey.spark.make.in_parts:publish"},
    ),
    MethodEntry(
        name="suppress",
        target="covey.methods.suppress:Suppress",
        data="ratings",
        guarantees=("k-eps-l",),
        release="ratings",
        summary="Leaves out ratings, and as a last resort records, until every respondent has a group.",
        paper=PAPERS["k-eps-l"],
    ),
    _grouping(
        name="perm-mondrian",
        target="covey.methods.perm_mondrian:PermMondrian",
        summary="Splits baskets top-down on single items while both halves keep the degree; a baseline for cahd.",
        paper=PAPERS["cahd"],
    ),
    _grouping(
        name="nearest",
        target="covey.methods.nearest:Nearest",
        summary="Groups each sensitive basket with those that are most like it, wherever they are.",
        paper=PAPERS["nearest"],
    ),
    _grouping(
        name="anatomy",
        target="covey.methods.anatomy:Anatomy",
        summary="Groups baskets at random, whatever their items; a baseline that other methods must beat.",
        paper=PAPERS["cahd"],
    ),
    MethodEntry(
        name="noisy-model",
        target="covey.methods.noisy_model:NoisyModel",
        data="baskets",
        guarantees=("label-dp",),
        release="model",
        summary="Publishes noisy sums of who holds what, and a model fitted to them; ordinary items stay exact.",
        paper="covey's own; discrete Laplace noise from OpenDP",
    ),
    _reducing(
        name="pattern-ka",
        target="covey.methods.pattern_ka:PatternKa",
        guarantees=("k-anonymity",),
        summary="Publishes baskets that share a long frequent pattern as that pattern; suppresses, never adds.",
        paper=PAPERS["pattern-ka"],
        elsewhere={"spark": "covey.spark.make.pattern_ka:publish"},
    ),
    _coarsening(
        name="pattern-ka",
        target="covey.methods.pattern_ka_table:PatternKaTable",
        summary="Publishes rows that share most of their values in one form, longest frequent patterns first.",
        paper=PAPERS["pattern-ka"],
    ),
    _reducing(
        name="top-down",
        target="covey.methods.top_down:TopDown",
        guarantees=("k-anonymity",),
        summary="Splits baskets by single items while both parts keep k of them; a baseline for pattern-ka.",
        paper=PAPERS["pattern-ka"],
    ),
    _coarsening(
        name="hilbert",
        target="covey.methods.hilbert:Hilbert",
        summary="Orders rows along a Hilbert curve and cuts the line optimally into groups.",
        paper=PAPERS["hilbert"],
    ),
    _coarsening(
        name="mondrian",
        target="covey.methods.mondrian:Mondrian",
        summary="Halves the rows at the median of the widest column, again and again.",
        paper=PAPERS["mondrian"],
    ),
    MethodEntry(
        name="disassociation",
        target="covey.methods.disassociation:Disassociation",
        data="baskets",
        guarantees=("km-anonymity",),
        release="chunks",
        summary="Keeps every item, needs no taxonomy, and cuts baskets apart where a combination of items is rare.",
        paper=PAPERS["disassociation"],
    ),
    _reducing(
        name="mhghs",
        target="covey.methods.mhghs:MHgHs",
        guarantees=("km-anonymity",),
        summary="Generalizes items along a taxonomy and suppresses a few, in rounds of growing set size.",
        paper=PAPERS["mhghs"],
    ),
    _reducing(
        name="hghs",
        target="covey.methods.hghs:HgHs",
        guarantees=("km-anonymity",),
        summary="Generalizes items along a taxonomy and suppresses a few, in one search over cuts.",
        paper=PAPERS["mhghs"],
    ),
    _reducing(
        name="aa",
        target="covey.methods.aa:AA",
        guarantees=("km-anonymity",),
        summary="Generalizes items along a taxonomy until no small set of them is rare.",
        paper=PAPERS["aa"],
    ),
    _reducing(
        name="mm",
        target="covey.methods.mm:MM",
        guarantees=("coherence", "km-anonymity"),
        summary="Suppresses whole items until no small set is rare or gives a private item away.",
        paper=PAPERS["mm"],
    ),
    _reducing(
        name="lg",
        target="covey.methods.lg:LG",
        guarantees=("km-anonymity", "k-anonymity"),
        summary="Generalizes each transaction by itself until at least k of them look the same.",
        paper=PAPERS["lg"],
    ),
    _recoding(
        name="rt-merge",
        target="covey.methods.rt_merge:RTMerge",
        summary="Makes classes with similar attributes, and merges them while items gain more than attributes lose.",
        paper=PAPERS["rt-merge"],
    ),
    _recoding(
        name="rt-global",
        target="covey.methods.rt_global:RTGlobal",
        summary="Recodes every column and every item the same way for all persons; a baseline for rt-merge.",
        paper=PAPERS["specialization"],
    ),
]

# Records are grouped as baskets in which the values of attributes are items (`Records.as_baskets`).
METHODS += [replace(entry, data="records", elsewhere={}) for entry in METHODS if entry.release == "grouped"]


def methods(
    *, guarantee: str | None = None, data: str | None = None, taxonomy: bool = False
) -> tuple[MethodEntry, ...]:
    """The registered methods, or those that keep a guarantee or take a kind of data; the recommended one first.

    With a taxonomy that is one which generalizes along it, if there is any.

    Examples
    --------
    >>> [methods(guarantee="km-anonymity", taxonomy=given)[0].name for given in (False, True)]
    ['disassociation', 'mhghs']
    """
    able = [m for m in METHODS if (guarantee is None or guarantee in m.guarantees) and (data is None or data == m.data)]
    return tuple(sorted(able, key=lambda entry: taxonomy and not entry.generalizes))


def recommended() -> list[tuple[MethodEntry, str]]:
    """Return the method that is used when none is named, and for which guarantee and kind of data that is.

    Examples
    --------
    >>> [(entry.name, use) for entry, use in recommended() if "km-anonymity" in use][:2]
    [('disassociation', 'km-anonymity of baskets'), ('mhghs', 'km-anonymity of baskets, with a taxonomy')]
    """
    found: dict[str, MethodEntry] = {}
    for guarantee, data in dict.fromkeys((name, entry.data) for entry in METHODS for name in entry.guarantees):
        use = f"{guarantee} of {data if data.endswith('s') else f'{data}s'}"
        found[use] = methods(guarantee=guarantee, data=data)[0]
        generalizing = methods(guarantee=guarantee, data=data, taxonomy=True)[0]
        if generalizing is not found[use]:
            found[f"{use}, with a taxonomy"] = generalizing
    return [(entry, use) for use, entry in found.items()]


def kinds_taken() -> list[tuple[MethodEntry, str]]:
    """Each method once, with the kinds of data that it takes in words; what differs by kind is a method of its own.

    Examples
    --------
    >>> next((entry.name, kinds) for entry, kinds in kinds_taken())
    ('matched', 'baskets, records')
    """
    taken: dict[type[Any] | str, list[MethodEntry]] = {}
    for entry in METHODS:
        taken.setdefault(entry.target, []).append(entry)
    return [(lines[0], ", ".join(line.data for line in lines)) for lines in taken.values()]


def find(name: str, *, data: str | None = None) -> MethodEntry:
    """The registry's entry for a method; an unknown name is an error that lists the known ones.

    Of a method with several lines, the one for this kind of `data`, or else the first.
    """
    lines = [entry for entry in METHODS if entry.name == name]
    if lines:
        return next((entry for entry in lines if entry.data == data), lines[0])
    known = list(dict.fromkeys(m.name for m in METHODS))
    raise ParameterError(f"There is no method '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}.")


def method(text: Any, *, data: str | None = None, **options: Scalar | None) -> Any:
    """Make a method from its name, or from text such as ``cahd(alpha=5)``, and options.

    Examples
    --------
    >>> method("cahd", alpha=5).options()["alpha"]
    5
    """
    if not isinstance(text, str):
        return text
    name, positional, named = parse_call(text)
    given = {key: value for key, value in options.items() if value is not None}
    entry = find(name, data=data)
    for key in {**named, **given}:
        _require_no_other_has(entry, key)
    return build(entry.load(), name, positional, {**named, **given})


def _require_no_other_has(entry: MethodEntry, key: str) -> None:
    """Name the methods that have an option which this one lacks: who gives it had one of them in mind."""
    if key in {known.name for known in parameters_of(entry.load())}:
        return
    rivals = [other for other in METHODS if other.data == entry.data and set(other.guarantees) & set(entry.guarantees)]
    able = [other.name for other in rivals if key in {known.name for known in parameters_of(other.load())}]
    if able:
        raise ParameterError(
            f"{entry.name} has no parameter '{key}', but {' and '.join(able)} {'has' if len(able) == 1 else 'have'}. "
            f"To use it, name the method {able[0]}."
        )


def declared(name: str, release: str) -> MethodEntry | None:
    """The method that a manifest names for this kind of release, and all it may state of it; None for no such method.

    Lines that differ only in the kind of data declare the same.
    """
    return next((entry for entry in METHODS if (entry.name, entry.release) == (name, release)), None)


def promise_about(text: str, data: str, *, by_person: bool = False) -> Promise:
    """Return the plain words for a guarantee before data of a kind is published: as the recommended method keeps it.

    Examples
    --------
    >>> promise_about("k-anonymity(k=5)", "table").short
    'Every row has the same quasi-identifiers as at least 4 others.'
    """
    able = methods(guarantee=text.partition("(")[0].strip(), data=data)
    return promise_of(text, able[0].release if able else "", by_person=by_person, data=data)
