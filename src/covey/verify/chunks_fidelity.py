"""Check that a release in chunks is made of its original.

Without a trace: how many records there are, how often each item occurs, and that records without items are apart. The
trace has the cluster of each record, from which all chunks and terms follow; they are made again and compared.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, offsets_of
from covey.counting import counted
from covey.data import Baskets, Taxonomy
from covey.data.baskets import unmarked
from covey.data.csr import beside
from covey.data.jit import kernel
from covey.release.chunk_estimates import Claims
from covey.release.chunks import ChunksRelease
from covey.release.trace import trace_of
from covey.verdict import Check
from covey.verify.original_parts import check_exposed, difference, known_items, not_checked, published_once, same_unit


def compare(release: ChunksRelease, original: Baskets, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check that the chunks may be those of `original`; a taxonomy makes no difference."""
    unit = same_unit(release.by_person, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    people = original.by_person() if release.by_person else original
    occurring = people.supports() > 0
    checks = [*([] if unit is None else [unit]), published_once(release.n, people.n, release.unit)]
    checks.append(known_items(release.items, [people.items[i] for i in np.flatnonzero(occurring)]))
    checks += check_exposed(release.items, people.items, people.sensitive_items())
    if not all(check.passed for check in checks):
        return checks
    known = people.only(occurring)
    missing = sorted(set(known.items) - set(release.items))
    checks.append(
        Check(
            name="every item of the original is published",
            passed=not missing,
            detail=f"{missing[0]!r} is not" if missing else counted(known.d, "item"),
        )
    )
    checks.append(_empty(release, known))
    if all(check.passed for check in checks):
        checks += [_supports(release, known)]
    if all(check.passed for check in checks):
        checks.append(_by_trace(release, known))
    return checks


def _empty(release: ChunksRelease, known: Baskets) -> Check:
    """Records without items are a cluster without any; no other cluster may have some."""
    name = "records without items form a cluster of their own"
    ours = (
        release.clusters > 0
        and release.terms.lengths()[-1] == 0
        and int(release.last.max(initial=-1)) + 1 < release.clusters
    )
    stated, true = int(release.records[-1]) if ours else 0, int((known.lengths() == 0).sum())
    return Check(
        name=name, passed=stated == true, detail=f"{stated:,}" + ("" if stated == true else f" instead of {true:,}")
    )


def _supports(release: ChunksRelease, known: Baskets) -> Check:
    """An item occurs as often as chunks count it and, where clusters name it, at least once in each of them."""
    name = "every item occurs as often as the release says"
    ours, true = release.parts.supports(), known.supports()
    home = np.repeat(np.arange(release.clusters), release.terms.lengths())
    most = np.bincount(release.terms.indices, release.records[home], known.d)
    wrong = np.flatnonzero((ours + release.terms.supports() > true) | (ours + most < true))
    if not len(wrong):
        return Check.ok(name, f"{int(ours.sum()):,} of {known.entries:,} entries counted")
    item = wrong[0]
    detail = f"{known.items[item]!r} is counted {counted(int(ours[item]), 'time')}, {int(true[item]):,} in the original"
    return Check.failed(name, detail)


def _by_trace(release: ChunksRelease, known: Baskets) -> Check:
    """Make chunks and terms again from the cluster of each record, and compare them."""
    name = "every chunk and every term is made of the records of its clusters"
    trace = trace_of(release)
    if trace is None:
        return not_checked(name)
    home = trace.rows
    problem = ""
    if len(home) != known.n or (len(home) and (home.min() < 0 or home.max() >= release.clusters)):
        problem = "the trace does not give a cluster to each record"
    elif not np.array_equal(np.bincount(home, minlength=release.clusters), release.records):
        problem = "a cluster states another number of records than it has"
    else:
        problem = _made_again(release, known, home)
    return Check(name=name, passed=not problem, detail=problem or counted(release.clusters, "cluster"))


def _made_again(release: ChunksRelease, known: Baskets, home: Ints) -> str:
    """What differs when the records in these clusters are cut into chunks and terms, in words."""
    record = known.row_of_entries()
    order = np.lexsort((home[record], known.indices))
    claims, at = Claims.of(release), np.empty(known.entries, np.int64)
    at[order] = narrowest_claims(
        known.indices[order], home[record[order]], claims.item, claims.first, claims.last, claims.chunk, known.d
    )
    if bool((at == -2).any()):
        entry = int(np.flatnonzero(at == -2)[0])
        return f"cluster {home[record[entry]]} does not publish {known.items[known.indices[entry]]!r}, which it holds"
    d = max(known.d, 1)
    hidden = at < 0
    terms = np.repeat(np.arange(release.clusters), release.terms.lengths()) * d + release.terms.indices
    if not np.array_equal(np.unique(home[record[hidden]] * d + known.indices[hidden]), np.sort(terms)):
        return "a cluster names other terms than its records hold"
    # The chunk of a sub-record is one more item of it, above all others.
    keys, part = np.unique(record[~hidden] * (release.chunks + 1) + at[~hidden], return_inverse=True)
    lengths = np.bincount(part.reshape(-1), minlength=len(keys))
    made = known.indices[~hidden][np.argsort(part.reshape(-1), kind="stable")]
    published = np.repeat(np.arange(release.chunks), np.diff(release.part_ptr))
    labels = (*release.items, *(f"\U0010ffff chunk {chunk:012d}" for chunk in range(release.chunks)))
    ours = _marked(release.parts.indptr, release.parts.indices, published + d, labels)
    problem = difference(ours, _marked(offsets_of(lengths), made, keys % (release.chunks + 1) + d, labels))
    return problem.replace("transactions", "sub-records").replace("basket", "sub-record").replace("\U0010ffff ", "")


def _marked(indptr: Ints, indices: Ids, mark: Ints, labels: tuple[str, ...]) -> Baskets:
    """Sets with one more item each, which has a higher number than theirs."""
    rows = beside(indptr, indices, np.arange(len(mark) + 1), mark.astype(np.int32))
    return unmarked(*rows, labels)


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
