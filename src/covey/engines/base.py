"""What every engine can do with a plan; what it cannot, it refuses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from covey.errors import InputError, ParameterError, TamperedRelease, TellingColumn
from covey.progress import Progress, silent
from covey.release.kinds import nearly_unique
from covey.verdict import Check, Verdict

if TYPE_CHECKING:
    from covey.io.source import Source
    from covey.pipeline import Plan, Published
    from covey.verify import Examined


class Engine:
    """Where a plan runs."""

    name: ClassVar[str]

    def publish(
        self,
        plan: Plan,
        out: str | Path,
        *,
        csv: bool = False,
        force: bool = False,
        lift: float | None = None,
        progress: Progress = silent,
    ) -> Published:
        """Anonymize and write the release to `out`, whole and verified or not at all."""
        raise self.unable("make releases")

    def examine(
        self,
        directory: str | Path,
        original: Source | None = None,
        *,
        sensitive: Any = None,
        taxonomy: Any = None,
        fingerprint: str | None = None,
        progress: Progress = silent,
    ) -> Examined:
        """Read a release and check it from its files alone and, given the original, that it is faithful to it."""
        raise self.unable("verify releases")

    def inspect(
        self,
        source: Source,
        *,
        taxonomy: Any = None,
        known: int,
        samples: int,
        seed: int,
        progress: Progress = silent,
    ) -> dict[str, Any]:
        """Shape of the data, and the risk that someone who knows a few things finds a person."""
        raise self.unable("inspect data")

    def evaluate(
        self,
        directory: str | Path,
        original: Source,
        *,
        taxonomy: Any = None,
        progress: Progress = silent,
        **extent: Any,
    ) -> dict[str, Any]:
        """Every metric of a release against its original."""
        raise self.unable("measure releases")

    def unable(self, what: str) -> ParameterError:
        """The error for what this engine does not do."""
        return ParameterError(f"The engine {self.name} does not {what}. Use the engine local for that.")


def warn_of_telling(columns: Iterable[tuple[str, float]]) -> None:
    """Warn of the columns, published as they were, that tell people apart by themselves."""
    for name, distinct in columns:
        if nearly_unique(distinct):
            warnings.warn(TellingColumn(name, distinct), stacklevel=3)


def compared(found: Examined, compare: Callable[[Any], Iterable[Check]]) -> Verdict:
    """The verdict with the comparison with the original added, if there is a release worth comparing."""
    if found.release is None:
        return found.verdict
    try:
        checks = tuple(compare(found.release))
    except (InputError, ParameterError):  # something else is needed for the comparison
        raise
    except Exception as error:  # a release that cannot be compared is not verified
        reason = (str(error).splitlines() or [""])[0][:300]
        detail = reason if isinstance(error, TamperedRelease) else f"{type(error).__name__}: {reason}"
        checks = (Check(name="the release can be compared with the original", passed=False, detail=detail),)
    return replace(found.verdict, checks=(*found.verdict.checks, *checks))
