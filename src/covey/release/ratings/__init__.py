"""Releases of ratings: fewer ratings than there were, perhaps on a coarser scale."""

from covey.release.kinds import ReleaseKind, in_every_room
from covey.release.ratings.model import RatingsRelease

__all__ = ["RATINGS", "RatingsRelease"]

USE = """\
Published ratings are exact, unless the manifest says from which scale they were rounded. Where ratings were left out
(see above how many), that was not at random: means and counts describe what is published. In DuckDB:

```sql
SELECT issue, count(*) AS ratings, avg(rating) AS mean FROM $ratings WHERE issue IS NOT NULL GROUP BY issue
```"""

RATINGS = ReleaseKind(
    name="ratings",
    made_from=("ratings",),
    files="covey.release.ratings.files",
    row="record",
    counts={
        "records": "records",
        "issues": "issues",
        "ratings": "published ratings",
        "suppressed_ratings": "ratings of published records left out",
        "suppressed_records": "records left out",
    },
    facts={
        "scale": "The scale of the ratings",
        "rounded_from": "The scale that they were rounded from",
        "sensitive": "Sensitive issues",
    },
    use=USE,
    hints="covey.release.ratings.model:scale_of",
    uniqueness="covey.metrics.uniqueness:before_and_after",
    attacks={
        "linkage": "covey.attacks.ratings:linkage",
        "inference": "covey.attacks.ratings:inference",
    },
    **in_every_room("ratings", without=("findings",)),
)
