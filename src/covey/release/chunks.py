"""A release in chunks: clusters of records, cut into bags of sub-records that nobody can put together again.

A *record chunk* belongs to one cluster, a *shared chunk* to several that stand side by side. Each is a bag of
sub-records: what as many records of these clusters hold of the chunk's items. The *terms* of a cluster are items that
at least one of its records holds, nobody knows how many. An item of a cluster is in the narrowest chunk that covers the
cluster and has the item; its terms are the narrowest of all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pyarrow as pa

from covey.arrays import Ints, Mask
from covey.counting import counted, sizes
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows
from covey.errors import ParameterError, TamperedRelease
from covey.release.base import Release, Statement, Words
from covey.release.chunk_estimates import drawn, estimated
from covey.release.estimate import Estimate
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.persons import BY_PERSON, counts_persons, misstated
from covey.release.tables import INT, TEXTS, Schema, Tables

#: Entries of chunks, about, that are looked at together.
AT_ONCE = 1 << 19

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

    Attributes
    ----------
    records : int64 array
        How many records each cluster has.
    first, last : int64 arrays
        The clusters that each chunk covers.
    part_ptr : int64 array
        Sub-records ``part_ptr[c]`` to ``part_ptr[c + 1]`` are chunk c.
    parts : Baskets
        The sub-records of all chunks, none of them empty.
    terms : Baskets
        The terms of each cluster, over the same items.
    by_person : bool
        Whether a record is a person, with all that their transactions hold.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "chunks"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets",)
    words: ClassVar[Words] = WORDS
    framed: ClassVar[tuple[str, ...]] = ("chunks",)

    records: Ints
    first: Ints
    last: Ints
    part_ptr: Ints
    parts: Baskets
    terms: Baskets
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

    def part_of_entry(self) -> Ints:
        """The sub-record of each entry."""
        return np.repeat(np.arange(self.parts.n), self.parts.lengths())

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Chunks from one up to another that have about `AT_ONCE` entries; chunks do not depend on each other."""
        starts = self.parts.indptr[self.part_ptr[:-1]]
        return pairwise([*np.flatnonzero(np.diff(starts // AT_ONCE, prepend=-1)).tolist(), self.chunks])

    def keys(self, first: int, stop: int) -> Ints:
        """chunk · items + item for each entry of the chunks from `first` up to `stop`."""
        sizes, ptr = np.diff(self.part_ptr[first : stop + 1]), self.parts.indptr
        ptr = ptr[self.part_ptr[first] : self.part_ptr[stop] + 1]
        keys: Ints = np.repeat(np.repeat(np.arange(first, stop) * len(self.items), sizes), np.diff(ptr))
        keys += self.parts.indices[ptr[0] : ptr[-1]]
        return keys

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables."""
        return {"clusters": CLUSTERS, "chunks": CHUNKS, "terms": TERMS}

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """Return what is stated besides the unit; "" for nothing."""
        return misstated(manifest.facts)

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> ChunksRelease:
        """The release that such tables are of."""
        clusters = found.table("clusters")
        cluster, records = (_numbers(clusters.column(name)) for name in ("cluster", "records"))
        if not np.array_equal(cluster, np.arange(len(cluster))) or bool((records < 1).any()):
            raise TamperedRelease("The clusters are not numbered 0, 1, 2 and so on, or one of them has no records.")
        if int(records.max(initial=0)) >= 2**40 or len(records) * int(records.max(initial=0)) >= 2**62:
            raise TamperedRelease("A cluster has more records than there are people.")
        covers = _Covers(len(records))
        parts = _sets(covers.noted(found.batches("chunks")))
        first, last, sizes = covers.found()
        homes: list[Ints] = [np.empty(0, np.int64)]
        terms = _sets(_without(found.batches("terms"), "cluster", homes))
        home = np.concatenate(homes)
        if bool((np.diff(home, prepend=-1) < 1).any()) or int(home.max(initial=-1)) >= len(records):
            raise TamperedRelease(
                "The terms are not in the order of their clusters, or name a cluster that does not exist."
            )
        items = tuple(sorted({*parts.items, *terms.items}))
        lengths = np.zeros(len(records), np.int64)
        lengths[home] = terms.lengths()
        if bool((~_publishing(first, last, lengths)[:-1]).any()):
            raise TamperedRelease(
                "A cluster publishes nothing. Only the last one may: that of the records without items."
            )
        parts = _over(items, parts, parts.indptr)
        return assembled(
            records=records,
            first=first,
            last=last,
            part_ptr=np.concatenate([[0], np.cumsum(sizes)]),
            parts=parts,
            terms=_over(items, terms, np.concatenate([[0], np.cumsum(lengths)])),
            by_person=counts_persons(manifest.facts),
            made=manifest.made,
        )

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written: chunks by the clusters they cover, sub-records as in a dictionary."""

        def of_parts(values: Ints) -> Callable[[int, int], Ints]:
            """What is said of chunks for each of their sub-records, of which there are many more, some at a time."""

            def some(start: int, stop: int) -> Ints:
                within: Ints = np.clip(self.part_ptr, start, stop)
                return np.repeat(values, np.diff(within))

            return some

        covers = {"first": self.first, "last": self.last, "chunk": np.arange(self.chunks)}
        named = np.flatnonzero(self.terms.lengths())
        return {
            "clusters": iter([CLUSTERS.batch(np.arange(self.clusters), self.records)]),
            "chunks": item_batches(self.parts, {name: of_parts(each) for name, each in covers.items()}, held=True),
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

    Parameters
    ----------
    records, terms, by_person, made
        As in the release.
    first, last, part_ptr, parts
        As in the release, chunks in any order and their sub-records, too; no chunk is empty.
    """
    smallest = np.minimum.reduceat(parts.indices[parts.indptr[:-1]], part_ptr[:-1])
    order, sizes = np.lexsort((smallest, last, first)), np.diff(part_ptr)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    rows = np.lexsort((_places(parts), np.repeat(place, sizes)))
    if bool((rows[1:] < rows[:-1]).any()):  # what was read is in order already
        indptr, indices = take_rows(parts.indptr, parts.indices, rows)
        parts = replace(parts, indptr=indptr, indices=indices)
        part_ptr = np.concatenate([[0], np.cumsum(sizes[order])])
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


def _publishing(first: Ints, last: Ints, terms: Ints) -> Mask:
    """Which clusters have a chunk or a term, `terms` being how many terms each has."""
    edges = np.bincount(first, minlength=len(terms) + 1) - np.bincount(last + 1, minlength=len(terms) + 1)
    return np.asarray((np.cumsum(edges)[:-1] > 0) | (terms > 0), np.bool_)


class _Covers:
    """Which clusters the chunks cover; every sub-record says so of its chunk, in the order of the chunks.

    There are many more sub-records than chunks, so what they say is compared while they are read, and not kept.
    """

    def __init__(self, clusters: int) -> None:
        self._clusters = clusters
        self._seen: list[Ints] = []  # of each piece: first, last and sub-records of the chunks that begin in it
        self._now = np.array([-1, -1, -1])  # first, last and number of the chunk that comes to an end last

    def noted(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The pieces of the table with their sets alone; raises `TamperedRelease` if the rest contradicts itself."""
        for batch in batches:
            said = np.stack([_numbers(batch.column(name)) for name in ("first", "last", "chunk")])
            self._note(np.concatenate([self._now[:, None], said], axis=1))
            yield batch.select(["items"])

    def _note(self, said: Ints) -> None:
        first, last, chunk = said
        new = np.diff(chunk)
        if not bool(((new == 0) | (new == 1)).all()):
            raise TamperedRelease("The sub-records are not in the order of their chunks, numbered 0, 1, 2 and so on.")
        if bool(((new == 0) & ((np.diff(first) != 0) | (np.diff(last) != 0))).any()):
            raise TamperedRelease("The sub-records of a chunk do not cover the same clusters.")
        if not bool(((first[1:] >= 0) & (first[1:] <= last[1:]) & (last[1:] < self._clusters)).all()):
            raise TamperedRelease("A chunk covers clusters that do not exist.")
        starts = np.flatnonzero(new) + 1
        sizes = np.diff(np.concatenate([[1], starts, [len(chunk)]]))  # the first ones belong to the chunk before
        if self._seen:
            self._seen[-1][2, -1:] += sizes[0]
        self._now = said[:, -1].copy()
        if len(starts):
            self._seen.append(np.stack([first[starts], last[starts], sizes[1:]]))

    def found(self) -> Ints:
        """For each chunk its first and last cluster, and how many sub-records it has."""
        return np.concatenate([np.empty((3, 0), np.int64), *self._seen], axis=1)


def _without(batches: Iterator[pa.RecordBatch], column: str, taken: list[Ints]) -> Iterator[pa.RecordBatch]:
    """The pieces of a table without a column of numbers, which goes to `taken`."""
    for batch in batches:
        taken.append(_numbers(batch.column(column)))
        yield batch.drop_columns([column])


def _sets(batches: Iterator[pa.RecordBatch]) -> Baskets:
    """The sets of a table, none of them empty."""
    sets, _ = assemble_baskets(batches)
    if bool((sets.lengths() == 0).any()):
        raise TamperedRelease("A published set has no items.")
    return sets


def _numbers(column: pa.Array) -> Ints:
    if column.null_count:
        raise TamperedRelease("A number is missing.")
    return column.to_numpy()  # type: ignore[no-any-return]


def _over(items: tuple[str, ...], sets: Baskets, indptr: Ints) -> Baskets:
    """The sets over a longer list of items, with other row offsets."""
    place = {item: i for i, item in enumerate(items)}
    rename = np.array([place[item] for item in sets.items] or [0], np.int32)
    return unmarked(indptr, rename[sets.indices], items)
