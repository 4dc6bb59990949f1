"""One trial: a release that is made, checked and measured in memory, and never written."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from covey.counting import percent
from covey.data.kinds import data_kind
from covey.errors import Infeasible, ParameterError, VerificationFailed
from covey.guarantees import guarantee as parse_guarantee
from covey.io.source import Source
from covey.measure.attacks import run_attacks
from covey.measure.evaluation import evaluate
from covey.pipeline import plan
from covey.registry import method as make_method
from covey.registry import methods
from covey.tabular import Figures
from covey.verify import check_release


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One measure of what is left of the original."""

    #: A key, and its words.
    measure: str
    label: str
    value: float
    #: Standard error of the value; 0 where nothing is sampled.
    error: float = 0.0
    #: Whether it is a share of what there was, the more the better; else an error, the less the better.
    share: bool = True

    @property
    def gain(self) -> float:
        """The value with its sign turned so that more is better."""
        return self.value if self.share else -self.value

    def __str__(self) -> str:
        return percent(self.value, fine=True) if self.share else f"{self.value:.3g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one release kept and risked."""

    #: By every measure of its kind, the most telling first.
    kept: tuple[Kept, ...] = ()
    #: As `covey.measure.attacks.AttackResult.to_dict` gives them.
    attacks: Sequence[Figures] = ()
    #: CPU seconds of the method.
    seconds: float = 0.0
    #: Why there is no release; empty where there is one.
    problem: str = ""
    #: The release itself, for those who take it.
    release: Any = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the release as plain data for JSON."""
        kept = [asdict(one) for one in self.kept]
        return {"kept": kept, "attacks": list(self.attacks), "seconds": self.seconds, "problem": self.problem}

    @classmethod
    def from_dict(cls, body: Figures) -> Trial:
        """Return a trial that `to_dict` gave."""
        return cls(**{**body, "kept": tuple(Kept(**one) for one in body["kept"])})

    def by(self, measure: str) -> Kept | None:
        """Return what is left by one measure."""
        return next((one for one in self.kept if one.measure == measure), None)


def best_attack(attacks: Sequence[Figures]) -> Figures | None:
    """Return the attack that gains most, or if none can be shown to gain the one that is right most often."""
    tried = [one for one in attacks if one["targets"]]
    gaining = [one for one in tried if one["beats_bar"]]
    return max(gaining or tried, key=lambda one: float(one["lift" if gaining else "success_rate"]), default=None)


def try_out(data: Any, guarantee: str, method: str, seed: int, taxonomy: Any = None) -> Trial:
    """Make a release with a seed, check its guarantee, and measure it; what the data forbids is no error.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [30, 31, 50, 51], "city": ["a", "a", "b", "b"]})
    >>> tried = try_out(people, "k-anonymity(k=2)", "mondrian", 0)
    >>> str(tried.kept[0]), [one["attack"] for one in tried.attacks]
    ('97.6 %', ['linkage', 'inference'])
    >>> try_out(people, "k-anonymity(k=9)", "mondrian", 0).problem[-29:]
    ' The largest feasible k is 4.'
    """
    promise = parse_guarantee(guarantee)
    made = make_method(method, data=data.kind)
    given = {"seed": seed} if made.seed is None else {}
    given |= {"taxonomy": taxonomy} if taxonomy is not None and "taxonomy" in made.values() else {}
    made = replace(made, **given)
    try:
        planned = plan(Source.of(data), promise, made)
        original = planned.read()
        started = time.process_time()
        release = made.anonymize(original, promise)
        seconds = time.process_time() - started
    except (Infeasible, ParameterError) as reason:
        return Trial(problem=str(reason))
    verdict = check_release(promise, release)
    if not verdict.holds:
        raise VerificationFailed(f"{method} broke {guarantee}: {verdict.failures()[0].detail}.")
    attacks = [one.to_dict() for one in run_attacks(release, original, seed)]
    kept = kept_of(evaluate(release, original, seed, taxonomy=taxonomy))
    return Trial(kept=kept, attacks=attacks, seconds=seconds, release=release)


def kept_of(utility: Figures) -> tuple[Kept, ...]:
    """Return what is left of the original, from the figures of `covey.measure.evaluate`, the most telling first.

    Examples
    --------
    >>> [str(one) for one in kept_of({"kind": "ratings", "records_kept": 0.5, "ratings_kept": 0.25})]
    ['25.0 %', '50.0 %']
    """
    words = KEPT.get(utility["kind"]) if utility else None
    return () if words is None else tuple(words(utility))


def _grouped(utility: Figures) -> list[Kept]:
    found = utility["kl"]["support"]
    label = "distortion of estimates (KL divergence in nats)"
    return [Kept(measure="kl", label=label, value=found["mean"], error=found["standard_error"], share=False)]


def _sets(utility: Figures) -> list[Kept]:
    found = []
    if "ncp" in utility:
        found.append(Kept(measure="ncp", label="detail kept along the taxonomy", value=1 - utility["ncp"]))
    if "gcp" in utility:
        found.append(Kept(measure="gcp", label="items published as they were", value=1 - utility["gcp"]["gcp"]))
    return [*found, *_itemsets(utility)]


def _itemsets(utility: Figures) -> list[Kept]:
    if "itemsets" not in utility:
        return []
    found = utility["itemsets"]
    label = f"of the {found['top']:,} most frequent combinations, those still found"
    return [Kept(measure="itemsets", label=label, value=1 - found["top_deviation"])]


def _chunks(utility: Figures) -> list[Kept]:
    counted = Kept(measure="counted", label="occurrences of items that are counted", value=utility["counted"])
    return [*_itemsets(utility), counted]


def _table(utility: Figures) -> list[Kept]:
    return [Kept(measure="gcp", label="detail of the quasi-identifiers kept", value=1 - utility["gcp"])]


def _ratings(utility: Figures) -> list[Kept]:
    return [
        Kept(measure="ratings", label="ratings published", value=utility["ratings_kept"]),
        Kept(measure="records", label="records published", value=utility["records_kept"]),
    ]


def _records(utility: Figures) -> list[Kept]:
    both = 1 - (utility["gcp"] + utility["items_ncp"]) / 2  # one as important as the other
    return [
        Kept(measure="loss", label="detail of attributes and items kept", value=both),
        Kept(measure="gcp", label="detail of the attributes kept", value=1 - utility["gcp"]),
        Kept(measure="items", label="meaning of the items kept", value=1 - utility["items_ncp"]),
    ]


#: By kind of release.
KEPT: dict[str, Callable[[Figures], list[Kept]]] = {
    "grouped": _grouped,
    "sets": _sets,
    "chunks": _chunks,
    "table": _table,
    "ratings": _ratings,
    "records": _records,
}


def candidates(guarantee: str, data: Any) -> list[str]:
    """Return all methods that keep a guarantee for data of this kind, the recommended one first."""
    promise = parse_guarantee(guarantee)
    able = [entry.name for entry in methods(guarantee=promise.name, data=data.kind)]
    if not able:
        raise ParameterError(f"No method keeps {promise.name} for {data_kind(data.kind).name}.")
    return able
