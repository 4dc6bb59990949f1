"""Which chunk an item of a record is published in, given the cluster of the record."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel


@kernel
def narrowest_claims(
    item: Ids, cluster: Ints, claim_item: Ids, first: Ints, last: Ints, chunk: Ints, d: int
) -> Ints:  # fmt: skip
    """Return for each entry the chunk of the narrowest claim on its item that covers its cluster.

    -1 where that is a term, -2 where no claim does. Preconditions: entries by item, then cluster; claims by item, then
    first cluster, wider ones before; two claims on an item are apart or one is within the other. O(entries + claims).
    """
    out = np.empty(len(item), np.int64)
    stack, depth = np.empty(len(claim_item) + 1, np.int64), 0
    c = 0
    for e in range(len(item)):
        if e == 0 or item[e] != item[e - 1]:
            depth = 0
            while c < len(claim_item) and claim_item[c] < item[e]:
                c += 1
        while c < len(claim_item) and claim_item[c] == item[e] and first[c] <= cluster[e]:
            while depth > 0 and last[stack[depth - 1]] < first[c]:
                depth -= 1
            stack[depth] = c
            depth += 1
            c += 1
        while depth > 0 and last[stack[depth - 1]] < cluster[e]:
            depth -= 1
        out[e] = chunk[stack[depth - 1]] if depth > 0 else -2
    return out
