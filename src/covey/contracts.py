"""What methods, guarantees and releases owe each other, so that none of them needs to import another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from covey.data import Baskets


class Progress(Protocol):
    """Called by long work with the name of the stage and the share of it that is done (0 to 1)."""

    def __call__(self, stage: str, done: float, /) -> None:
        """Report that `stage` has come as far as `done`."""


def silent(stage: str, done: float, /) -> None:
    """The progress of work nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at, in words, and whether it was as it should be.

    Attributes
    ----------
    name : str
        What was checked, as a short phrase.
    passed : bool
        Whether it holds.
    detail : str
        What was found: figures when it holds, the offenders when it does not.
    """

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of checking a release: every check made, and whether all of them passed.

    Attributes
    ----------
    guarantee : str
        The promise that was checked, as text.
    checks : tuple of Check
        In the order in which they were made.
    figures : mapping
        Numbers worth keeping, such as the degree that was achieved.
    """

    guarantee: str
    checks: tuple[Check, ...]
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def failures(self) -> list[Check]:
        """The checks that did not pass."""
        return [check for check in self.checks if not check.passed]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data for JSON."""
        return {
            "holds": self.holds,
            "guarantee": self.guarantee,
            "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in self.checks],
            "figures": dict(self.figures),
        }


@runtime_checkable
class Guarantee(Protocol):
    """What a release promises; a frozen dataclass of its parameters."""

    @property
    def text(self) -> str:
        """The guarantee as written everywhere, for example ``degree(p=10)``."""

    def require_feasible(self, data: Baskets) -> None:
        """Raise `covey.errors.Infeasible` when no release of this data can keep the guarantee."""

    def check(self, release: Any) -> Verdict:
        """Check a release from what it publishes alone."""


class Method(Protocol):
    """One published algorithm; a frozen keyword-only dataclass of its options."""

    def anonymize(self, data: Any, guarantee: Any, *, progress: Progress = silent) -> Any:
        """Return a release of `data` that keeps `guarantee`."""
