"""Records by cluster, cut into chunks: what a method hands over to be published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints


@dataclass(slots=True, kw_only=True)
class Cut:
    """Records by cluster, each entry with the chunk it is published in.

    Attributes
    ----------
    row_ptr, item : arrays
        The items of each record.
    cluster : int64 array
        Of each record, ascending.
    level : int64 array
        For each entry: 0 in a record chunk, l in a chunk that 2^l clusters share, -1 in the term chunk.
    chunk : int64 array
        A number of the chunk among those of the same cluster or joint.
    """

    row_ptr: Ints
    item: Ids
    cluster: Ints
    level: Ints
    chunk: Ints

    @property
    def row(self) -> Ints:
        """The record of each entry."""
        return np.repeat(np.arange(len(self.cluster)), np.diff(self.row_ptr))

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster[-1]) + 1 if len(self.cluster) else 0
