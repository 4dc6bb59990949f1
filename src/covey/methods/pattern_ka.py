"""PatternKa: k-anonymity from the longest frequent patterns (paper 004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from covey.contracts import Guarantee, Progress, silent
from covey.parameters import integer


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternKa:
    """Groups of rows that share the longest frequent patterns, published as what they share.

    Parameters
    ----------
    buckets : int
        Ranges that a numeric column is cut into to find patterns; for tables.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.
    """

    name: ClassVar[str] = "pattern-ka"

    buckets: int = 20
    seed: int | None = None

    def __post_init__(self) -> None:
        integer(self.name, "buckets", self.buckets, minimum=1)
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {"buckets": self.buckets}

    def anonymize(self, data: Any, guarantee: Guarantee, *, progress: Progress = silent) -> Any:
        """Return a release of `data` that keeps `guarantee`."""
        from covey.methods.pattern_ka_table import anonymize_table

        return anonymize_table(self, data, guarantee, progress)
