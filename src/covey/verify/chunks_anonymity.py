"""km-anonymity(k, m) of a release in chunks, checked from what is published (Terrovitis et al. 2012, sections 3 and 4).

What has to hold is that for every record and at most m of its items there is an original that the release may be of, in
which k records of its cluster hold these items. It does when

1. ranges of clusters are nested or apart, and an item is in one chunk of a range only;
2. every cluster of which an item is published has at least k records;
3. in every chunk each set of at most m items that occurs is in at least k sub-records;
4. a chunk that has an item which a narrower chunk or the terms of one of its clusters have too has no other item:
   then no sub-record of it is barred from clusters that another one may be in;
5. a cluster without terms has |cluster| + k (h - 1) sub-records or more in its own h chunks (h at most m), so that k of
   its records can take a sub-record of every chunk while none of the others is left empty (the paper's Lemma 2);
6. no chunk has more sub-records than there are records that may hold one.

Proof: let the record be in cluster P. By 3, k sub-records of each chunk that any of the items are in hold those of them
that are in it; by 4, those of a shared chunk may all be in P, and what they displace may be where they came from; by 2,
P has k records to put them in, and its terms into. By 5 and 6 all other records get something to hold.
"""

from __future__ import annotations

import math

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data import Baskets
from covey.guarantees.km_anonymity import KmAnonymity
from covey.release.chunk_estimates import Claims
from covey.release.chunks import ChunksRelease
from covey.verdict import Check, Verdict
from covey.verify.rare_labels import Offence, find_offence


def check(promise: KmAnonymity, release: ChunksRelease) -> Verdict:
    """Check from the published chunks alone.

    Examples
    --------
    >>> import covey
    >>> data = Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"], ["ale"]])
    >>> release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "disassociation", seed=0)
    >>> check(KmAnonymity(2, 2), release).holds, check(KmAnonymity(3, 2), release).holds
    (True, False)
    """
    offence = None
    checks = [_nested(release), _large_enough(promise, release)]
    if all(one.passed for one in checks):
        claims = Claims.of(release)
        checks.append(_once(release, claims))
    if all(one.passed for one in checks):
        free = claims.room(release.records)
        offence, frequent = _frequent(promise, release)
        checks += [
            frequent,
            _alone(release, claims, free),
            _filled(promise, release),
            _room(release, claims, free),
        ]
    smallest = release.publishing()
    figures = {
        "clusters": release.clusters,
        "smallest_cluster": int(release.records[smallest].min()) if smallest.any() else None,
        "offence": None if offence is None else offence.to_dict(),
    }
    return Verdict(guarantee=promise.text, checks=tuple(checks), figures=figures)


def _nested(release: ChunksRelease) -> Check:
    name = "clusters that share chunks are nested or disjoint"
    open_ranges: list[int] = []
    ranges = np.unique(np.stack([release.first, -release.last]), axis=1)
    for first, last in zip(ranges[0].tolist(), (-ranges[1]).tolist(), strict=True):
        while open_ranges and open_ranges[-1] < first:
            open_ranges.pop()
        if open_ranges and last > open_ranges[-1]:
            return Check.failed(name, f"clusters {first} to {last} are partly in another range")
        open_ranges.append(last)
    return Check.ok(name, sizes(ranges=ranges.shape[1], clusters=release.clusters))


def _large_enough(promise: KmAnonymity, release: ChunksRelease) -> Check:
    name = f"every cluster of which anything is published has at least {promise.k} {release.unit}"
    used = np.flatnonzero(release.publishing())
    if not len(used):
        return Check.ok(name, "nothing is published")
    worst = int(used[np.argmin(release.records[used])])
    least = int(release.records[worst])
    return Check(name=name, passed=least >= promise.k, detail=f"cluster {worst} is the smallest, with {least:,}")


def _once(release: ChunksRelease, claims: Claims) -> Check:
    name = "no item is twice in the chunks and terms of the same clusters"
    alike = (column[1:] == column[:-1] for column in (claims.item, claims.first, claims.last))
    twice = np.flatnonzero(np.logical_and.reduce(list(alike)))
    if not len(twice):
        return Check.ok(name, f"{counted(len(claims.item), 'item')} of chunks and terms")
    at = twice[0]
    where = f"clusters {claims.first[at]} to {claims.last[at]}"
    return Check.failed(name, f"{release.items[claims.item[at]]!r} is, in {where}")


def _frequent(promise: KmAnonymity, release: ChunksRelease) -> tuple[Offence | None, Check]:
    """That no set of a chunk is rare; an item of two chunks is two labels, which never occur together."""
    d = max(len(release.items), 1)
    keys, number = np.unique(release.keys(), return_inverse=True)
    labels = [f"{release.items[key % d]} (chunk {key // d})" for key in keys.tolist()]
    apart = Baskets.build(release.parts.indptr.copy(), number.reshape(-1).astype(np.int32), labels)
    offence = find_offence(promise.name, "m", apart, None, promise.k, promise.m)
    size = "any items" if promise.m == math.inf else f"at most {counted(int(promise.m), 'item')}"
    detail = f"{counted(release.parts.n, 'sub-record')} in {counted(release.chunks, 'chunk')}"
    return offence, Check(
        name=f"every set of {size} of a chunk that occurs is in at least {promise.k} of its sub-records",
        passed=offence is None,
        detail=detail if offence is None else offence.describe("sub-records"),
    )


def _alone(release: ChunksRelease, claims: Claims, free: Ints) -> Check:
    name = "a shared chunk that repeats an item of a narrower one has no other item"
    offset = np.concatenate([[0], np.cumsum(release.records)])
    inner = (claims.chunk >= 0) & (free < offset[claims.last + 1] - offset[claims.first])
    items = np.bincount(claims.chunk[claims.chunk >= 0], minlength=release.chunks)
    wrong = np.flatnonzero(inner)
    wrong = wrong[items[claims.chunk[wrong]] > 1]
    if not len(wrong):
        return Check.ok(name, counted(int(inner.sum()), "such chunk"))
    item, chunk = release.items[claims.item[wrong[0]]], claims.chunk[wrong[0]]
    return Check.failed(name, f"chunk {chunk} has {item!r}, a narrower one too, and other items")


def _filled(promise: KmAnonymity, release: ChunksRelease) -> Check:
    name = "every cluster without terms has enough sub-records to leave no record empty"
    n = release.clusters
    own = release.first == release.last
    parts = np.zeros(n, np.int64)
    np.add.at(parts, release.first[own], np.diff(release.part_ptr)[own])
    chunks = np.bincount(release.first[own], minlength=n)
    most = chunks if promise.m == math.inf else np.minimum(chunks, int(min(promise.m, len(own) + 1)))
    # Some cluster has k records or more, so k is no larger than numbers of records are.
    needed = release.records + (promise.k if n else 0) * np.maximum(most - 1, 0)
    short = np.flatnonzero(release.publishing() & (release.terms.lengths() == 0) & (parts < needed))
    if not len(short):
        detail = f"{counted(int((release.terms.lengths() > 0).sum()), 'cluster')} with terms"
        return Check.ok(name, detail)
    worst = short[0]
    detail = f"cluster {worst} has {counted(parts[worst], 'sub-record')} and needs {needed[worst]:,}"
    return Check.failed(name, detail)


def _room(release: ChunksRelease, claims: Claims, free: Ints) -> Check:
    name = "no chunk has more sub-records than there are records for them"
    known = np.flatnonzero(claims.chunk >= 0)
    over = known[np.diff(release.part_ptr)[claims.chunk[known]] > free[known]]
    detail = f"chunk {claims.chunk[over[0]]} has" if len(over) else counted(release.n, release.unit[:-1])
    return Check(name=name, passed=not len(over), detail=detail)
