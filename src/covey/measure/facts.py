"""What someone may know about a person, as one set per person, whatever the kind of data.

Sensitive things are left out, for nobody is supposed to know them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from covey.arrays import Ints, offsets_of
from covey.data import Baskets, Ratings, Records, Table


@singledispatch
def facts(data: Any) -> Baskets:
    """Return what can be known of each person, as a set of things that the kind of data has. O(entries).

    Examples
    --------
    >>> survey = Ratings.of([[5, None], [5, 1]], issues=["a", "b"], scale="1:5")
    >>> facts(survey)
    Baskets(2 transactions, 2 items, 3 entries, 0 sensitive)
    """
    raise NotImplementedError(f"nothing is known of {data.kind}")


@facts.register
def _of_baskets(baskets: Baskets) -> Baskets:
    """The items of each person, or of each transaction; those that are marked as sensitive are known to be left out."""
    return baskets.by_person()


@facts.register
def _of_ratings(ratings: Ratings) -> Baskets:
    """Pairs of an issue and its rating."""
    public = ratings.split()[0]
    return _numbered(public.indptr, public.indices.astype(np.int64) * (public.scale.levels + 1) + public.codes)


def of_both(mine: Ratings, theirs: Ratings) -> tuple[Baskets, Baskets]:
    """The same of two surveys on one scale, over one list of pairs."""
    parts = [ratings.split()[0] for ratings in (mine, theirs)]
    place = {issue: i for i, issue in enumerate(sorted({*parts[0].issues, *parts[1].issues}))}
    issue = [np.array([place[name] for name in one.issues], np.int64)[one.indices] for one in parts]
    keys = [at * (one.scale.levels + 1) + one.codes for at, one in zip(issue, parts, strict=True)]
    indptr = np.concatenate([parts[0].indptr, parts[0].indptr[-1] + parts[1].indptr[1:]])
    every = _numbered(indptr, np.concatenate(keys))
    return every.take(np.arange(mine.n)), every.take(np.arange(mine.n, every.n))


@facts.register
def _of_table(table: Table) -> Baskets:
    """Pairs of a quasi-identifier and its value, of each person or of each row."""
    codes = table.rows("quasi").astype(np.int64)
    n, width = codes.shape
    starts = offsets_of([len(c.values) for c in table.of_role("quasi")])[:-1]
    known = _numbered(np.arange(n + 1, dtype=np.int64) * width, (codes + starts).reshape(-1))
    return replace(known, person=table.person).by_person()


@facts.register
def _of_records(records: Records) -> Baskets:
    """Pairs of a quasi-identifier and its value, and items, of each person; sensitive items are marked as such."""
    columns, items = facts(records.attributes), records.baskets
    values = [f"attribute {label}" for label in columns.items]
    held = [f"item {label}" for label in items.items]
    lengths = columns.lengths() + items.lengths()
    indptr = offsets_of(lengths)
    indices = np.empty(int(indptr[-1]), np.int32)
    # Of each person first the attributes, then the items, which are numbered behind them.
    first = np.arange(len(indices)) - np.repeat(indptr[:-1], lengths) < np.repeat(columns.lengths(), lengths)
    indices[first], indices[~first] = columns.indices, items.indices + len(values)
    return Baskets.build(indptr, indices, [*values, *held], [f"item {label}" for label in items.sensitive_items()])


def _numbered(indptr: Ints, keys: Ints) -> Baskets:
    """Baskets over the distinct keys, which ascend within each row."""
    distinct, indices = np.unique(keys, return_inverse=True)
    return Baskets.numbered(indptr.copy(), indices.reshape(-1).astype(np.int32), len(distinct))
