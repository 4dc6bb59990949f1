"""Drawing plain baskets from chunks: every sub-record finds a record of its clusters that may hold it."""

from __future__ import annotations

import numpy as np

from covey.data import Baskets
from covey.kernels.shared.nested import draw_places
from covey.release.chunks.claims import Claims
from covey.release.chunks.model import ChunksRelease


def drawn(release: ChunksRelease, seed: int | None) -> Baskets:
    """One of the originals that a release may be of, drawn at random; each term is given to one record."""
    rng = np.random.default_rng(seed)
    claims = Claims.of(release)
    ptr, low, high = claims.free(release.records)
    # A chunk of several items has all its clusters to itself, so any of its items tells where its records are.
    claim_of_chunk = np.zeros(release.chunks, np.int64)
    counted = claims.chunk >= 0
    claim_of_chunk[claims.chunk[counted]] = np.flatnonzero(counted)
    is_term = np.flatnonzero(~counted)
    chosen = np.concatenate([claim_of_chunk, is_term])
    pieces = np.diff(ptr)[chosen]
    space_ptr = np.concatenate([[0], np.cumsum(pieces)])
    at = np.arange(space_ptr[-1]) - np.repeat(space_ptr[:-1] - ptr[chosen], pieces)
    part_ptr = np.concatenate([release.part_ptr, release.part_ptr[-1] + np.arange(1, len(is_term) + 1)])
    place = draw_places(part_ptr, space_ptr, low[at], high[at], release.n, int(rng.integers(0, 2**62)))
    shuffle = rng.permutation(release.n)
    lengths = np.append(release.parts.lengths(), np.ones(len(is_term), np.int64))
    record = np.repeat(np.where(place >= 0, shuffle[place], -1), lengths)
    item = np.concatenate([release.parts.indices, claims.item[is_term]])
    by_record = np.argsort(record, kind="stable")
    by_record = by_record[np.searchsorted(record[by_record], 0) :]
    indptr = np.searchsorted(record[by_record], np.arange(release.n + 1))
    return Baskets.build(indptr, item[by_record], list(release.items))
