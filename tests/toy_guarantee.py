"""An eighth guarantee, in one module: every published answer is given by an even number of people, k or more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from covey.guarantees import GUARANTEES
from covey.guarantees.base import Guarantee
from covey.methods.base import Method
from covey.parameters import parameter
from covey.registry import METHODS, MethodEntry
from covey.verdict import Check, Verdict
from covey.verify.checkers import CHECKS, DATA_CHECKS
from toy_kind import Tally


@dataclass(frozen=True, slots=True)
class Even(Guarantee):
    name: ClassVar[str] = "even"
    k: int = parameter(at_least=2, says="At least so many people give each answer, and an even number.")

    def require_feasible(self, data):
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs(Method):
    name: ClassVar[str] = "pairs"

    def release(self, data, promise, progress):
        kept = {value: n for value, n in Counter(data.values).items() if n >= promise.k and n % 2 == 0}
        return Tally(tally=kept, dropped=data.n - sum(kept.values()), made=self.statement(promise))


def check(promise, release):
    return check_data(promise, Counter(release.tally))


def check_data(promise, data, progress=None):
    counted = data if isinstance(data, Counter) else Counter(data.values)
    odd = [value for value, count in counted.items() if count % 2 or count < promise.k]
    held = Check(name="every answer is given evenly", passed=not odd, detail=f"{len(odd)} odd ones")
    return Verdict(guarantee=promise.text, checks=(held,))


PAIRS = MethodEntry(
    name="pairs",
    target=Pairs,
    data="answers",
    guarantees=("even",),
    release="tally",
    summary="Leaves out what is given an odd number of times.",
    paper="none",
)


def register(monkeypatch):
    """The lines that make covey know it, the class itself instead of where it is."""
    monkeypatch.setitem(GUARANTEES, "even", Even)
    monkeypatch.setitem(CHECKS, ("even", "tally"), check)
    monkeypatch.setitem(DATA_CHECKS, ("even", "answers"), check_data)
    METHODS.append(PAIRS)
