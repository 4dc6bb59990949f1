"""The group of every record: its size and the spread of its sensitive ratings, by three algorithms.

`auto` brings records together that rated the same issues and searches inside these buckets; `slicing` and
`pairwise` are the algorithms of Sun et al. 2010. All three give the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from covey.arrays import Codes, Floats, Ids, Ints, offsets_of
from covey.data import Ratings
from covey.data.equal_rows import equal_rows
from covey.errors import InputError
from covey.progress import Progress, silent
from covey.threads import parallel, threads
from covey.verify.proximity import groups_by_words, groups_in_buckets, near_bits, secret_bits
from covey.verify.rating_rivals import groups_by_pairs, groups_by_slicing

ALGORITHMS = ("auto", "slicing", "pairwise")

#: Buckets below this size are compared pair by pair.
LARGE = 512
#: Words of 64 records that mark who is near a rating, at most (256 MiB).
MOST_WORDS = 1 << 25
#: Up to so many levels, sensitive ratings are counted a word at a time.
MOST_LEVELS = 64
#: Records after which the paper's algorithms report.
CHUNK = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbourhoods:
    """What was found for each record, in the order of the data."""

    #: Records in the group, the record itself included; 0 when the search stopped before it.
    size: Ints
    #: Lowest variance of a sensitive issue in the group, in squared steps; inf when not wanted.
    variance: Floats
    #: Position of that issue among the sensitive ones, -1 for none.
    worst: Ids
    #: Only from `slicing`: the size of the set left by the paper's trimming step.
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
    epsilon
        In steps of the scale.
    spread
        Whether the spread of the sensitive ratings is wanted.
    zero
        How records without a sensitive rating count; see `covey.verify.proximity.take_lowest`.
    stop
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
    size, variance, worst = search.found
    return Neighbourhoods(size=size, variance=variance, worst=worst, trimmed=trimmed)


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
        public, hidden = data.only(~data.sensitive), data.only(data.sensitive & spread)
        self.public = public.indptr, public.indices, public.codes
        self.secret = hidden.indptr, hidden.indices, hidden.codes
        self.n, self.d, self.issues, self.levels = data.n, public.d, hidden.d, data.scale.levels
        self.epsilon, self.zero, self.stop, self.progress = epsilon, zero, stop, progress
        self.found = np.zeros(data.n, np.int64), np.full(data.n, np.inf), np.full(data.n, -1, np.int32)
        self.done = 0

    def enough(self, rows: Ints) -> bool:
        """Report that the groups of `rows` are found; return whether the search can stop."""
        self.done += len(rows)
        self.progress("searching", self.done / max(self.n, 1))
        return self.stop is not None and self.stop(self.found[0][rows], self.found[1][rows])

    def in_parts(self, work: Callable[[int, int], Ints], edges: Ints) -> bool:
        """Do the work between successive edges, some parts ahead; return whether the search can stop."""
        parts, ahead = list(pairwise(edges.tolist())), 2 * threads()
        for first in range(0, len(parts), ahead):
            rows = parallel(lambda part: work(*part), parts[first : first + ahead])
            if any(map(self.enough, rows)):
                return True
        return False

    def auto(self) -> None:
        """Search in buckets of records that rated the same issues; with an epsilon of the whole scale, in one."""
        if self.epsilon >= self.levels:
            self.large(np.arange(self.n), np.empty((0, self.n), np.int16))
            return
        # A fixed seed: with `stop`, the order of the buckets decides which records are looked at.
        number, size, _ = equal_rows(self.public[0], self.public[1], self.d, seed=0)
        order = np.argsort(number, kind="stable")
        inside = (size < LARGE)[number[order]]
        if self.small(order[inside], size[size < LARGE]):
            return
        for rows in np.split(order[~inside], np.cumsum(size[size >= LARGE]))[:-1]:
            ptr, _, codes = self.public
            width = int(ptr[rows[0] + 1] - ptr[rows[0]])
            values = codes[ptr[rows][:, None] + np.arange(width)]
            if self.large(rows, _columns(values, self.epsilon, self.levels)):
                return

    def small(self, rows: Ints, sizes: Ints) -> bool:
        """Compare the records of small buckets pair by pair."""
        buckets = offsets_of(sizes)

        def work(first: int, last: int) -> Ints:
            inside = buckets[first : last + 1]
            groups_in_buckets(rows, inside, self.public, self.epsilon, self.secret, self.issues, self.zero, self.found)
            return rows[inside[0] : inside[-1]]

        pairs = np.cumsum(sizes * sizes)
        starts = np.flatnonzero(np.diff(pairs // (pairs[-1:] // (64 * threads()) + 1), prepend=-1))
        return self.in_parts(work, np.append(starts, len(sizes)))

    def large(self, rows: Ints, columns: Codes) -> bool:
        """Slice a bucket of records, whose ratings are `columns`, one row per issue."""
        order = np.lexsort(columns[::-1]) if len(columns) else np.arange(len(rows))
        rows, columns = rows[order], np.take(columns, order, axis=1)  # in C order, as kernels expect it
        starts = np.flatnonzero(np.append(True, (columns[:, 1:] != columns[:, :-1]).any(axis=0)))
        starts = np.append(starts, len(rows))
        most = MOST_WORDS // max(len(columns) * (len(rows) // 64 + 1), 1)
        cells, low, high, exact = _cells(columns, min(max(most, 2), self.levels + 1))
        near = near_bits(cells, low, high, self.epsilon)
        held = secret_bits(rows, self.secret, self.issues, self.levels if self.levels <= MOST_LEVELS else 0)

        def work(first: int, last: int) -> Ints:
            groups_by_words(
                columns, cells, near, exact, self.epsilon, starts, rows, held, self.secret, self.zero,
                first, last, self.found,
            )  # fmt: skip
            return rows[starts[first] : starts[last]]

        distinct = len(starts) - 1
        return self.in_parts(work, np.linspace(0, distinct, min(distinct, 64 * threads()) + 1).astype(np.int64))

    def pairwise(self) -> None:
        """Compute all distances, row by row, on one core (Sun et al. 2010, section 5)."""
        head, links = np.full(self.n, -1), np.ones(1024, np.int64)
        for first in range(0, self.n, CHUNK):
            last = min(first + CHUNK, self.n)
            links = groups_by_pairs(
                self.public, self.epsilon, self.levels, self.secret, self.issues, self.zero, first, last,
                head, links, self.found,
            )  # fmt: skip
            if self.enough(np.arange(first, last)):
                return

    def slicing(self) -> Ints:
        """Slice for each record, with the paper's trimming step, on one core (Sun et al. 2010, Alg. 1)."""
        ptr, issue, codes = self.public
        first_code, on_axis = np.zeros(self.n, np.int16), issue == 0
        first_code[np.repeat(np.arange(self.n), np.diff(ptr))[on_axis]] = codes[on_axis]
        order = np.argsort(first_code, kind="stable")
        trimmed = np.zeros(self.n, np.int64)
        for first in range(0, self.n, CHUNK):
            last = min(first + CHUNK, self.n)
            groups_by_slicing(
                self.public, self.epsilon, self.levels, self.d, (order, first_code[order]), self.secret, self.issues,
                self.zero, first, last, self.found, trimmed,
            )  # fmt: skip
            if self.enough(np.arange(first, last)):
                break
        return trimmed


def _columns(codes: Codes, epsilon: int, levels: int) -> Codes:
    """Return the issues one per row, the most selective first.

    Codes that are proximate with the same codes are made equal, which loses nothing; an issue on which all
    records are then equal is left out.
    """
    kept: list[tuple[float, Codes]] = []
    for column in codes.T:
        counts = np.bincount(column, minlength=levels + 1)
        present = np.flatnonzero(counts)
        low = np.searchsorted(present, present - epsilon)
        high = np.searchsorted(present, present + epsilon, side="right")
        first = np.flatnonzero((np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0))
        if len(first) < 2:
            continue
        before = offsets_of(counts[present])
        near = float(((before[high] - before[low]) * counts[present]).sum())
        rename = np.zeros(levels + 1, np.int16)
        rename[present] = present[first][np.searchsorted(first, np.arange(len(present)), side="right") - 1]
        kept.append((near, rename[column]))
    kept.sort(key=lambda pair: pair[0])
    return np.stack([column for _, column in kept]) if kept else np.empty((0, len(codes)), np.int16)


def _cells(columns: Codes, most: int) -> tuple[Codes, Ints, Ints, bool]:
    """Return the cell of each code, the lowest and highest code of each cell, and whether each code has its own.

    An issue has `most` cells at most, of about as many different codes each.
    """
    cells, exact = np.empty(columns.shape, np.int16), True
    ends = np.full((2, len(columns), most), [[[1 << 40]], [[-(1 << 40)]]])
    for t, column in enumerate(columns):
        values, place = np.unique(column, return_inverse=True)
        cell = np.arange(len(values)) * min(most, len(values)) // len(values)
        exact &= len(values) <= most
        np.minimum.at(ends[0, t], cell, values)
        np.maximum.at(ends[1, t], cell, values)
        cells[t] = cell[place.reshape(-1)]
    used = int(cells.max(initial=-1)) + 1
    return cells, ends[0, :, :used].copy(), ends[1, :, :used].copy(), exact
