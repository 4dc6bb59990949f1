"""A release beside its original: what several metrics and attacks need, computed once.

A grouped release does not state which of its rows was which original, nor which transactions are one person's. `Study`
has both: who is likely to hold what (`truth`), what a model of the population achieves without the release
(`population`), and the same release with one row per person (`people`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.arrays import Floats, Ids, Ints, offsets_of
from covey.data import Baskets, Records
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows, set_hashes
from covey.data.jit import kernel, kth_smallest
from covey.data.postings import Postings
from covey.data.propensity import fit_propensity
from covey.errors import ParameterError, other_original
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.release.grouping import arranged
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.release.table import TableRelease
from covey.release.trace import require_trace

#: Rounds of fitting the truth; the shares settle long before on all data tried.
ROUNDS = 60
#: Rows, about, that the model of the population learns from where there are more, and log odds held at once.
LEARNED_FROM, AT_ONCE = 1 << 18, 1 << 21
#: So often rows are divided where there are few entries, and at most where there are more.
DIVISIONS, FEW_ENTRIES, DIVISIONS_OF_MANY = 5, 100_000, 3
#: Occurrences, about, that are guessed in all divisions together, if more divisions are needed for that.
GUESSED = 3_000
#: From so many divisions on, their own spread says how exact the mean is.
ENOUGH = 3


def kinds_of(baskets: Baskets) -> Ints:
    """Return a number for each row, equal for rows with equal items."""
    return equal_rows(*baskets.csr, baskets.d, seed=0)[0]


def homes_of(release: Release, person: Ids | None) -> Ints:
    """Return the group or class of each person in a release, or of each original row where none are named."""
    match release:
        case GroupedRelease():
            group = np.repeat(np.arange(release.groups), release.group_sizes())
        case SetsRelease():
            group = kinds_of(release.transactions)
        case TableRelease():
            group = release.classes()
        case RecordsRelease():
            group = release.attributes.classes()
        case _:
            raise ParameterError(
                f"A {release.kind} release has no groups or classes, so there is nothing that two releases could be "
                "compared by."
            )
    rows = require_trace(release).rows
    if len(rows) != len(group):
        raise other_original("the trace is not about this release")
    home = np.empty(int(rows.max(initial=-1)) + 1, np.int64)
    home[rows] = group
    if person is None or len(home) != len(person):
        return home
    found = np.empty(int(person.max(initial=-1)) + 1, np.int64)
    found[person] = home
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """How likely each published row is to hold each sensitive item of its group."""

    #: Number of the distinct basket of each published row, and of each row of the original.
    kind: Ints
    kind_of_original: Ints
    #: How many distinct baskets there are.
    kinds: int
    #: Sorted (position in the release's counts) · kinds + kind, where that kind can hold that item.
    keys: Ints
    #: For each key, the share of the kind's members in the group that hold the item.
    share: Floats

    def of(self, entry: Ints, row: Ints) -> Floats:
        """Return the probability that published row ``row[i]`` holds the item that count ``entry[i]`` is of."""
        if not len(self.keys):
            return np.zeros(len(entry))
        wanted = entry * self.kinds + self.kind[row]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, self.share[at], 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """The members of all groups that count one sensitive item."""

    item: int
    #: The groups that count it, and how often.
    groups: Ints
    count: Ints
    #: ``rows[ptr[i] : ptr[i + 1]]`` are the members of ``groups[i]``.
    ptr: Ints
    rows: Ints
    #: How likely each of `rows` is to hold the item in truth.
    share: Floats

    def hits(self, score: Floats) -> float:
        """Return how many holders are among the members with the highest scores, as many as each group counts."""
        return float(expected_hits(self.ptr, score, self.share, self.count).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """What a model of the population achieves."""

    #: The share of all occurrences that it finds in the original, without the release: the mean over divisions.
    baseline: float
    #: The standard error of `baseline`: by how much it would vary if rows were divided otherwise.
    baseline_error: float
    #: How many occurrences it finds inside the groups of the release; again a mean.
    hits: float
    #: For the suspects of each item the log odds that the model gives, in the first division.
    propensity: list[Floats]


class Study:
    """A grouped release and its original.

    Raises
    ------
    InputError
        The release was not made from this original.

    Examples
    --------
    >>> import covey
    >>> visits = covey.Baskets.of([["a", "s"], ["b"], ["c"]], sensitive=["s"], persons=["ann", "ann", "bob"])
    >>> study = Study(covey.anonymize(visits, "degree(p=2)", seed=0), visits)
    >>> study.public.items, study.secret.items
    (('a', 'b', 'c'), ('s',))
    >>> study.people.release.transactions.n, study.people.marked.basket(0)
    (2, ['a', 'b', 's'])
    """

    def __init__(self, release: GroupedRelease, original: Baskets | Records, seed: int = 0) -> None:
        self.release, self.original, self.seed = release, original.as_baskets(), seed
        #: How many transactions each released person has; None where a row is a transaction.
        self.visits: Ints | None = None

    @cached_property
    def marked(self) -> Baskets:
        """The original with exactly those items sensitive that the release counts."""
        unknown = sorted(set(self.release.sensitive_items) - set(self.original.items))
        if unknown:
            raise other_original(f"the original has no item {unknown[0]!r}, which the release counts")
        return self.original.with_sensitive(self.release.sensitive_items)

    @cached_property
    def _parts(self) -> tuple[Baskets, Baskets]:
        original, published = self.marked, self.release.transactions
        occurring = original.supports() > 0
        public, secret = (original.only(part & occurring) for part in (~original.sensitive, original.sensitive))
        if public.n != published.n:
            raise other_original(f"the original has {public.n:,} transactions, the release {published.n:,}")
        if public.items != published.items or secret.items != self.release.sensitive_items:
            raise other_original("the original and the release do not have the same items")
        words = np.random.default_rng().integers(0, 2**64, max(public.d, 1), np.uint64)
        ours, theirs = (np.sort(set_hashes(*one.csr, words)) for one in (public, published))
        if not np.array_equal(ours, theirs):
            raise other_original("the release was not made from this original: their transactions differ")
        return public, secret

    @property
    def public(self) -> Baskets:
        """The published part of the original, with the items of the release."""
        return self._parts[0]

    @property
    def secret(self) -> Baskets:
        """The sensitive part of the original, with the items that the release counts."""
        return self._parts[1]

    @property
    def people(self) -> Study:
        """The same with one row per person, as someone sees it who knows whose transactions are whose.

        The trace of the release has the group of each person; where persons are rows none is needed.
        """
        rows = self.release.group_persons is None or self.original.persons == self.original.n
        return self if rows else self._people

    @cached_property
    def _people(self) -> Study:
        person = self.original.person
        if person is None:
            raise ParameterError(
                "This release counts persons. Say which column of the original names them: --person COLUMN (person=)."
            )
        home, people = homes_of(self.release, person), self.marked.by_person()
        seen, rows = arranged(people, home, self.release.groups, made=self.release.made, seed=0)
        study = Study(seen, people, self.seed)
        study.visits = np.bincount(person)[rows]
        return study

    @cached_property
    def holders(self) -> Postings:
        """Which rows hold each item, among those of the original that hold a sensitive one; ids as by `joined`."""
        rows = np.flatnonzero(self.secret.lengths())
        return Postings.of_rows(*self.joined(rows), self.secret.d + self.public.d)

    def joined(self, rows: Ints) -> tuple[Ints, Ids]:
        """Return some original rows with both parts: sensitive ids first, published ids raised by their number."""
        hidden_ptr, hidden = take_rows(*self.secret.csr, rows)
        open_ptr, plain = take_rows(*self.public.csr, rows)
        ids = np.empty(len(hidden) + len(plain), np.int32)
        ids[np.arange(len(hidden)) + np.repeat(open_ptr[:-1], np.diff(hidden_ptr))] = hidden
        ids[np.arange(len(plain)) + np.repeat(hidden_ptr[1:], np.diff(open_ptr))] = plain + np.int32(self.secret.d)
        return hidden_ptr + open_ptr, ids

    @cached_property
    def counts(self) -> tuple[Ints, Ids]:
        """Where the counts of each group begin, and the item of each count."""
        starts = np.searchsorted(self.release.count_group, np.arange(self.release.groups + 1))
        return starts, self.release.count_item

    @cached_property
    def truth(self) -> Truth:
        """Who holds what.

        Rows with different published items cannot be confused; rows with the same items can, and no attacker could
        tell them apart either. So holders are counted per *kind* of basket: of the x members of one in a group, f hold
        the item, and a guess at one of them is right with probability f/x. When several kinds in a group have holders,
        f is fitted to all that is known, the counts of the groups and the holders of each kind, assuming nothing else
        (iterative proportional fitting).
        """
        release, secret = self.release, self.secret
        kind, kind_of_original, kinds = _paired(release.transactions, self.public)
        m = max(secret.d, 1)
        # Holders of each (kind, item), by kind.
        held, holders = np.unique(
            np.repeat(kind_of_original, secret.lengths()) * m + secret.indices, return_counts=True
        )
        first = np.searchsorted(held, np.arange(kinds + 1) * m)
        # Every published row with every item that its kind can hold and its group counts.
        able = np.flatnonzero(np.diff(first)[kind])
        options = np.diff(first)[kind[able]]
        ends = np.cumsum(options)
        of_kind = np.arange(int(options.sum())) + np.repeat(first[kind[able]] - (ends - options), options)
        group = np.searchsorted(release.group_ptr, able, side="right") - 1
        counted = release.count_group * m + release.count_item
        wanted = np.repeat(group, options) * m + held[of_kind] % m
        entry = np.searchsorted(counted, wanted)
        kept = entry < len(counted)
        kept[kept] = counted[entry[kept]] == wanted[kept]
        pairs, members = np.unique(entry[kept] * len(held) + of_kind[kept], return_counts=True)
        entry, of_kind = pairs // max(len(held), 1), pairs % max(len(held), 1)
        share = _fit(members.astype(np.float64), entry, release.count, of_kind, holders)
        keys = entry * kinds + held[of_kind] // m
        return Truth(kind=kind, kind_of_original=kind_of_original, kinds=kinds, keys=keys, share=share)

    @cached_property
    def suspects(self) -> list[Suspects]:
        """Those suspected of each sensitive item, item by item."""
        release, found = self.release, []
        sizes, m = release.group_sizes(), len(release.sensitive_items)
        by_item = np.argsort(release.count_item, kind="stable")
        ends = np.cumsum(np.bincount(release.count_item, minlength=m))
        for s, entries in enumerate(np.split(by_item, ends)[:m]):
            groups = release.count_group[entries]
            each = sizes[groups]
            ptr = offsets_of(each)
            rows = np.arange(ptr[-1]) + np.repeat(release.group_ptr[groups] - ptr[:-1], each)
            share = self.truth.of(np.repeat(entries, each), rows)
            found.append(Suspects(item=s, groups=groups, count=release.count[entries], ptr=ptr, rows=rows, share=share))
        return found

    @cached_property
    def population(self) -> Population:
        """What a cross-fitted model of who has what achieves, without the release and inside its groups.

        Which rows the model learns from is drawn, and with few holders the success varies with the draw by a tenth and
        more. So where it is cheap, or holders are few, rows are divided several times.
        """
        occurrences = max(int(self.release.count.sum()), 1)
        times = divisions(self.public.entries + self.secret.entries, occurrences)
        found = [self._divided(division) for division in range(times)]
        baselines = np.array([right for right, _, _ in found]) / occurrences
        baseline = float(baselines.mean())
        if times >= ENOUGH:
            error = float(baselines.std(ddof=1) / np.sqrt(times))
        else:  # that of as many independent guesses, which is larger
            mean = min(baseline, 1.0)
            error = float(np.sqrt(mean * (1 - mean) / (occurrences * times)))
        inside = float(np.mean([inside for _, inside, _ in found]))
        return Population(baseline=baseline, baseline_error=error, hits=inside, propensity=found[0][2])

    def _divided(self, division: int) -> tuple[float, float, list[Floats]]:
        """Return hits on the original and inside groups, and the log odds of suspects, kept of the first division.

        Some items at a time, for nothing may be held that is rows x items.
        """
        truth, secret = self.truth, self.secret
        kind, kinds, n = truth.kind_of_original, truth.kinds, secret.n
        seed = [self.seed, 7, *([division] if division else [])]
        model = fit_propensity(self.public, secret, seed=seed, suffice=LEARNED_FROM, alike=kind)
        often, supports = np.maximum(np.bincount(kind, minlength=kinds), 1), secret.supports()
        kind_of_holder = kind[secret.row_of_entries()]
        odds_of, right, inside, width = [], 0.0, 0.0, max(AT_ONCE // max(n, 1), 1)
        for first in range(0, secret.d, width):
            odds = model.of(np.arange(n), slice(first, first + width))
            for s in range(first, min(first + width, secret.d)):
                who = self.suspects[s]
                # Rows with the same items cannot be told apart: each is judged by the mean of its like.
                score = (np.bincount(kind, odds[:, s - first], kinds) / often)[truth.kind]
                inside += who.hits(score[who.rows])
                if not division:
                    odds_of.append(score[who.rows])
                # The holders of each kind of basket, as in `Truth`, but over all rows at once.
                share = (np.bincount(kind_of_holder[secret.indices == s], minlength=kinds) / often)[truth.kind]
                right += float(expected_hits(np.array([0, n]), score, share, supports[s : s + 1])[0])
            del odds
        return right, inside, odds_of


def divisions(entries: int, occurrences: int) -> int:
    """Return how often rows are divided for so much data and so many guesses.

    Examples
    --------
    >>> divisions(43_000, 600), divisions(900_000, 5_000), divisions(900_000, 29)
    (5, 1, 3)
    """
    if entries <= FEW_ENTRIES:
        return DIVISIONS
    return min(-(-GUESSED // max(occurrences, 1)), DIVISIONS_OF_MANY)


def _paired(published: Baskets, original: Baskets) -> tuple[Ints, Ints, int]:
    """Return the number of the distinct basket of each published and of each original row, and how many there are.

    Baskets are numbered by the original row that has each first, so that the numbers are the same in every run.
    """
    n = original.n
    indptr = np.concatenate([original.indptr, original.indptr[-1] + published.indptr[1:]])
    number, size, _ = equal_rows(indptr, np.concatenate([original.indices, published.indices]), original.d)
    first = np.empty(len(size), np.int64)
    first[number[:n][::-1]] = np.arange(n)[::-1]  # the last one written stays
    place = np.empty(len(size), np.int64)
    place[np.argsort(first)] = np.arange(len(size))
    return place[number[n:]], place[number[:n]], len(size)


def _fit(members: Floats, entry: Ints, count: Ints, of_kind: Ints, holders: Ints) -> Floats:
    """Return shares f / members such that f adds up to `count` by entry and to `holders` by kind and item."""
    total = np.bincount(of_kind, members, len(holders))
    f = members * (holders / np.maximum(total, 1))[of_kind]
    for _ in range(ROUNDS):
        for label, target in ((entry, count), (of_kind, holders)):
            got = np.bincount(label, f, len(target))
            f = np.minimum(f * np.divide(target, got, out=np.zeros(len(target)), where=got > 0)[label], members)
    return f / np.maximum(members, 1)


@kernel
def expected_hits(ptr: Ints, score: Floats, share: Floats, count: Ints) -> Floats:
    """Return how many right guesses an attacker makes who guesses the ``count[g]`` best of each group.

    Members ``ptr[g]`` to ``ptr[g + 1]`` are group g, and ``share`` is the chance that each is a holder. Ties at the
    edge are broken at random, and the result is the mean over all ways to do so. Precondition: no group has more
    guesses than members. O(members).
    """
    hits = np.zeros(len(count))
    for g in range(len(count)):
        first, last = ptr[g], ptr[g + 1]
        if count[g] == 0:
            continue
        some, place = score[first:last], last - first - count[g]
        edge = some.max() if count[g] == 1 else kth_smallest(some, place)
        above, level, tied = np.int64(0), np.int64(0), 0.0
        for i in range(first, last):
            if score[i] > edge:
                above += 1
                hits[g] += share[i]
            elif score[i] == edge:
                level += 1
                tied += share[i]
        hits[g] += tied * (count[g] - above) / level
    return hits
