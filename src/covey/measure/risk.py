"""How likely is it that someone who knows r items of a transaction, or of a person, finds it?

A transaction with at least r published items is drawn uniformly, then r of its items uniformly; the risk is
the mean of 1 / (number of transactions that hold all of them). Exact for r = 1, sampled above. Where persons are named,
it is persons that are drawn and counted, with all the items of their transactions.

A grouped release publishes ordinary items exactly, so finding a transaction is as easy *after* as before.
What changes is what the finder learns: `exposure` measures how sure the attacker becomes of a sensitive item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, singledispatch

import numpy as np

from covey.arrays import Floats, Ids, Ints, offsets_of
from covey.data import Baskets, Ratings, Records, Table
from covey.data.csr import pieces
from covey.data.jit import kernel
from covey.data.postings import postings
from covey.parameters import integer
from covey.tabular import Plain
from covey.threads import parallel

#: Transactions to look at for one figure, about, and the fewest cases to draw all the same.
STEPS, FEWEST = 200_000_000, 2_000


@singledispatch
def facts(data: object) -> Baskets:
    """Return what can be known of each person, as a set of things that the kind of data has. O(entries).

    Sensitive things are left out, or marked as sensitive, for nobody is supposed to know them.

    Examples
    --------
    >>> facts(Ratings.of([[5, None], [5, 1]], issues=["a", "b"], scale="1:5"))
    Baskets(2 transactions, 2 items, 3 entries, 0 sensitive)
    """
    raise NotImplementedError(f"nothing is known of {type(data).__name__}")


@facts.register
def _of_baskets(baskets: Baskets) -> Baskets:
    return baskets.by_person()


@facts.register
def _of_ratings(ratings: Ratings) -> Baskets:
    """Return pairs of an issue and its rating."""
    public = ratings.split()[0]
    return numbered(public.indptr, public.indices.astype(np.int64) * (public.scale.levels + 1) + public.codes)


@facts.register
def _of_table(table: Table) -> Baskets:
    """Return pairs of a quasi-identifier and its value, of each person or of each row."""
    codes = table.rows("quasi").astype(np.int64)
    n, width = codes.shape
    starts = offsets_of([len(c.values) for c in table.of_role("quasi")])[:-1]
    known = numbered(np.arange(n + 1, dtype=np.int64) * width, (codes + starts).reshape(-1))
    return replace(known, person=table.person).by_person()


@facts.register
def _of_records(records: Records) -> Baskets:
    """Return pairs of a quasi-identifier and its value, and items, of each person."""
    columns, items = facts(records.attributes), records.baskets
    lengths = columns.lengths() + items.lengths()
    indptr = offsets_of(lengths)
    indices = np.empty(int(indptr[-1]), np.int32)
    # Of each person first the attributes, then the items, which are numbered behind them.
    first = np.arange(len(indices)) - np.repeat(indptr[:-1], lengths) < np.repeat(columns.lengths(), lengths)
    indices[first], indices[~first] = columns.indices, items.indices + columns.d
    labels = [*(f"attribute {label}" for label in columns.items), *(f"item {label}" for label in items.items)]
    return Baskets.build(indptr, indices, labels, [f"item {label}" for label in items.sensitive_items()])


def numbered(indptr: Ints, keys: Ints) -> Baskets:
    """Return baskets over the distinct keys, which ascend within each row."""
    distinct, indices = np.unique(keys, return_inverse=True)
    return Baskets.numbered(indptr.copy(), indices.reshape(-1).astype(np.int32), len(distinct))


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Plain):
    """The re-identification risk for one number of known items."""

    #: How many items the attacker knows.
    known: int
    #: Mean probability of picking the right transaction, 0 to 1.
    risk: float
    #: 95 % confidence interval; equal to `risk` when it is exact.
    low: float
    high: float
    #: Share of the cases in which the items point to one transaction only.
    unique: float
    #: Cases drawn; 0 when the figure is exact.
    samples: int
    #: Transactions with at least `known` items.
    eligible: int


def reidentification(
    baskets: Baskets, known: int, *, samples: int = 20_000, seed: int | None = 0, among: Baskets | None = None
) -> Risk:
    """Return the risk from an attacker who knows `known` quasi-identifier items of a random transaction.

    Parameters
    ----------
    baskets : Baskets
        Sensitive items are left out: the attacker does not know them. Where persons are named, they are looked for.
    samples : int
        Cases drawn when `known` is above 1; fewer on data so large that it would take minutes.
    among : Baskets or None
        The baskets looked through, in another order, where somebody has lists of their rows: no others are made.

    Examples
    --------
    >>> baskets = Baskets.of([["a", "b"], ["a", "c"], ["a", "b"]])
    >>> round(reidentification(baskets, 1).risk, 3)
    0.5
    >>> reidentification(baskets, 2).risk > 0.5
    True
    """
    integer("reidentification", "known", known, minimum=1)
    integer("reidentification", "samples", samples, minimum=1)
    public = _knowable(baskets)
    lengths, supports = public.lengths(), public.supports()
    eligible = np.flatnonzero(lengths >= known)
    able = len(eligible)
    if not able:
        return Risk(known=known, risk=0.0, low=0.0, high=0.0, unique=0.0, samples=0, eligible=0)
    if known == 1:
        ranges = [public.indptr[rows.start : rows.stop + 1] for rows in pieces(public.n)]
        means = parallel(lambda rows: mean_inverse_support(rows, public.indices, supports), ranges)
        risk = float(np.concatenate(means)[eligible].mean())
        single = np.flatnonzero((supports == 1)[public.indices])
        alone = np.bincount(np.searchsorted(public.indptr, single, side="right") - 1, minlength=public.n)
        unique = float((alone / np.maximum(lengths, 1, out=lengths))[eligible].mean())
        return Risk(known=1, risk=risk, low=risk, high=risk, unique=unique, samples=0, eligible=able)
    rng = np.random.default_rng(seed)
    rows = rng.choice(eligible, samples)
    del lengths, eligible  # a number for every row, which others need beside these lists
    sets = pick_items(*public.csr, rows, rng.random((samples, known)))
    # On large data the lists to walk are long; fewer cases then give nearly the same figure, with its interval.
    affordable = np.searchsorted(np.cumsum(supports[sets].min(axis=1)), STEPS)
    found = postings(public if among is None else among).containing(sets[: max(int(affordable), FEWEST)])
    inverse = 1.0 / found
    risk = float(inverse.mean())
    margin = 1.96 * float(inverse.std(ddof=1)) / np.sqrt(len(found)) if len(found) > 1 else 1.0
    return Risk(
        known=known,
        risk=risk,
        low=max(0.0, risk - margin),
        high=min(1.0, risk + margin),
        unique=float((found == 1).mean()),
        samples=len(found),
        eligible=able,
    )


@lru_cache(maxsize=1)
def _knowable(baskets: Baskets) -> Baskets:
    """Return what someone may know who looks for a transaction, or for a person; kept for the next number of items."""
    people = baskets.by_person()
    return people.only(~people.sensitive) if people.sensitive.any() else people


@kernel
def mean_inverse_support(indptr: Ints, indices: Ids, supports: Ints) -> Floats:
    """Return per row the mean of 1/support over its items; 0 for an empty row. O(nnz)."""
    n = len(indptr) - 1
    risk = np.zeros(n, np.float64)
    for row in range(n):
        for e in range(indptr[row], indptr[row + 1]):
            risk[row] += 1.0 / supports[indices[e]]
        if indptr[row + 1] > indptr[row]:
            risk[row] /= indptr[row + 1] - indptr[row]
    return risk


@kernel
def pick_items(indptr: Ints, indices: Ids, rows: Ints, uniforms: Floats) -> Ids:
    """Return for each of `rows` r distinct items of it, drawn by the given uniform numbers.

    `uniforms` is len(rows) × r. Floyd's sampling: O(r²) per row, whatever the row's length.
    Precondition: every row has at least r items.
    """
    r = uniforms.shape[1]
    picked = np.empty((len(rows), r), np.int32)
    places = np.empty(r, np.int64)
    for i in range(len(rows)):
        start = indptr[rows[i]]
        length = indptr[rows[i] + 1] - start
        for c in range(r):
            top = length - r + c
            place = min(np.int64(uniforms[i, c] * (top + 1)), top)
            for b in range(c):
                if places[b] == place:
                    place = top
                    break
            places[c] = place
            picked[i, c] = indices[start + place]
    return picked
