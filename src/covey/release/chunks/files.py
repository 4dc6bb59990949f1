"""The tables of a release in chunks: clusters with their records, sub-records of chunks, and terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from covey.arrays import Ints, Mask
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.errors import TamperedRelease
from covey.release.chunks.model import ChunksRelease, assembled
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.persons import counts_persons, misstated
from covey.release.tables import INT, TEXTS, Schema, Tables

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


def tables(manifest: Manifest) -> Mapping[str, Schema]:
    """The exact tables of a release."""
    return {"clusters": CLUSTERS, "chunks": CHUNKS, "terms": TERMS}


def problem(manifest: Manifest) -> str:
    """Nothing is stated of chunks but whether records are persons."""
    return misstated(manifest.facts)


def to_tables(release: ChunksRelease) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """The tables as covey writes them: chunks by the clusters they cover, sub-records as in a dictionary."""

    def of_parts(values: Ints) -> Callable[[int, int], Ints]:
        """What is said of chunks for each of their sub-records, of which there are many more, some at a time."""

        def some(start: int, stop: int) -> Ints:
            within: Ints = np.clip(release.part_ptr, start, stop)
            return np.repeat(values, np.diff(within))

        return some

    covers = {"first": release.first, "last": release.last, "chunk": np.arange(release.chunks)}
    named = np.flatnonzero(release.terms.lengths())
    return {
        "clusters": iter([CLUSTERS.batch(np.arange(release.clusters), release.records)]),
        "chunks": item_batches(release.parts, {name: of_parts(each) for name, each in covers.items()}, held=True),
        "terms": item_batches(release.terms.take(named), {"cluster": named}, held=True),
    }


def from_tables(found: Tables, manifest: Manifest) -> ChunksRelease:
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
        raise TamperedRelease("A cluster publishes nothing. Only the last one may: that of the records without items.")
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
