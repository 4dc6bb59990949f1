"""Releases of sets: fewer or broader items than there were."""

from covey.release.kinds import ReleaseKind, in_every_room
from covey.release.sets.model import SetsRelease

__all__ = ["SETS", "SetsRelease"]

USE = """\
Count the rows of `sets` that hold a label. A label that is an item of the original counts at most the sets that held
it: items may have been left out, never added. A label that stands for several items counts the sets that held any of
them; without further knowledge, treat each of them as equally likely. In DuckDB:

```sql
SELECT count(*) FILTER (WHERE list_contains($labels, 'A LABEL')) AS sets_with_it, count(*) AS sets
FROM $sets
```"""

SETS = ReleaseKind(
    name="sets",
    made_from=("baskets",),
    files="covey.release.sets.files",
    row="basket",
    group="class",
    groups="classes of baskets that look alike",
    counts={
        "transactions": "transactions, all that were read",
        "persons": "persons, all that were read, each with the items of all their transactions",
        "items": "published items",
        "entries": "published entries",
        "empty": "sets published empty",
        "private_entries": "private entries, published as they were",
    },
    facts={
        "recoding": "How items were recoded (global: each item the same way everywhere, see `recoding.csv`; local: "
        "differently from set to set; suppressed: items were left out of some sets, and nothing was replaced)",
        "rest": "What every item that `recoding.csv` does not list is published as",
        "unit": "What a row is",
    },
    use=USE,
    original="covey.release.sets.original:with_whole_secrets",
    measures={
        "frequent": "covey.metrics.frequent:frequent",
        "gcp": "covey.metrics.gcp:gcp",
        "itemsets": "covey.metrics.itemsets:itemsets",
        "lm": "covey.metrics.lm:lm",
        "ncp": "covey.metrics.ncp:ncp",
        "reidentification": "covey.metrics.reidentification:of_published",
    },
    attacks={
        "linkage": "covey.attacks.sets:linkage",
        "whole": "covey.attacks.sets:whole",
        "inference": "covey.attacks.sets:inference",
    },
    company="covey.attacks.company.sets:of_sets",
    **in_every_room("sets"),
)
