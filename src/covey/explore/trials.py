"""One trial: a release that is made, checked and measured in memory, and never written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from covey.data import Baskets, Records, Taxonomy
from covey.data.kinds import data_kind
from covey.data.saved import Dataset
from covey.errors import Infeasible, ParameterError, VerificationFailed
from covey.guarantees import guarantee as parse_guarantee
from covey.io.source import Source
from covey.measure.attacks import run_attacks
from covey.measure.evaluation import evaluate
from covey.measure.kept import Kept, kept_of
from covey.measure.study import Study
from covey.pipeline import plan
from covey.registry import method as make_method
from covey.registry import methods
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.tabular import Figures
from covey.verify import check_release


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
    release: Release | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> Figures:
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
    """Return the attack that is right most often."""
    tried = [one for one in attacks if one["targets"]]
    return max(tried, key=lambda one: float(one["success_rate"]), default=None)


def gaining_attack(attacks: Sequence[Figures]) -> Figures | None:
    """Return the attack that gains most over claim and baseline; None if none can be shown to gain."""
    gaining = [one for one in attacks if one["targets"] and one["beats_bar"]]
    return max(gaining, key=lambda one: float(one["lift"]), default=None)


def try_out(data: Dataset, guarantee: str, method: str, seed: int, taxonomy: Taxonomy | None = None) -> Trial:
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
    # Nothing is published here, so a method that must not have a seed otherwise may have one.
    option = "insecure_seed" if "insecure_seed" in made.values() else "seed"
    given: dict[str, object] = {option: seed} if getattr(made, option) is None else {}
    if taxonomy is not None and "taxonomy" in made.values():
        given["taxonomy"] = taxonomy
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
    study = None
    if isinstance(release, GroupedRelease) and isinstance(original, Baskets | Records):
        study = Study(release, original, seed)
    attacks = [one.to_dict() for one in run_attacks(release, original, seed, study=study)]
    kept = kept_of(evaluate(release, original, seed, taxonomy=taxonomy, study=study))
    return Trial(kept=kept, attacks=attacks, seconds=seconds, release=release)


def candidates(guarantee: str, data: Dataset) -> list[str]:
    """Return all methods that keep a guarantee for data of this kind, the recommended one first."""
    promise = parse_guarantee(guarantee)
    able = [entry.name for entry in methods(guarantee=promise.name, data=data.kind)]
    if not able:
        raise ParameterError(f"No method keeps {promise.name} for {data_kind(data.kind).name}.")
    return able
