"""What was checked, and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from covey.tabular import Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at, in words, and whether it was as it should be."""

    #: What was checked, as a short phrase.
    name: str
    #: Whether it holds.
    passed: bool
    #: What was found: figures when it holds, the offenders when it does not.
    detail: str

    @classmethod
    def ok(cls, name: str, detail: str) -> Check:
        """Return a check that passed."""
        return cls(name=name, passed=True, detail=detail)

    @classmethod
    def failed(cls, name: str, detail: str) -> Check:
        """Return a check that did not pass."""
        return cls(name=name, passed=False, detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Tabular):
    """The outcome of checking a release: every check made, and whether all of them passed."""

    heads: ClassVar = ("check", "passed", "detail")

    #: The promise that was checked, as text.
    guarantee: str
    #: In the order in which they were made.
    checks: tuple[Check, ...]
    #: Numbers worth keeping, such as the degree that was achieved.
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """Whether the guarantee holds, and if it does so for a test only."""
        only = self.figures.get("test_only", "")
        return f"{self.guarantee} {'holds' if self.holds else 'does not hold'}{only and f' for a test only: {only}'}"

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        return f"{self.outcome}{'; bytes not compared' if 'bytes_not_compared' in self.figures else ''}"

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per check."""
        return [(check.name, check.passed, check.detail) for check in self.checks]

    def cell(self, value: Any) -> str:
        """A value of the table for people."""
        return {True: "✓", False: "✗"}[value] if isinstance(value, bool) else str(value)

    def __str__(self) -> str:
        lines = (f"  {self.cell(check.passed)} {check.name} ({check.detail})" for check in self.checks)
        return "\n".join([self.title, *lines])

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
