"""Every method covey has: the command line, the docs, the contract tests and the benchmarks derive from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from covey.errors import ParameterError
from covey.guarantees.words import Promise
from covey.parameters import Parameter, Scalar, build, did_you_mean, parameters_of, parse_call
from covey.release.kinds import promise_of


def imported(target: str) -> Any:
    """Import what a text such as ``covey.methods.cahd:CAHD`` names; this is the only table of such texts."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True)
class MethodEntry:
    """One line of the registry; a method for two kinds of data has a line for each."""

    #: What users type.
    name: str
    #: The class; imported when needed.
    target: type[Any] | str
    #: Kind of data that it takes, names of the guarantees that it can keep, and kind of release that it makes.
    data: str
    guarantees: tuple[str, ...]
    release: str
    #: One sentence for people, and where the method comes from.
    summary: str
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


#: Papers of several methods.
CAHD_PAPER = "Ghinita, Tao, Kalnis: On the Anonymization of Sparse High-Dimensional Data. ICDE 2008"
PATTERN_KA_PAPER = "PatternKa: Scalable Privacy Algorithm for Sparse High Dimensional Data. KDD 2020 (submission)"
HGHS_PAPER = "Liu, Wang: Anonymizing Transaction Data by Integrating Suppression and Generalization. PAKDD 2010"

# fmt: off
#: Of the methods for one guarantee and kind of data, the first is the recommended one.
METHODS: list[MethodEntry] = [
    MethodEntry(
        "matched", "covey.methods.matched:Matched", "baskets", ("degree",), "grouped",
        "Hides each holder among baskets that are as likely to hold the sensitive item.",
        "covey's own; the balancing score of Rosenbaum and Rubin, Biometrika 1983",
        {"spark": "covey.spark.make.in_parts:publish"},
    ),
    MethodEntry(
        "cahd", "covey.methods.cahd:CAHD", "baskets", ("degree",), "grouped",
        "Groups each sensitive basket with similar ones found next to it in a band matrix.",
        CAHD_PAPER,
        {"spark": "covey.spark.make.in_parts:publish"},
    ),
    MethodEntry(
        "suppress", "covey.methods.suppress:Suppress", "ratings", ("k-eps-l",), "ratings",
        "Leaves out ratings, and as a last resort records, until every respondent has a group.",
        "Sun, Wang, Li: Satisfying Privacy Requirements: One Step before Anonymization. PAKDD 2010",
    ),
    MethodEntry(
        "perm-mondrian", "covey.methods.perm_mondrian:PermMondrian", "baskets", ("degree",), "grouped",
        "Splits baskets top-down on single items while both halves keep the degree; a baseline for cahd.",
        CAHD_PAPER,
    ),
    MethodEntry(
        "nearest", "covey.methods.nearest:Nearest", "baskets", ("degree",), "grouped",
        "Groups each sensitive basket with those that are most like it, wherever they are.",
        "Ghinita, Kalnis, Tao: Anonymous Publication of Sensitive Transactional Data. TKDE 2011",
    ),
    MethodEntry(
        "anatomy", "covey.methods.anatomy:Anatomy", "baskets", ("degree",), "grouped",
        "Groups baskets at random, whatever their items; a baseline that other methods must beat.",
        CAHD_PAPER,
    ),
    MethodEntry(
        "noisy-model", "covey.methods.noisy_model:NoisyModel", "baskets", ("label-dp",), "model",
        "Publishes noisy sums of who holds what, and a model fitted to them; ordinary items stay exact.",
        "covey's own; discrete Laplace noise from OpenDP",
    ),
    MethodEntry(
        "pattern-ka", "covey.methods.pattern_ka:PatternKa", "baskets", ("k-anonymity",), "sets",
        "Publishes baskets that share a long frequent pattern as that pattern; suppresses, never adds.",
        PATTERN_KA_PAPER,
        {"spark": "covey.spark.make.pattern_ka:publish"},
    ),
    MethodEntry(
        "pattern-ka", "covey.methods.pattern_ka_table:PatternKaTable", "table", ("k-anonymity", "l-diversity"), "table",
        "Publishes rows that share most of their values in one form, longest frequent patterns first.",
        PATTERN_KA_PAPER,
    ),
    MethodEntry(
        "top-down", "covey.methods.top_down:TopDown", "baskets", ("k-anonymity",), "sets",
        "Splits baskets by single items while both parts keep k of them; a baseline for pattern-ka.",
        PATTERN_KA_PAPER,
    ),
    MethodEntry(
        "hilbert", "covey.methods.hilbert:Hilbert", "table", ("k-anonymity", "l-diversity"), "table",
        "Orders rows along a Hilbert curve and cuts the line optimally into groups.",
        "Ghinita, Karras, Kalnis, Mamoulis: Fast Data Anonymization with Low Information Loss. VLDB 2007",
    ),
    MethodEntry(
        "mondrian", "covey.methods.mondrian:Mondrian", "table", ("k-anonymity", "l-diversity"), "table",
        "Halves the rows at the median of the widest column, again and again.",
        "LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006",
    ),
    MethodEntry(
        "disassociation", "covey.methods.disassociation:Disassociation", "baskets", ("km-anonymity",), "chunks",
        "Keeps every item, needs no taxonomy, and cuts baskets apart where a combination of items is rare.",
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos: Privacy Preservation by Disassociation. PVLDB 5(10), 2012",
    ),
    MethodEntry(
        "mhghs", "covey.methods.mhghs:MHgHs", "baskets", ("km-anonymity",), "sets",
        "Generalizes items along a taxonomy and suppresses a few, in rounds of growing set size.",
        HGHS_PAPER,
    ),
    MethodEntry(
        "hghs", "covey.methods.hghs:HgHs", "baskets", ("km-anonymity",), "sets",
        "Generalizes items along a taxonomy and suppresses a few, in one search over cuts.",
        HGHS_PAPER,
    ),
    MethodEntry(
        "aa", "covey.methods.aa:AA", "baskets", ("km-anonymity",), "sets",
        "Generalizes items along a taxonomy until no small set of them is rare.",
        "Terrovitis, Mamoulis, Kalnis: Privacy-preserving Anonymization of Set-valued Data. VLDB 2008",
    ),
    MethodEntry(
        "mm", "covey.methods.mm:MM", "baskets", ("coherence", "km-anonymity"), "sets",
        "Suppresses whole items until no small set is rare or gives a private item away.",
        "Xu, Wang, Fu, Yu: Anonymizing Transaction Databases for Publication. KDD 2008",
    ),
    MethodEntry(
        "lg", "covey.methods.lg:LG", "baskets", ("km-anonymity", "k-anonymity"), "sets",
        "Generalizes each transaction by itself until at least k of them look the same.",
        "He, Naughton: Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009",
    ),
    MethodEntry(
        "rt-merge", "covey.methods.rt_merge:RTMerge", "records", ("k-km-anonymity",), "records",
        "Makes classes with similar attributes, and merges them while items gain more than attributes lose.",
        "Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing Data with Relational and Transaction "
        "Attributes. ECML/PKDD 2013",
    ),
    MethodEntry(
        "rt-global", "covey.methods.rt_global:RTGlobal", "records", ("k-km-anonymity",), "records",
        "Recodes every column and every item the same way for all persons; a baseline for rt-merge.",
        "Fung, Wang, Yu: Top-Down Specialization for Information and Privacy Preservation. ICDE 2005",
    ),
]
# fmt: on

# Records are grouped as baskets in which the values of attributes are items (`Records.as_baskets`).
METHODS += [replace(entry, data="records", elsewhere={}) for entry in METHODS if entry.release in ("grouped", "model")]


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


def find(name: str, *, data: str | None = None) -> MethodEntry:
    """The line of a method, the one for this kind of `data` if it has several; an unknown name is an error."""
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
    rivals = [other for other in METHODS if other.data == entry.data and set(other.guarantees) & set(entry.guarantees)]
    for key in {**named, **given}:
        able = [] if _has(entry, key) else [other.name for other in rivals if _has(other, key)]
        if able:  # who gives the option had one of these in mind
            raise ParameterError(
                f"{entry.name} has no parameter '{key}', but {' and '.join(able)} "
                f"{'has' if len(able) == 1 else 'have'}. To use it, name the method {able[0]}."
            )
    return build(entry.load(), name, positional, {**named, **given})


def _has(entry: MethodEntry, key: str) -> bool:
    return any(known.name == key for known in parameters_of(entry.load()))


def declared(name: str, release: str) -> MethodEntry | None:
    """The method that a manifest names for this kind of release, and what it may state of it; None for none."""
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
