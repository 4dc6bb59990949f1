"""Is a release made of this original, all of it and nothing else?

Checked with loops that no method uses: published baskets as multisets against the original's, totals of the
sensitive items, and whether every group's counts are possible for the members it publishes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import Ints, Words
from covey.data import Baskets
from covey.kernels.verify.fidelity import first_impossible_count, first_unequal, row_hashes
from covey.release.grouped.model import GroupedRelease
from covey.verdict import Check
from covey.verify.person_fidelity import same_persons, same_unit
from covey.verify.row_order import check_grouped_positions


def compare(release: GroupedRelease, original: Baskets, taxonomy: Any = None) -> list[Check]:
    """Check `release` against `original`, whose own marks of sensitive items count if it has any."""
    unit = same_unit(release.group_persons is not None, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    occurring = original.supports() > 0
    named = {original.items[i] for i in np.flatnonzero(original.sensitive & occurring)}
    checks = [same_sensitive(release.sensitive_items, original.items, named, bool(original.sensitive.any()))]
    if not checks[0].passed:
        return checks
    checks += [] if unit is None else [unit]
    marked = original.with_sensitive(release.sensitive_items) if release.sensitive_items else original
    public = marked.only(~marked.sensitive & occurring)
    matching = match_rows(release.transactions, public)
    checks.append(
        Check(
            name="every published basket is in the original, exactly as often",
            passed=not matching.problem,
            detail=matching.problem
            or f"{release.transactions.n:,} baskets, {release.transactions.entries:,} entries",
        )
    )
    secret = marked.only(marked.sensitive & occurring)
    checks.append(same_totals(secret.items, release.sensitive_totals(), secret.supports()))
    if all(check.passed for check in checks):
        checks.append(_possible_counts(release, secret, matching))
        rows, places = matching.recognised()
        group = np.searchsorted(release.group_ptr, rows, side="right") - 1
        checks.append(check_grouped_positions(places, group))
        if original.person is not None:
            checks += same_persons(release, secret, *matching.located(release.group_ptr), original.person)
    return checks


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Rows of two sets of baskets paired by content.

    Attributes
    ----------
    problem : str
        What differs, in words; empty when the two are equal as multisets.
    ours, theirs : int64 arrays
        Rows of the release and of the original by hash; equal rows stand at equal places.
    kind : int64 array
        Number of the distinct basket at each place.
    """

    problem: str
    ours: Ints
    theirs: Ints
    kind: Ints

    def recognised(self) -> tuple[Ints, Ints]:
        """The published rows that are unlike all others, ascending, and where each stands in the original."""
        alone = np.bincount(self.kind)[self.kind] == 1 if len(self.kind) else np.zeros(0, np.bool_)
        order = np.argsort(self.ours[alone])
        return self.ours[alone][order], self.theirs[alone][order]

    def located(self, group_ptr: Ints) -> tuple[Ints, Ints]:
        """The rows of the original whose group is certain, since all that look like them are in one, and that group."""
        group = np.searchsorted(group_ptr, self.ours, side="right") - 1
        if not len(group):
            return self.theirs, group
        first = np.flatnonzero(np.diff(self.kind, prepend=-1))
        one = np.minimum.reduceat(group, first) == np.maximum.reduceat(group, first)
        certain = one[self.kind]
        return self.theirs[certain], group[certain]


def match_rows(published: Baskets, original: Baskets) -> Matching:
    """Pair the rows of `published` with equal rows of `original`, or say what stands in the way."""

    def failed(problem: str) -> Matching:
        none = np.empty(0, np.int64)
        return Matching(problem=problem, ours=none, theirs=none, kind=none)

    if published.n != original.n:
        return failed(f"{published.n:,} transactions are published, the original has {original.n:,}")
    if published.items != original.items:
        invented = sorted(set(published.items) - set(original.items))
        lost = sorted(set(original.items) - set(published.items))
        what = f"{invented[0]!r} is published but not in" if invented else f"{lost[0]!r} is missing from"
        return failed(f"the item {what} the {'original' if invented else 'release'}")
    words = np.random.default_rng().integers(0, 2**64, original.d, np.uint64)
    ours = row_hashes(published.indptr, published.indices, words)
    theirs = row_hashes(original.indptr, original.indices, words)
    our_order, their_order = np.argsort(ours), np.argsort(theirs)
    unequal = first_unequal(
        published.indptr, published.indices, our_order, original.indptr, original.indices, their_order
    )
    if unequal >= 0:
        return failed(_difference(published, ours, theirs))
    sorted_hashes = theirs[their_order]
    kind = (
        np.concatenate([[0], np.cumsum(sorted_hashes[1:] != sorted_hashes[:-1])])
        if original.n
        else their_order
    )
    return Matching(problem="", ours=our_order, theirs=their_order, kind=kind.astype(np.int64))


def _difference(published: Baskets, ours: Words, theirs: Words) -> str:
    """A published basket that occurs more often than it does in the original; only needed to explain."""
    hashes, row, count = np.unique(ours, return_index=True, return_counts=True)
    originals, original_count = np.unique(theirs, return_counts=True)
    at = np.minimum(np.searchsorted(originals, hashes), len(originals) - 1)
    expected = np.where(originals[at] == hashes, original_count[at], 0)
    worst = int((count - expected).argmax())
    basket = published.basket(int(row[worst]))
    shown = ", ".join(basket[:6]) + (" …" if len(basket) > 6 else "")
    often = f"{expected[worst]:,} times" if expected[worst] else "nowhere"
    return f"the basket {{{shown}}} is published {count[worst]:,} times and is {often} in the original"


def same_sensitive(
    counted: Collection[str], items: Collection[str], named: Collection[str], given: bool
) -> Check:
    """That the items which a release counts are in the original and, if somebody named any, those `named`."""
    name = "the sensitive items are those named" if given else "the sensitive items occur in the original"
    unknown = sorted(set(counted) - set(items))
    if unknown:
        return Check(name=name, passed=False, detail=f"{unknown[0]!r} does not occur in the original")
    if items and len(counted) == len(items):
        return Check(name=name, passed=False, detail="no item of the original is left to publish")
    differing = sorted(set(named) ^ set(counted)) if given else []
    if differing:
        where = "not counted in the release" if differing[0] in named else "sensitive only in the release"
        return Check(name=name, passed=False, detail=f"{differing[0]!r} is {where}")
    told = "" if given else ", as the release names them; give --sensitive to compare with your own list"
    return Check(name=name, passed=True, detail=f"{len(counted)} items{told}")


def same_totals(labels: Sequence[str], ours: Ints, theirs: Ints) -> Check:
    """That every sensitive item is counted as often as the original has it."""
    wrong = np.flatnonzero(ours != theirs)
    detail = f"{int(ours.sum()):,} occurrences"
    if len(wrong):
        s = wrong[0]
        detail = f"{labels[s]!r} is counted {ours[s]:,} times, the original has {theirs[s]:,}"
    return Check(name="the totals of the sensitive items agree", passed=not len(wrong), detail=detail)


def _possible_counts(release: GroupedRelease, secret: Baskets, matching: Matching) -> Check:
    """No group claims more or fewer holders than its members' originals could be."""
    kind_of_published = np.empty(release.transactions.n, np.int64)
    kind_of_published[matching.ours] = matching.kind
    kind_of_original = np.empty(secret.n, np.int64)
    kind_of_original[matching.theirs] = matching.kind
    kinds = int(matching.kind[-1]) + 1 if len(matching.kind) else 0
    m = max(secret.d, 1)
    cells, holders = np.unique(
        np.repeat(kind_of_original, secret.lengths()) * m + secret.indices, return_counts=True
    )
    group, item = first_impossible_count(
        release.group_ptr,
        kind_of_published,
        np.bincount(kind_of_original, minlength=kinds),
        np.searchsorted(cells // m, np.arange(kinds + 1)),
        (cells % m).astype(np.int32),
        holders.astype(np.int64),
        secret.d,
        np.searchsorted(release.count_group, np.arange(release.groups + 1)),
        release.count_item,
        release.count,
    )
    name = "every group's counts are possible for its members"
    if group < 0:
        return Check(name=name, passed=True, detail=f"{release.groups:,} groups compared with the original")
    return Check(
        name=name,
        passed=False,
        detail=f"group {group} cannot hold {secret.items[item]!r} as often as it says",
    )
