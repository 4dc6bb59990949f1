"""Is a release of sets made from this original by leaving items out, and nothing else?

It is if and only if the published sets can be given to the original transactions one by one, each to one that
holds it. Whether they can is a question of flow: from each different published set, as often as it is published, to
the different original sets that hold it, as often as they occur. Empty sets fit everywhere and need no flow.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.data import Baskets
from covey.data.csr import take_rows, transpose
from covey.data.equal_rows import equal_rows
from covey.data.set_classes import holders
from covey.kernels.verify.assigning import without_place
from covey.verdict import Check

#: Pairs of a published and an original set up to which the flow is computed.
PAIRS = 20_000_000


def compare(published: Baskets, original: Baskets) -> list[Check]:
    """Check that the published sets are those of `original` with items left out, one for each transaction.

    With more than `PAIRS` pairs of sets only a necessary condition is checked, and the check says so: for each
    published set, the original has as many transactions that hold it.
    """
    checks = [published_once(published.n, original.n, original.unit)]
    if not checks[0].passed:
        return checks
    checks.append(known_items(published.items, [original.items[i] for i in np.flatnonzero(original.supports())]))
    if checks[-1].passed:
        checks.append(_assignable(published, original))
    return checks


def published_once(ours: int, theirs: int, unit: str = "transactions") -> Check:
    """That as many transactions, or persons, are published as there were."""
    detail = counted(ours, unit[:-1]) if ours == theirs else f"{ours:,} published, {theirs:,} in the original"
    return Check(name=f"every {unit[:-1]} is published once", passed=ours == theirs, detail=detail)


def known_items(published: Collection[str], known: Collection[str]) -> Check:
    """That no item is published which the original does not have."""
    invented = sorted(set(published) - set(known))
    return Check(
        name="every published item is in the original",
        passed=not invented,
        detail=f"{invented[0]!r} is not" if invented else f"{len(published):,} of {counted(len(known), 'item')}",
    )


def _assignable(published: Baskets, original: Baskets) -> Check:
    position = {item: i for i, item in enumerate(original.items)}
    rename = np.array([position[item] for item in published.items], np.int32)
    set_ptr, sets, wanted, set_rows = _distinct(published.indptr, rename[published.indices], original.d)
    row_ptr, rows, offered, _ = _distinct(original.indptr, original.indices, original.d)
    full = np.flatnonzero(np.diff(set_ptr))
    # There is at most one empty set among the distinct ones, so the others keep their order without it.
    set_ptr = np.append(set_ptr[full], set_ptr[-1])
    wanted, set_rows = wanted[full], set_rows[full]
    by_item = transpose(row_ptr, rows, original.d)
    pair_ptr, pairs = holders(set_ptr, sets, row_ptr, rows, *by_item, PAIRS)
    exact = len(pair_ptr) == len(set_ptr) and len(pairs) <= PAIRS
    name = "nothing was invented: each published set fits a different transaction that holds it"
    if exact:
        missing = without_place(pair_ptr, pairs, wanted, offered)
    else:
        name = "nothing was invented: each published set is held by enough transactions (one set at a time)"
        missing = _alone_shortage(set_ptr, sets, row_ptr, rows, by_item, wanted, offered)
    short = np.flatnonzero(missing)
    if not len(short):
        return Check.ok(name, sizes(different_sets=len(wanted), entries=published.entries))
    worst = int(short[np.argmax(missing[short])])
    items = published.basket(int(set_rows[worst]))
    shown = ", ".join(items[:8]) + (" …" if len(items) > 8 else "")
    detail = (
        f"{{{shown}}} is published {counted(int(wanted[worst]), 'time')}, but for {missing[worst]:,} of them no "
        "transaction that holds it is left"
    )
    return Check.failed(name, detail)


def _distinct(indptr: Ints, indices: Ids, d: int) -> tuple[Ints, Ids, Ints, Ints]:
    """The different rows, how often each occurs, and a row that is equal to each."""
    _, size, example = equal_rows(indptr, indices, d)
    return *take_rows(indptr, indices, example), size, example


def _alone_shortage(
    set_ptr: Ints, sets: Ids, row_ptr: Ints, rows: Ids, by_item: tuple[Ints, Ids], wanted: Ints, offered: Ints
) -> Ints:
    """How many of each published set find no transaction even if no other set takes one."""
    held = np.empty(len(wanted), np.int64)
    for s in range(len(wanted)):
        one = np.array([0, set_ptr[s + 1] - set_ptr[s]])
        items = sets[set_ptr[s] : set_ptr[s + 1]]
        _, found = holders(one, items, row_ptr, rows, *by_item, len(offered))
        held[s] = offered[found].sum()
    missing: Ints = np.maximum(wanted - held, 0)
    return missing
