"""What the checkers of km-anonymity and coherence share: one search for an offending set, and how to show it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import canonicalize, count_behind, pieces, take_rows
from covey.data.equal_rows import equal_rows
from covey.errors import ParameterError
from covey.threads import parallel
from covey.verify.rare_sets import count_rare, first_offence

#: Entries that a check may read; about a minute of work. Beyond, it says which parameter to lower.
WORK = 30_000_000_000

#: Entries that data may have for its sets to be checked.
MOST_ENTRIES = 2**32 - 1

#: Entries that counting all offending sets may read; about a second. Beyond, there are at least as many as were found.
COUNT_WORK = 300_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Offence:
    """A set of labels that breaks a guarantee."""

    #: The set; no part of it breaks the guarantee by itself.
    labels: tuple[str, ...]
    #: In how many transactions it is.
    support: int
    #: The private item it gives away, if that is the violation, and how many of the transactions hold it.
    secret: str | None
    holders: int
    #: The first of these transactions, as row numbers of what was checked.
    rows: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The offence as plain data for JSON."""
        return {
            "set": list(self.labels),
            "support": self.support,
            "private": self.secret,
            "holders": self.holders,
            "rows": list(self.rows),
        }

    def describe(self, unit: str = "transactions") -> str:
        """The offence in words, `unit` being what rows are."""
        shown = ", ".join(self.labels[:8]) + (" …" if len(self.labels) > 8 else "")
        first = "row " if len(self.rows) == 1 else "rows "
        rows = first + ", ".join(map(str, self.rows)) + (" …" if self.support > len(self.rows) else "")
        betrayed = f", {self.holders:,} of them with {self.secret!r}" if self.secret is not None else ""
        return f"{{{shown}}} is in {counted(self.support, unit[:-1])}{betrayed} ({rows})"


def find_offence(
    owner: str, size_name: str, public: Baskets, private: Baskets | None, k: int, m: float, h: float = 1.0
) -> Offence | None:
    """A set of at most m public labels that is too rare or gives a private item away; None when there is none."""
    if public.entries > MOST_ENTRIES:
        raise ParameterError(f"{owner} can be checked on at most {MOST_ENTRIES:,} entries. Got {public.entries:,}.")
    size = int(min(m, max(int(public.lengths().max(initial=0)), 1)))
    guarded = private is not None and h < 1
    # Rare labels first: their rows are few, and the sets that hold them are looked at together.
    order = np.argsort(public.supports(), kind="stable")
    place = np.empty(public.d, np.int32)
    place[order] = np.arange(public.d, dtype=np.int32)
    indptr, labels = public.indptr.copy(), public.indices.copy()
    canonicalize(indptr, labels, place)
    weight = np.ones(public.n, np.int64)
    if not guarded:
        indptr, labels, weight = _distinct(indptr, labels, public.d)
    secret_ptr, secret, secrets = np.zeros(len(indptr), np.int64), np.empty(0, np.int32), 0
    if private is not None and guarded:
        secret_ptr, secret, secrets = private.indptr, private.indices, private.d

    def search(low: int, high: int) -> tuple[int, Ints, int, int]:
        return first_offence(
            indptr, labels, weight, public.d, secret_ptr, secret, secrets, k, size, float(h), WORK, low, high
        )  # fmt: skip

    ranges = _label_ranges(indptr, labels, public.d)
    found = parallel(lambda part: search(*part), ranges)
    outcome, members, _, _ = found[0]
    if len(ranges) > 1 and (any(one[0] != 1 for one in found) or sum(one[3] for one in found) > WORK):
        outcome, members, _, _ = search(0, public.d)  # what one thread would find, or its limit
    if outcome == 2:
        raise ParameterError(
            f"Checking all sets of up to {counted(size, 'label')} would take too long on this data: some transactions "
            f"are too long. Lower {size_name} of {owner}, or shorten transactions of thousands of labels."
        )
    if outcome == 1:
        return None
    return _smallest(public, private if guarded else None, [int(order[x]) for x in members], k, h)


def _label_ranges(indptr: Ints, labels: Ids, d: int) -> list[tuple[int, int]]:
    """Ranges of labels behind which about as much stands, one for each thread where rows are many."""
    parts = len(pieces(len(indptr) - 1)) if len(labels) else 1
    behind = np.cumsum(count_behind(indptr, labels, d)) if parts > 1 else np.zeros(1, np.int64)
    inner = np.searchsorted(behind, [behind[-1] * part // parts for part in range(1, parts)]).tolist()
    return list(pairwise([0, *inner, d]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offences:
    """All sets that occur too rarely, counted."""

    #: How many there are, those with a part that is too rare by itself included.
    sets: int
    #: Which rows hold one.
    exposed: Mask
    #: Whether all were looked at; if not, there may be more.
    complete: bool

    def describe(self, unit: str = "transactions") -> str:
        """The count in words, `unit` being what rows are."""
        whose = f"{int(self.exposed.sum()):,} of {len(self.exposed):,} {unit}"
        return f"{'' if self.complete else 'at least '}{counted(self.sets, 'set')} too rare, in {whose}"


def count_offences(public: Baskets, k: int, m: float) -> Offences:
    """All sets of at most m labels that fewer than k rows hold, and those rows.

    Examples
    --------
    >>> count_offences(Baskets.of([["ale", "tea"], ["ale"], ["ale"], ["tea"]]), 2, 2).describe()
    '1 set too rare, in 1 of 4 transactions'
    """
    size = int(min(m, max(int(public.lengths().max(initial=0)), 1)))
    weight = np.ones(public.n, np.int64)
    sets, exposed, complete = count_rare(public.indptr, public.indices, weight, public.d, k, size, COUNT_WORK)
    return Offences(sets=int(sets), exposed=exposed, complete=bool(complete))


def _distinct(indptr: Ints, labels: Ids, d: int) -> tuple[Ints, Ids, Ints]:
    """The distinct rows in the order in which they first occur, and how often each does."""
    _, size, example = equal_rows(indptr, labels, d)
    order = np.argsort(example)
    return *take_rows(indptr, labels, example[order]), size[order]


def _smallest(public: Baskets, private: Baskets | None, found: list[int], k: int, h: float) -> Offence:
    """The offence without labels it does not need."""
    members = list(found)
    for x in found:
        fewer = [y for y in members if y != x]
        if fewer and _offends(public, private, fewer, k, h) is not None:
            members = fewer
    offence = _offends(public, private, members, k, h)
    assert offence is not None
    return offence


def _offends(public: Baskets, private: Baskets | None, members: list[int], k: int, h: float) -> Offence | None:
    held = np.bincount(public.row_of_entries()[np.isin(public.indices, members)], minlength=public.n)
    rows = np.flatnonzero(held == len(members))
    secret, holders = None, 0
    if private is not None and private.d:
        inside = np.zeros(private.n, np.bool_)
        inside[rows] = True
        counts = np.bincount(private.indices[np.repeat(inside, private.lengths())], minlength=private.d)
        if counts.max() > h * len(rows) + 1e-9:
            secret, holders = private.items[int(counts.argmax())], int(counts.max())
    if not len(rows) or (len(rows) >= k and secret is None):
        return None
    enough = len(rows) >= k
    return Offence(
        labels=tuple(sorted(public.items[x] for x in members)),
        support=len(rows),
        secret=secret if enough else None,
        holders=holders if enough else 0,
        rows=tuple(int(r) for r in rows[:5]),
    )
