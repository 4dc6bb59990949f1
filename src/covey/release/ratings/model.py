"""A release of survey ratings: records with fewer ratings than they had, under fresh random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from covey.counting import sizes
from covey.data import Ratings, Scale
from covey.release.base import Release


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RatingsRelease(Release):
    """Published ratings.

    Attributes
    ----------
    ratings : Ratings
        The published records in random order, with their sensitive issues marked; the users are numbers that
        mean nothing.
    suppressed_ratings : int
        Ratings of published records that were left out.
    suppressed_records : int
        Records that were left out altogether.
    rounded_from : Scale or None
        The scale of the original, where ratings are published on a coarser one.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "ratings"

    ratings: Ratings
    suppressed_ratings: int = 0
    suppressed_records: int = 0
    rounded_from: Scale | None = None

    def __repr__(self) -> str:
        return (
            f"RatingsRelease({self.guarantee} by {self.method}: "
            f"{sizes(records=self.ratings.n, ratings=self.ratings.entries)}, {self.suppressed_ratings} suppressed)"
        )

    @property
    def kept(self) -> float:
        """Share of the published records' ratings that were kept."""
        return self.ratings.entries / max(self.ratings.entries + self.suppressed_ratings, 1)

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        return {
            "records": self.ratings.n,
            "issues": self.ratings.d,
            "ratings": self.ratings.entries,
            "suppressed_ratings": self.suppressed_ratings,
            "suppressed_records": self.suppressed_records,
        }

    def facts(self) -> dict[str, Any]:
        """The scale of the ratings and the sensitive issues, without which the promise could not be checked.

        Of rounded ratings also the scale that they were on.
        """
        rounded = {} if self.rounded_from is None else {"rounded_from": self.rounded_from.text}
        return {"scale": self.ratings.scale.text, "sensitive": self.ratings.sensitive_issues(), **rounded}

    def to_frame(self, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """The published table (record, issue, rating) as a frame, exactly as it stands in the files."""
        return self.frame_of("ratings", library=library)


def scale_of(release: RatingsRelease) -> dict[str, str]:
    """The scale on which the original must be read to be compared with a release."""
    return {"scale": (release.rounded_from or release.ratings.scale).text}
