"""The group of every record: its size and the spread of its sensitive ratings, by three algorithms.

`auto` brings records together that rated the same issues and searches inside these buckets; `slicing` and
`pairwise` are the algorithms of Sun et al. 2010. All three give the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from covey.arrays import Codes, Floats, Ids, Ints
from covey.data import Ratings
from covey.errors import InputError
from covey.progress import Progress, silent
from covey.threads import parallel, threads
from covey.verify.proximity import (
    build_trie,
    groups_by_slices,
    groups_in_buckets,
    shared_prefixes,
    sum_classes,
)
from covey.verify.proximity_bits import groups_by_words, near_bits, secret_bits
from covey.verify.rating_buckets import gather_codes, split_runs, support_hashes
from covey.verify.rating_rivals import groups_by_pairs, groups_by_slicing
from covey.verify.spread import empty_sums, take_lowest

Found = tuple[Ints, Floats, Ids]
Secret = tuple[Ints, Ids, Codes]

ALGORITHMS = ("auto", "slicing", "pairwise")

#: Buckets below this size are compared pair by pair; a trie does not pay for them.
LARGE = 512
#: Slices hold 64 records a word when their bits fit into so many words (256 MiB) ...
MOST_WORDS = 1 << 25
#: ... and so many counters of sensitive ratings, each of which costs a step per word.
MOST_COUNTERS = 512
#: Records after which slow algorithms report and look whether they may stop.
CHUNK = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbourhoods:
    """What was found for each record, in the order of the data.

    Attributes
    ----------
    size : int64 array
        Records in the group, the record itself included; 0 when the search stopped before it.
    variance : float array
        Lowest variance of a sensitive issue in the group, in squared steps; inf when not asked for.
    worst : int32 array
        Position of that issue among the sensitive ones, -1 for none.
    trimmed : int64 array or None
        Only from `slicing`: the size of the set left by the paper's trimming step.
    """

    size: Ints
    variance: Floats
    worst: Ids
    trimmed: Ints | None = None


def neighbourhoods(
    data: Ratings,
    epsilon: int,
    *,
    spread: bool,
    zero: bool = True,
    algorithm: str = "auto",
    stop: Callable[[Ints, Floats], bool] | None = None,
    progress: Progress = silent,
) -> Neighbourhoods:
    """Find the group of every record.

    Parameters
    ----------
    data : Ratings
        With its sensitive issues marked.
    epsilon : int
        In steps of the scale.
    spread : bool
        Whether the spread of the sensitive ratings is wanted.
    zero : bool
        How records without a sensitive rating count; see `covey.verify.spread.take_lowest`.
    algorithm : {"auto", "slicing", "pairwise"}
        How to search.
    stop : callable or None
        Given sizes and variances just found; the search ends when it returns True.
    """
    if (data.n * data.scale.levels) ** 2 >= 2**63:
        raise InputError(
            f"{data.n:,} respondents on a scale of {data.scale.levels:,} levels are too many to sum up exactly",
            remedy="Use a coarser scale.",
        )
    search = _Search(data, epsilon, spread, zero, stop, progress)
    trimmed = None
    if algorithm == "pairwise":
        search.pairwise()
    elif algorithm == "slicing":
        trimmed = search.slicing()
    else:
        search.auto()
    return Neighbourhoods(size=search.size, variance=search.variance, worst=search.worst, trimmed=trimmed)


class _Search:
    """One search over the records, with its results so far."""

    def __init__(
        self,
        data: Ratings,
        epsilon: int,
        spread: bool,
        zero: bool,
        stop: Callable[[Ints, Floats], bool] | None,
        progress: Progress,
    ) -> None:
        self.data, self.epsilon, self.zero, self.stop, self.progress = data, epsilon, zero, stop, progress
        self.secret = data.sensitive if spread else np.zeros(data.d, np.bool_)
        self.issues = int(self.secret.sum())
        self.size = np.zeros(data.n, np.int64)
        self.variance = np.full(data.n, np.inf)
        self.worst = np.full(data.n, -1, np.int32)
        self.done = 0

    def note(self, rows: Ints, found: Found) -> bool:
        """Take over what was found for `rows`; True when that is enough."""
        self.size[rows], self.variance[rows], self.worst[rows] = found
        self.done += len(rows)
        self.progress("searching", self.done / max(self.data.n, 1))
        return self.stop is not None and self.stop(found[0], found[1])

    def auto(self) -> None:
        """Bucket by rated set, then slice inside the buckets."""
        data = self.data
        if self.epsilon >= data.scale.levels:
            self._everybody()
            return
        words = _words(data.d)
        words[data.sensitive] = 0
        hashes = support_hashes(data.indptr, data.indices, words)
        order = np.argsort(hashes, kind="stable")
        ptr = split_runs(data.indptr, data.indices, words, hashes, order)
        sizes = np.diff(ptr)
        alone = order[ptr[:-1][sizes == 1]]
        if len(alone) and self.note(alone, _singles(len(alone), self.issues)):
            return
        small = (sizes > 1) & (sizes < LARGE)
        if small.any() and self._small(order[np.repeat(small, sizes)], sizes[small]):
            return
        for b in np.flatnonzero(sizes >= LARGE):
            if self._large(order[ptr[b] : ptr[b + 1]]):
                return

    def _everybody(self) -> None:
        """Epsilon is at least r, so all records are proximate."""
        sums = empty_sums(self.issues)
        if self.issues:
            chosen = self.secret[self.data.indices]
            issue = (np.cumsum(self.secret) - 1)[self.data.indices[chosen]]
            code = self.data.codes[chosen].astype(np.int64)
            np.add.at(sums[0], issue, 1)
            np.add.at(sums[1], issue, code)
            np.add.at(sums[2], issue, code * code)
            met = np.flatnonzero(sums[0])
            sums[3][: len(met)], sums[4][0] = met, len(met)
        variance, worst = take_lowest(sums, self.data.n, self.zero)
        n = self.data.n
        found = np.full(n, n), np.full(n, variance), np.full(n, worst, np.int32)
        self.note(np.arange(n), found)

    def _gather(self, rows: Ints) -> tuple[Ints, Codes, Secret]:
        """Non-sensitive codes and, where asked for, sensitive ratings of `rows`, their issues numbered from 0."""
        data = self.data
        ptr, codes, secret_ptr, issue, secret_code = gather_codes(
            data.indptr, data.indices, data.codes, data.sensitive, rows
        )
        if not self.issues:
            # Nobody asked how they spread, so there are no sums to add them to.
            return ptr, codes, (np.zeros_like(secret_ptr), issue[:0], secret_code[:0])
        rename = (np.cumsum(data.sensitive) - 1).astype(np.int32)
        return ptr, codes, (secret_ptr, rename[issue], secret_code)

    def _small(self, rows: Ints, sizes: Ints) -> bool:
        ptr, codes, secret = self._gather(rows)
        buckets = np.concatenate([[0], np.cumsum(sizes)])
        found = _room(len(rows))
        work = np.cumsum(sizes * sizes)
        cuts = np.searchsorted(work, np.linspace(0, work[-1], 8 * threads() + 1)[1:-1])
        edges = np.unique(np.concatenate([[0], cuts, [len(sizes)]]))

        def part(index: int) -> tuple[int, int]:
            inside = buckets[edges[index] : edges[index + 1] + 1]
            groups_in_buckets(inside, ptr, codes, self.epsilon, secret, self.issues, self.zero, found)
            return int(inside[0]), int(inside[-1])

        return self._collect(_parallel(part, len(edges) - 1), rows, found)

    def _large(self, rows: Ints) -> bool:
        ptr, codes, secret = self._gather(rows)
        columns = _levels(codes.reshape(len(rows), int(ptr[1] - ptr[0])), self.epsilon, self.data.scale.levels)
        order = np.lexsort(columns[::-1]) if len(columns) else np.arange(len(rows))
        columns = np.take(columns, order, axis=1)  # in C order, as kernels expect it
        shared = shared_prefixes(columns)
        new = shared < len(columns)
        new[0] = True
        starts = np.append(np.flatnonzero(new), len(rows))
        weight, found = np.diff(starts), _room(int(new.sum()))
        slices = self._word_slices if self._words_fit(columns) else self._node_slices
        work = slices(columns, shared, starts, order, secret, found)
        edges = np.linspace(0, len(weight), min(len(weight), 64 * threads()) + 1).astype(np.int64)

        def part(index: int) -> tuple[int, int]:
            first, last = int(edges[index]), int(edges[index + 1])
            work(first, last)
            return first, last

        for first, last in _parallel(part, len(edges) - 1):
            times = weight[first:last]
            size, variance, worst = found[0][first:last], found[1][first:last], found[2][first:last]
            members = rows[order[starts[first] : starts[last]]]
            found_here = np.repeat(size, times), np.repeat(variance, times), np.repeat(worst, times)
            if self.note(members, found_here):
                return True
        return False

    def _words_fit(self, columns: Codes) -> bool:
        """Whether bits per issue and rating pay: on a fine scale they are many, and slices by node thin."""
        levels = self.data.scale.levels + 1
        words = (len(columns) + self.issues) * levels * (columns.shape[1] // 64 + 1)
        return words <= MOST_WORDS and self.issues * levels <= MOST_COUNTERS

    def _word_slices(
        self, columns: Codes, shared: Ids, starts: Ints, order: Ints, secret: Secret, found: Found
    ) -> Callable[[int, int], None]:
        levels = self.data.scale.levels
        near = near_bits(columns, self.epsilon, levels)
        held = secret_bits(order, secret, self.issues, levels)
        columns, shared = np.take(columns, starts[:-1], axis=1), shared[starts[:-1]]
        records = len(order)

        def work(first: int, last: int) -> None:
            groups_by_words(columns, shared, near, held, records, self.zero, first, last, found)

        return work

    def _node_slices(
        self, columns: Codes, shared: Ids, starts: Ints, order: Ints, secret: Secret, found: Found
    ) -> Callable[[int, int], None]:
        columns, shared = np.take(columns, starts[:-1], axis=1), shared[starts[:-1]]
        trie = build_trie(shared, len(columns))
        classes = sum_classes(starts, order, secret, self.issues)
        weight = np.diff(starts)

        def work(first: int, last: int) -> None:
            groups_by_slices(
                columns,
                shared,
                trie,
                weight,
                self.epsilon,
                classes,
                self.issues,
                self.zero,
                first,
                last,
                found,
            )

        return work

    def _collect(self, parts: Iterable[tuple[int, int]], rows: Ints, found: Found) -> bool:
        for first, last in parts:
            piece = found[0][first:last], found[1][first:last], found[2][first:last]
            if self.note(rows[first:last], piece):
                return True
        return False

    def _both(self) -> tuple[Ratings, Secret]:
        public = self.data.only(~self.data.sensitive)
        secret = self.data.only(self.secret)
        return public, (secret.indptr, secret.indices, secret.codes)

    def pairwise(self) -> None:
        """All distances, row by row, on one core (Sun et al. 2010, section 5)."""
        public, secret = self._both()
        rows = public.indptr, public.indices, public.codes
        head, links = np.full(public.n, -1), np.ones(1024, np.int64)
        found = _room(public.n)
        for first in range(0, public.n, CHUNK):
            last = min(first + CHUNK, public.n)
            links = groups_by_pairs(
                rows, self.epsilon, public.scale.levels, secret, self.issues, self.zero, first, last,
                head, links, found,
            )  # fmt: skip
            if self._collect([(first, last)], np.arange(public.n), found):
                return

    def slicing(self) -> Ints:
        """The paper's Slicing for each record, with its trimming step, on one core (Sun et al. 2010, Alg. 1)."""
        public, secret = self._both()
        rows = public.indptr, public.indices, public.codes
        first_code = np.zeros(public.n, np.int16)
        on_axis = public.indices == 0
        first_code[np.repeat(np.arange(public.n), public.lengths())[on_axis]] = public.codes[on_axis]
        order = np.argsort(first_code, kind="stable")
        axis = order, first_code[order]
        found, trimmed = _room(public.n), np.zeros(public.n, np.int64)
        for first in range(0, public.n, CHUNK):
            last = min(first + CHUNK, public.n)
            groups_by_slicing(
                rows, self.epsilon, public.scale.levels, public.d, axis, secret, self.issues, self.zero,
                first, last, found, trimmed,
            )  # fmt: skip
            if self._collect([(first, last)], np.arange(public.n), found):
                break
        return trimmed


def _room(n: int) -> Found:
    return np.zeros(n, np.int64), np.full(n, np.inf), np.full(n, -1, np.int32)


def _singles(n: int, issues: int) -> Found:
    """Groups of one record: nothing in them spreads."""
    found = _room(n)
    found[0][:] = 1
    if issues:
        found[1][:], found[2][:] = 0.0, 0
    return found


def _words(d: int) -> Ints:
    """A mixed 63-bit word, never 0, per issue (splitmix64)."""
    z = np.arange(1, d + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Ints = np.maximum((z ^ (z >> np.uint64(31))) >> np.uint64(1), np.uint64(1)).astype(np.int64)
    return mixed


def _levels(codes: Codes, epsilon: int, levels: int) -> Codes:
    """The issues as levels of a trie, the most selective first.

    Codes that are proximate with the same codes are made equal, which loses nothing; an issue on which all
    records are then equal tells nobody apart and is left out.
    """
    kept: list[tuple[float, Codes]] = []
    for column in codes.T:
        counts = np.bincount(column, minlength=levels + 1)
        present = np.flatnonzero(counts)
        low = np.searchsorted(present, present - epsilon)
        high = np.searchsorted(present, present + epsilon, side="right")
        first = np.flatnonzero(np.diff(low, prepend=-1).astype(bool) | np.diff(high, prepend=-1).astype(bool))
        if len(first) < 2:
            continue
        before = np.concatenate([[0], np.cumsum(counts[present])])
        near = float(((before[high] - before[low]) * counts[present]).sum())
        rename = np.zeros(levels + 1, np.int16)
        rename[present] = present[first][np.searchsorted(first, np.arange(len(present)), side="right") - 1]
        kept.append((near, rename[column]))
    kept.sort(key=lambda pair: pair[0])
    if not kept:
        return np.empty((0, len(codes)), np.int16)
    return np.stack([column for _, column in kept])


def _parallel(part: Callable[[int], tuple[int, int]], parts: int) -> Iterable[tuple[int, int]]:
    """The results of ``part(0), part(1), ...`` in order; some are made ahead, and no more once nobody asks for them."""
    ahead = 8 * threads()
    for first in range(0, parts, ahead):
        yield from parallel(part, range(first, min(first + ahead, parts)))
