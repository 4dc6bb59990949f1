"""A release in chunks: clusters of records, cut into bags of sub-records that nobody can put together again.

A *record chunk* belongs to one cluster, a *shared chunk* to several that stand side by side. Each is a bag of
sub-records: what as many records of these clusters hold of the chunk's items. The *terms* of a cluster are items that
at least one of its records holds, nobody knows how many. An item of a cluster is in the narrowest chunk that covers the
cluster and has the item; its terms are the narrowest of all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.data import Baskets
from covey.errors import ParameterError
from covey.release.base import Release
from covey.release.chunks.nested import free_space
from covey.release.chunks.row_order import in_dictionary_order, take_groups
from covey.release.grouped.model import Estimate
from covey.release.persons import BY_PERSON

#: Entries of chunks, about, that are looked at together.
AT_ONCE = 1 << 19


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

    def facts(self) -> dict[str, Any]:
        """What a record is, if not a transaction."""
        return dict(BY_PERSON) if self.by_person else {}

    def counted_items(self) -> set[str]:
        """The items that some chunk counts; of others it is only known that they occur."""
        return {self.items[i] for i in np.flatnonzero(self.parts.supports())}

    def original(self, data: Baskets) -> Baskets:
        """What of the original the records are: transactions, or persons."""
        return data.by_person() if self.by_person else data

    def draw(self, seed: Any = None) -> Baskets:
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
        from covey.release.chunks.estimates import drawn

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
        from covey.release.chunks.estimates import estimated

        if sensitive is not None:
            raise ParameterError(f"Releases in chunks have no sensitive items: ask for {sensitive!r} as present.")
        return estimated(self, present, absent)

    def to_frame(
        self,
        table: Literal["chunks", "clusters", "terms"] = "chunks",
        *,
        library: Literal["pandas", "polars", "arrow"] = "pandas",
    ) -> Any:
        """One of the published tables as a frame, exactly as it stands in the files."""
        known = ("clusters", "chunks", "terms")
        if table not in known:
            raise ParameterError(f"A release in chunks has the tables {', '.join(known)}, not {table!r}.")
        return self.frame_of(table, library=library)


def assembled(
    *,
    records: Ints,
    first: Ints,
    last: Ints,
    part_ptr: Ints,
    parts: Baskets,
    terms: Baskets,
    by_person: bool,
    made: Any,
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
    order = np.lexsort((smallest, last, first))
    moved = bool((order[1:] < order[:-1]).any())
    if moved or not in_dictionary_order(parts.indptr, parts.indices, part_ptr):  # what was read is in order already
        indptr, indices = take_groups(parts.indptr, parts.indices, part_ptr, order)
        parts = replace(parts, indptr=indptr, indices=indices)
        part_ptr = np.concatenate([[0], np.cumsum(np.diff(part_ptr)[order])])
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Each pair of an item and a chunk, or terms, that it is in; by item, then first cluster, wider ones before.

    An item of a cluster is counted in the narrowest chunk that covers the cluster and has the item. `first` and `last`
    are the clusters that the chunk covers; `chunk` is -1 for terms.
    """

    item: Ids
    first: Ints
    last: Ints
    chunk: Ints

    @classmethod
    def of(cls, release: ChunksRelease) -> Claims:
        """The claims of a release."""
        d = max(len(release.items), 1)
        found = (np.unique(release.keys(*piece)) for piece in release.pieces())
        pairs = np.concatenate([np.zeros(0, np.int64), *found])
        chunk, item = pairs // d, (pairs % d).astype(np.int32)
        home = np.repeat(np.arange(release.clusters), release.terms.lengths())
        items = np.concatenate([item, release.terms.indices])
        first = np.concatenate([release.first[chunk], home])
        last = np.concatenate([release.last[chunk], home])
        chunks = np.concatenate([chunk, np.full(len(home), -1)])
        del pairs, chunk, item, home
        order = np.lexsort((chunks == -1, -last, first, items))
        return cls(item=items[order], first=first[order], last=last[order], chunk=chunks[order])

    def of_item(self, item: int) -> slice:
        """The claims of one item."""
        return slice(*np.searchsorted(self.item, [item, item + 1]))

    def free(self, records: Ints) -> tuple[Ints, Ints, Ints]:
        """Where the records are that a claim may be about: outside of narrower claims on the same item.

        Records are numbered by cluster, `records` being how many each has. Returns (ptr, begin, end): claim i may be
        about records ``begin[j]`` to ``end[j]`` for j from ``ptr[i]`` to ``ptr[i + 1]``.
        """
        offset = np.concatenate([[0], np.cumsum(records)])
        return free_space(self.item, offset[self.first], offset[self.last + 1])

    def room(self, records: Ints) -> Ints:
        """How many records each claim may be about."""
        ptr, begin, end = self.free(records)
        total = np.concatenate([[0], np.cumsum(end - begin)])
        room: Ints = total[ptr[1:]] - total[ptr[:-1]]
        return room
