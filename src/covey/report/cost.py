"""What a release has cost, in a sentence, and what would keep more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from covey.counting import counted, percent
from covey.data import Baskets, Ratings, Records, Table, Taxonomy
from covey.parameters import parse_call
from covey.registry import methods
from covey.release.base import Release
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease

#: Who loses more than this is warned.
HARDLY_OF_USE = 0.9

#: Losses below this share need no advice.
BEARABLE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What is left of the original, the share `of` the detail that is lost where it is known, and what keeps more."""

    kept: str
    lost: float | None = None
    advice: tuple[str, ...] = ()
    of: str = "detail"

    def __str__(self) -> str:
        lost = "" if self.lost is None else f"; {percent(self.lost, fine=True)} of {self.of} lost"
        return f"Kept: {self.kept}{lost}."

    def to_dict(self) -> dict[str, Any]:
        """The cost as plain data for JSON."""
        return {"kept": self.kept, "lost": self.lost, "advice": list(self.advice)}


@singledispatch
def cost_of_release(release: Release, original: Any, taxonomy: Taxonomy | None = None) -> Cost | None:
    """Return what a release has cost; None for kinds that do not say.

    Examples
    --------
    >>> import covey
    >>> data = covey.Baskets.of([["ale", "tea"], ["tea"], ["ale", "rum"], ["ale"]])
    >>> print(cost_of_release(covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm"), data))
    Kept: 1 of 3 items as they were, 50.0 % of all occurrences; 50.0 % of detail lost.
    """
    return None


@cost_of_release.register
def _of_sets(release: SetsRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> Cost:
    """Items that are still called so, their occurrences, and detail lost along the taxonomy."""
    from covey.measure.loss import ncp

    public = public_part(release, original)
    cost = _of_items(release.transactions, public)
    if release.recoding is not None:
        lost = ncp(release, original, taxonomy)
        cost = replace(cost, lost=lost, of=cost.of if taxonomy is None else "the taxonomy's detail (NCP)")
    if cost.lost is None or cost.lost < BEARABLE:
        return cost
    return replace(cost, advice=tuple(_advice(release, taxonomy)))


def _of_items(published: Baskets, original: Baskets) -> Cost:
    held, before = dict(zip(published.items, published.supports(), strict=True)), original.supports()
    kept = [min(int(held.get(item, 0)), int(count)) for item, count in zip(original.items, before, strict=True)]
    share = sum(kept) / max(original.entries, 1)
    items = sum(count > 0 for count in kept)
    every = counted(int((before > 0).sum()), "item")
    names = f"{items:,} of {every} as they were, {percent(share, fine=True)} of all occurrences"
    return Cost(kept=names, lost=1 - share)


def _advice(release: SetsRelease, taxonomy: Taxonomy | None) -> list[str]:
    """What would keep more of sets."""
    name, _, values = parse_call(release.guarantee)
    found = []
    able = methods(guarantee=name)
    if taxonomy is None and any(entry.takes_taxonomy for entry in able):
        found.append("a taxonomy of the items (`covey taxonomy suggest`)")
    sizes = [key for key in ("m", "p", "k") if isinstance(values.get(key), int | float) and float(values[key]) > 2]
    found += [f"a smaller {sizes[0]}"] if sizes else []
    best = methods(guarantee=name, data="baskets", taxonomy=taxonomy is not None)[0]
    if best.release == release.kind and best.name != release.made.method:
        found.append(f"the method {best.name}")
    chunked = [entry.name for entry in able if entry.release not in (release.kind,) and entry.data == "baskets"]
    found += [f"the method {chunked[0]}, which keeps every frequent item"] if chunked else []
    return found


@cost_of_release.register
def _of_grouped(release: GroupedRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> Cost:
    """Ordinary items are exact; sensitive ones are counts."""
    secret = len(release.sensitive_items)
    members = release.members()
    sizes = members[np.unique(release.count_group)]
    secrets = ""
    if len(sizes):
        low, middle, high = int(sizes.min()), int(np.median(sizes)), int(sizes.max())
        of = f"{low:,} members" if low == high else f"{low:,} to {high:,} members (median {middle:,})"
        secrets = f", and {counted(secret, 'sensitive one')} as counts per group; groups that count any have {of}"
    ordinary = release.transactions.d
    every = {1: "the only ordinary item", 2: "both ordinary items"}.get(ordinary, f"all {ordinary:,} ordinary items")
    return Cost(kept=f"{every}, exactly{secrets}")


@cost_of_release.register
def _of_chunks(release: ChunksRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> Cost:
    """Items that some chunk counts, their occurrences, and that the others are only named."""
    known = release.original(original)
    share = release.parts.entries / known.entries if known.entries else 1.0
    exact, every = len(release.counted_items()), int((known.supports() > 0).sum())
    named = "" if exact == every else f", and the others named without a count ({every - exact:,})"
    return Cost(
        kept=f"{exact:,} of {every:,} items with counts, {percent(share, fine=True)} of all occurrences{named}; "
        "items of one basket stay together only within a chunk (`covey evaluate` measures it)",
        lost=1 - share,
        of="occurrences",
    )


@cost_of_release.register
def _of_table(release: TableRelease, original: Table, taxonomy: Taxonomy | None = None) -> Cost:
    """Detail lost, and the column that lost most."""
    from covey.measure.loss import gcp_table

    loss = gcp_table(release, original)
    same = sum(share == 0 for share in loss.ncp.values())
    worst = max(loss.ncp, key=lambda name: loss.ncp[name], default="")
    kept = f"{same:,} of {counted(len(loss.ncp), 'quasi-identifier')} as they were"
    if worst and loss.ncp[worst] > 0:
        kept += f"; '{worst}' lost most, {percent(loss.ncp[worst], fine=True)}"
    hard_hit = [column for column in original.of_role("quasi") if loss.ncp.get(column.name, 0.0) >= BEARABLE]
    trees = {column.name: column.hierarchy for column in hard_hit if column.hierarchy is not None}
    flat = [name for name, tree in trees.items() if len(tree.labels) == tree.leaves + 1]
    advice = (f"a hierarchy of '{flat[0]}' (`covey hierarchy suggest`)",) if flat else ()
    return Cost(kept=kept, lost=loss.gcp, advice=advice)


@cost_of_release.register
def _of_ratings(release: RatingsRelease, original: Ratings, taxonomy: Taxonomy | None = None) -> Cost:
    """Records and ratings that are published, and how they are rounded; that is no part of the loss."""
    published = release.ratings
    share = published.entries / max(original.entries, 1)
    empty = int((published.lengths() == 0).sum())
    without = f" ({empty:,} of them without any rating)" if empty else ""
    kept = f"{published.n:,} of {original.n:,} records{without}, {percent(share, fine=True)} of the ratings"
    if release.rounded_from is not None:
        kept += f", rounded from {release.rounded_from.text} to {published.scale.text}"
    return Cost(kept=kept, lost=1 - share, of="the ratings")  # what keeps more, `covey check` measures


@cost_of_release.register
def _of_records(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> Cost:
    """Items as for sets, attributes as for tables."""
    items = _of_items(release.baskets, original.baskets)
    lost = _of_table(release.attributes, original.attributes, None).lost or 0.0
    return Cost(kept=f"{items.kept}; attributes lost {percent(lost, fine=True)} of their detail")
