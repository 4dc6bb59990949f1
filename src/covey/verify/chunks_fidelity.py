"""Is a release in chunks made of this original?

Which records were in a cluster is not published, so what is checked is what every original of the release has in
common: how many records there are, how often each item occurs, and that no set of items is told more often than it is.
"""

from __future__ import annotations

import numpy as np

from covey.counting import counted
from covey.data import Baskets, Taxonomy
from covey.data.csr import transpose
from covey.data.equal_rows import equal_rows
from covey.kernels.verify.pair_supports import count_pairs, held_pairs, short_sets
from covey.release.chunks import ChunksRelease
from covey.verdict import Check
from covey.verify.exposed import check_exposed
from covey.verify.person_fidelity import same_unit
from covey.verify.suppressed_fidelity import known_items, published_once

#: Pairs within sub-records that are compared; more than that would take gigabytes.
PAIRS = 50_000_000


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
        checks += [_supports(release, known), _pairs(release, known), _whole(release, known)]
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


def _pairs(release: ChunksRelease, known: Baskets) -> Check:
    """Every pair of items in sub-records is in as many records of the original, at least."""
    name = "no two items are together more often than in the original"
    lengths = release.parts.lengths()
    many = (int(lengths @ lengths) - release.parts.entries) // 2
    del lengths
    if many > PAIRS:
        return Check.ok(f"not checked: {name}", "there are too many pairs")
    pairs = held_pairs(release.parts.indptr, release.parts.indices, known.d)
    pairs.sort()
    new = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    ours, often = pairs[new], np.diff(new, append=len(pairs))
    del pairs, new
    there = count_pairs(known.indptr, known.indices, known.d, ours)
    wrong = np.flatnonzero(often > there)
    if not len(wrong):
        return Check.ok(name, counted(len(ours), "pair"))
    a, b = divmod(int(ours[wrong[0]]), known.d)
    told = f"{counted(int(often[wrong[0]]), 'time')} instead of {there[wrong[0]]:,}"
    detail = f"{known.items[a]!r} and {known.items[b]!r} are together {told}"
    return Check.failed(name, detail)


def _whole(release: ChunksRelease, known: Baskets) -> Check:
    """Every different sub-record is part of as many records of the original as it has copies, at least."""
    name = "each sub-record is part of a different record"
    several = release.parts.take(np.flatnonzero(release.parts.lengths() > 1))
    _, copies, example = equal_rows(several.indptr, several.indices, several.d)
    by_item = transpose(known.indptr, known.indices, known.d)
    short = short_sets(several.indptr, several.indices, *by_item, example, copies)
    if short < 0:
        return Check.ok(name, f"{counted(release.parts.n, 'sub-record')}, one at a time")
    items = ", ".join(several.basket(short)[:8])
    return Check.failed(name, f"{{{items}}} is published more often than the original has it")
