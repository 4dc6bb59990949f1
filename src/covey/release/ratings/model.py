"""A release of survey ratings: records with fewer ratings than they had, under fresh random numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from covey.data import Ratings


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RatingsRelease:
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
    guarantee, method : str
        What is promised and which method made the release.
    options : mapping
        The method's options (never a seed), and the scale and the sensitive issues.
    """

    kind: ClassVar[str] = "ratings"

    ratings: Ratings
    guarantee: str
    method: str
    suppressed_ratings: int = 0
    suppressed_records: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"RatingsRelease({self.guarantee} by {self.method}: {self.ratings.n} records, "
            f"{self.ratings.entries} ratings, {self.suppressed_ratings} suppressed)"
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

    def to_frame(self, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """The published table (record, issue, rating) as a frame, exactly as it stands in the files."""
        from covey.release.item_columns import as_frame
        from covey.release.ratings.files import rating_batches

        return as_frame(rating_batches(self), library)


def publish_ratings(
    data: Ratings,
    rows: Any,
    keep: Any,
    *,
    guarantee: str,
    method: str,
    options: Mapping[str, Any],
    seed: int | None,
) -> RatingsRelease:
    """Make a release of the respondents `rows` with the ratings marked in `keep` (docs/papers.md, publishing).

    Records are shuffled and numbered in their new order, so a number tells nothing. Issues of which no rating
    is left are dropped, sensitive ones excepted: that they were asked is part of the promise.

    Parameters
    ----------
    data : Ratings
        The original.
    rows : int64 array
        Respondents to publish.
    keep : bool array
        Which ratings of `data` to publish.
    seed : int or None
        None draws from the system's entropy.
    """
    order = np.random.default_rng(seed).permutation(np.sort(rows))
    before = int(data.lengths()[rows].sum())
    published = data.keep(keep).take(order)
    occurring = np.zeros(data.d, np.bool_)
    occurring[published.indices] = True
    published = published.only(occurring | data.sensitive).replaced(
        users=tuple(str(i + 1) for i in range(len(order)))
    )
    stated = {"scale": data.scale.text, "sensitive": published.sensitive_issues()}
    return RatingsRelease(
        ratings=published,
        guarantee=guarantee,
        method=method,
        suppressed_ratings=before - published.entries,
        suppressed_records=data.n - len(order),
        options={**options, **stated},
    )
