"""A release in chunks: clusters of records, cut into bags of sub-records that nobody can put together again.

A *record chunk* belongs to one cluster, a *shared chunk* to several that stand side by side. Each is a bag of
sub-records: what as many records of these clusters hold of the chunk's items. The *terms* of a cluster are items that
at least one of its records holds, nobody knows how many. An item of a cluster is in the narrowest chunk that covers the
cluster and has the item; its terms are the narrowest of all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pyarrow as pa

from covey.arrays import Ints, Mask, offsets_of
from covey.counting import counted, sizes
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows
from covey.errors import ParameterError, TamperedRelease
from covey.release.base import BY_PERSON, Release, Statement, Words, counts_persons
from covey.release.chunk_estimates import drawn, estimated
from covey.release.estimate import Estimate
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.tables import INT, TEXTS, Schema, Tables

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

WORDS = Words(
    row="basket",
    group="cluster",
    groups="clusters of similar baskets",
    counts={
        "transactions": "transactions",
        "persons": "persons, each with the items of all their transactions",
        "items": "published items",
        "clusters": "clusters of records",
        "record_chunks": "chunks of single clusters",
        "shared_chunks": "chunks that several clusters share",
        "parts": "sub-records in all chunks",
        "entries": "items in all sub-records",
        "terms": "items that a cluster names without a count",
    },
    facts={"unit": "What a record is"},
    drawn="The pieces that the release counts were dealt at random to the baskets of their clusters, and items that a "
    "cluster only names to one basket each: **which pieces are one basket is made up**.",
    use=USE,
)

CLUSTERS = Schema(
    {"cluster": INT, "records": INT},
    row="Each row is one cluster of similar records.",
    says={"cluster": "Number of the cluster.", "records": "How many records it has."},
    key=("cluster",),
)
CHUNKS = Schema(
    {"first": INT, "last": INT, "chunk": INT, "items": TEXTS},
    row="Each row is one sub-record of a chunk: what one record of its clusters holds of the chunk's items.",
    says={
        "first": "The first cluster that the chunk covers.",
        "last": "The last one; an item of a cluster is counted in the narrowest chunk that covers it and has the item.",
        "chunk": "Number of the chunk. Sub-records of different chunks are not linked.",
        "items": "The items, as they were.",
    },
)
TERMS = Schema(
    {"cluster": INT, "items": TEXTS},
    row="Each row is one cluster with items that are only named.",
    says={
        "cluster": "Number of the cluster.",
        "items": "Items that at least one record of the cluster holds; how many records hold each is not published.",
    },
    key=("cluster",),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ChunksRelease(Release):
    """Clusters of records, in chunks.

    Chunk c covers the clusters ``first[c]`` to ``last[c]`` and has the sub-records ``part_ptr[c]`` to
    ``part_ptr[c + 1]`` of `parts`, none of them empty. `terms` has a set for each cluster, over the same items.
    """

    kind: ClassVar[str] = "chunks"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets",)
    words: ClassVar[Words] = WORDS
    stated: ClassVar[tuple[str, ...]] = ("unit",)
    framed: ClassVar[tuple[str, ...]] = ("chunks",)

    #: How many records each cluster has.
    records: Ints
    first: Ints
    last: Ints
    part_ptr: Ints
    parts: Baskets
    terms: Baskets
    #: Whether a record is a person, with all that their transactions hold.
    by_person: bool = False

    def __post_init__(self) -> None:
        for array in (self.records, self.first, self.last, self.part_ptr):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"ChunksRelease({self.guarantee} by {self.method}: {counted(self.n, self.unit[:-1])}, "
            f"{sizes(clusters=self.clusters, chunks=self.chunks, items=len(self.items))})"
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.records.sum())

    @property
    def unit(self) -> str:
        """What a record is, in the plural."""
        return "persons" if self.by_person else "transactions"

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return len(self.records)

    @property
    def chunks(self) -> int:
        """Number of chunks, record chunks and shared ones."""
        return len(self.first)

    @property
    def items(self) -> tuple[str, ...]:
        """All published items, in label order."""
        return self.parts.items

    def supports(self) -> Ints:
        """In how many records each item is for certain: those counted in chunks, and one for each cluster's term."""
        return self.parts.supports() + self.terms.supports()

    def keys(self) -> Ints:
        """chunk · items + item for each entry of the chunks."""
        chunk = np.repeat(np.arange(self.chunks), np.diff(self.part_ptr))
        return np.repeat(chunk * len(self.items), self.parts.lengths()) + self.parts.indices

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables."""
        return {"clusters": CLUSTERS, "chunks": CHUNKS, "terms": TERMS}

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> ChunksRelease:
        """The release that such tables are of."""
        cluster, records = found.columns("clusters", "cluster", "records")
        if not np.array_equal(cluster, np.arange(len(cluster))) or bool((records < 1).any()):
            raise TamperedRelease("The clusters are not numbered 0, 1, 2 and so on, or one of them has no records.")
        if int(records.max(initial=0)) >= 2**40 or len(records) * int(records.max(initial=0)) >= 2**62:
            raise TamperedRelease("A cluster has more records than there are people.")
        parts, covers = assemble_baskets(found.batches("chunks"))
        terms, named = assemble_baskets(found.batches("terms"))
        if bool((parts.lengths() == 0).any() or (terms.lengths() == 0).any()):
            raise TamperedRelease("A published set has no items.")
        first, last, chunk = (covers[name] for name in ("first", "last", "chunk"))
        step, home = np.diff(chunk, prepend=-1), named["cluster"]
        starts = np.flatnonzero(step)
        if not bool(((step == 0) | (step == 1)).all()) or (len(chunk) and chunk[0] != 0):
            raise TamperedRelease("The sub-records are not in the order of their chunks, numbered 0, 1, 2 and so on.")
        if bool(((first != first[starts][chunk]) | (last != last[starts][chunk])).any()):
            raise TamperedRelease("The sub-records of a chunk do not cover the same clusters.")
        first, last = first[starts], last[starts]
        if not bool(((first >= 0) & (first <= last) & (last < len(records))).all()):
            raise TamperedRelease("A chunk covers clusters that do not exist.")
        if bool((np.diff(home, prepend=-1) < 1).any()) or int(home.max(initial=-1)) >= len(records):
            raise TamperedRelease(
                "The terms are not in the order of their clusters, or name a cluster that does not exist."
            )
        lengths = np.zeros(len(records), np.int64)
        lengths[home] = terms.lengths()
        items = tuple(sorted({*parts.items, *terms.items}))
        release = assembled(
            records=records,
            first=first,
            last=last,
            part_ptr=np.append(starts, len(chunk)),
            parts=_over(items, parts, parts.indptr),
            terms=_over(items, terms, offsets_of(lengths)),
            by_person=counts_persons(manifest.facts),
            made=manifest.made,
        )
        if not release.publishing()[:-1].all():
            raise TamperedRelease(
                "A cluster publishes nothing. Only the last one may: that of the records without items."
            )
        return release

    def publishing(self) -> Mask:
        """Which clusters have a chunk or a term."""
        opened, closed = (np.bincount(ends, minlength=self.clusters + 1) for ends in (self.first, self.last + 1))
        return np.asarray((np.cumsum(opened - closed)[:-1] > 0) | (self.terms.lengths() > 0), np.bool_)

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written: chunks by the clusters they cover, sub-records as in a dictionary."""
        covers = {"first": self.first, "last": self.last, "chunk": np.arange(self.chunks)}
        covers = {name: np.repeat(values, np.diff(self.part_ptr)) for name, values in covers.items()}
        named = np.flatnonzero(self.terms.lengths())
        return {
            "clusters": iter([CLUSTERS.batch(np.arange(self.clusters), self.records)]),
            "chunks": item_batches(self.parts, covers, held=True),
            "terms": item_batches(self.terms.take(named), {"cluster": named}, held=True),
        }

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single records."""
        return {
            self.unit: self.n,
            "items": len(self.items),
            "clusters": self.clusters,
            "record_chunks": int((self.first == self.last).sum()),
            "shared_chunks": int((self.first < self.last).sum()),
            "parts": self.parts.n,
            "entries": self.parts.entries,
            "terms": self.terms.entries,
        }

    def facts(self) -> dict[str, object]:
        """What a record is, if not a transaction."""
        return dict(BY_PERSON) if self.by_person else {}

    def counted_items(self) -> set[str]:
        """The items that some chunk counts; of others it is only known that they occur."""
        return {self.items[i] for i in np.flatnonzero(self.parts.supports())}

    def original(self, data: Baskets) -> Baskets:
        """What of the original the records are: transactions, or persons."""
        return data.by_person() if self.by_person else data

    def draw(self, seed: int | None = None) -> Baskets:
        """Plain baskets as the original may have been: every sub-record in a record, drawn at random.

        Each term of a cluster is given to one record. What the chunks tell is true of every such draw; what goes
        together across chunks is chance.

        Without a seed, the system's entropy decides.

        Examples
        --------
        >>> import covey
        >>> data = covey.Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
        >>> drawn = covey.anonymize(data, "km-anonymity(k=2, m=2)", "disassociation").draw(seed=1)
        >>> drawn.n, drawn.supports().tolist() == data.supports().tolist()
        (4, True)
        """
        return drawn(self, seed)

    def estimate(
        self, sensitive: str | None = None, *, present: Collection[str] = (), absent: Collection[str] = ()
    ) -> Estimate:
        """Estimate how many records hold all of `present` and none of `absent`.

        Releases in chunks have no sensitive items.

        Examples
        --------
        >>> import covey
        >>> data = covey.Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
        >>> release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "disassociation")
        >>> answer = release.estimate(present=["ale", "tea"])
        >>> answer.lower, answer.upper
        (2, 2)
        """
        if sensitive is not None:
            raise ParameterError(f"Releases in chunks have no sensitive items: ask for {sensitive!r} as present.")
        return estimated(self, present, absent)


def assembled(
    *,
    records: Ints,
    first: Ints,
    last: Ints,
    part_ptr: Ints,
    parts: Baskets,
    terms: Baskets,
    by_person: bool,
    made: Statement,
) -> ChunksRelease:
    """The release in its one form: chunks by the clusters they cover and their items, sub-records as in a dictionary.

    Chunks and their sub-records may be given in any order; no chunk is empty.
    """
    smallest = np.minimum.reduceat(parts.indices[parts.indptr[:-1]], part_ptr[:-1])
    order, sizes = np.lexsort((smallest, last, first)), np.diff(part_ptr)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    rows = np.lexsort((_places(parts), np.repeat(place, sizes)))
    if bool((rows[1:] < rows[:-1]).any()):  # what was read is in order already
        indptr, indices = take_rows(parts.indptr, parts.indices, rows)
        parts = replace(parts, indptr=indptr, indices=indices)
        part_ptr = offsets_of(sizes[order])
    return ChunksRelease(
        records=records,
        first=first[order],
        last=last[order],
        part_ptr=part_ptr,
        parts=parts,
        terms=terms,
        by_person=by_person,
        made=made,
    )


def _places(sets: Baskets) -> Ints:
    """A number for each set, in the order of a dictionary, equal for equal sets."""
    number, _, example = equal_rows(sets.indptr, sets.indices, sets.d)
    indptr, indices = take_rows(sets.indptr, sets.indices, example)
    raw = indices.astype(">i4").tobytes()
    texts = [raw[start:stop] for start, stop in pairwise((4 * indptr).tolist())]
    place = np.empty(len(texts), np.int64)
    place[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return place[number]


def _over(items: tuple[str, ...], sets: Baskets, indptr: Ints) -> Baskets:
    """The sets over a longer list of items, with other row offsets."""
    place = {item: i for i, item in enumerate(items)}
    rename = np.array([place[item] for item in sets.items] or [0], np.int32)
    return unmarked(indptr, rename[sets.indices], items)
