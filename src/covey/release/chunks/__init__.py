"""Releases in chunks: every item is there, but what was held together only where k records hold it."""

from covey.release.chunks.model import ChunksRelease
from covey.release.kinds import ReleaseKind, in_every_room

__all__ = ["CHUNKS", "ChunksRelease"]

USE = """\
Count the rows of `chunks` that hold an item: that many records hold it, besides those of clusters that only name it in
`terms`. For items in one chunk it is known how many records hold them together; items in different chunks were
separated, and how often they occur together is not published. In DuckDB:

```sql
SELECT count(*) AS records_with_both
FROM $chunks
WHERE list_contains($labels, 'AN ITEM') AND list_contains($labels, 'ANOTHER ITEM')
```

`covey query` estimates what chunks do not say, between bounds that hold for certain, and `release.draw()` in Python
gives complete baskets that the original may have been."""

CHUNKS = ReleaseKind(
    name="chunks",
    made_from=("baskets",),
    files="covey.release.chunks.files",
    row="basket",
    group="cluster",
    groups="clusters of similar baskets",
    keeps={
        "km-anonymity": "Every item is published. Items of one basket stay together only where enough other baskets "
        "hold them too: whichever few of its items someone knows, the files fit an original in which enough "
        "baskets hold all of them. Baskets were cut into pieces until this held.",
    },
    counts={
        "transactions": "transactions, all that were read",
        "persons": "persons, all that were read, each with the items of all their transactions",
        "items": "published items, all that were read",
        "clusters": "clusters of records",
        "record_chunks": "chunks of single clusters",
        "shared_chunks": "chunks that several clusters share",
        "parts": "sub-records in all chunks",
        "entries": "items in all sub-records",
        "terms": "items that a cluster names without a count",
    },
    facts={"unit": "What a record is"},
    use=USE,
    drawn="The pieces that the release counts were dealt at random to the baskets of their clusters, and items that a "
    "cluster only names to one basket each: **which pieces are one basket is made up**.",
    measures={"itemsets": "covey.measure.itemsets:itemsets"},
    attacks={
        "linkage": "covey.measure.attacks.chunks:linkage",
        "whole": "covey.measure.attacks.chunks:whole",
        "inference": "covey.measure.attacks.chunks:inference",
    },
    **in_every_room("chunks"),
)
