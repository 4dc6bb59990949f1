"""Where an item of a cluster is counted: in the narrowest chunk that covers the cluster and has the item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.shared.nested import free_space
from covey.release.chunks.model import ChunksRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Each pair of an item and a chunk, or terms, that it is in; by item, then first cluster, wider ones before.

    `first` and `last` are the clusters that the chunk covers; `chunk` is -1 for terms.
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
