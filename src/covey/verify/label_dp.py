"""label-dp, checked from a release of a model: budget, cells, and that the model follows from the noisy sums.

What cannot be checked from files is that the noise was drawn at random. With the original it can be compared with what
was measured: noise of the stated scales leaves residuals of a known distribution.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse
import scipy.special

from covey.arrays import Floats, Ids, Ints
from covey.counting import counted, sizes
from covey.data import Baskets, Records
from covey.guarantees.label_dp import LabelDP
from covey.release.model import LEVELS, ModelRelease, Secret, scales
from covey.verdict import Check, Verdict
from covey.verify.original_parts import same_sensitive, same_unit
from covey.verify.row_matching import difference

#: What 1 is in the sums, and by how much one transaction changes total, items, cells and lengths at most.
GRID, CHANGE = 65536, (1, 2, 1, 1)
#: The Newton decrement above which weights do not follow from the sums; fits end below 0.02.
TOLERANCE = 0.05
#: How often honest noise would be called dishonest, at most.
FALSE_ALARM = 1e-9
#: Rows whose cells are checked at once.
AT_ONCE = 1 << 15


def check(promise: LabelDP, release: ModelRelease) -> Verdict:
    """Check budget, row caps, cells and weights; that noise was drawn is for the publisher to say.

    Examples
    --------
    >>> import covey
    >>> data = covey.Baskets.of([["a", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> [one.passed for one in check(LabelDP(1), covey.anonymize(data, "label-dp(epsilon=1)")).checks]
    [True, True, True, True]
    """
    checks = (_budget(promise, release), _row_caps(release), _cells(release), _weights(release))
    figures: dict[str, Any] = {
        "epsilon_item": promise.per_item,
        "epsilon_all": promise.per_person(len(release.sensitive_items)),
    }
    seed = release.options.get("insecure_seed")
    if seed is not None:
        figures["test_only"] = f"its noise follows from the seed {seed}, which it states"
    return Verdict(guarantee=promise.text, checks=checks, figures=figures)


def _budget(promise: LabelDP, release: ModelRelease) -> Check:
    """That the noise of the sums of each sensitive item costs at most epsilon, in exact arithmetic."""
    name, most = "the stated noise of each sensitive item costs at most epsilon", Fraction(0)
    for secret in release.secrets:
        parts = zip(CHANGE, scales(release, secret), strict=True)
        costs = (Fraction(release.rows_each * change * GRID, scale) for change, scale in parts if scale)
        most = max(most, sum(costs, Fraction(0)))
    detail = f"{float(most):.6g} of {promise.epsilon:g}; that noise was drawn cannot be seen from files"
    return Check(name=name, passed=most <= Fraction(promise.epsilon), detail=detail)


def _row_caps(release: ModelRelease) -> Check:
    """That the items of a transaction change their sums by at most 2 together."""
    rows = release.public().rows
    most = int((np.diff(rows.indptr) * rows.weight).max(initial=0))
    detail = f"at most {most / GRID:.6g}; at most {counted(release.rows_each, 'transaction')} of a person"
    detail = detail if release.measured is not None else detail.partition(";")[0]
    passed = most <= CHANGE[1] * GRID
    return Check(name="a transaction changes the sums of items by at most 2", passed=passed, detail=detail)


def _cells(release: ModelRelease) -> Check:
    """That every transaction is in the cell for which the scores of its items add up to the most."""
    wrong = np.flatnonzero(cells_by_scores(release, release.transactions) != release.cell)
    detail = f"transaction {wrong[0]} is not" if len(wrong) else f"{release.joined.shape[1]} cells"
    return Check(name="every transaction is in the cell of its items", passed=not len(wrong), detail=detail)


def cells_by_scores(release: ModelRelease, data: Baskets) -> Ids:
    """Return the cell of each row of data with the items of the release, by the scores that it publishes."""
    best = np.zeros(data.n, np.int32)
    if not release.scores.size:
        return best
    scores = np.zeros((data.d, release.scores.shape[1]), np.int64)
    scores[release.scored] = release.scores
    rows = data.to_scipy().astype(np.int64)
    for start in range(0, data.n, AT_ONCE):
        best[start : start + AT_ONCE] = np.argmax(rows[start : start + AT_ONCE] @ scores, axis=1)
    return best


def _weights(release: ModelRelease) -> Check:
    """That no weights near those of each model fit the noisy sums better."""
    name, largest = "the weights of the models follow from the noisy sums", 0.0
    for label, secret in zip(release.sensitive_items, release.secrets, strict=True):
        found = decrement(release, secret)
        if not found <= TOLERANCE:
            return Check.failed(name, f"those of {label!r} do not: the Newton decrement is {found:.3g}")
        largest = max(largest, found)
    return Check.ok(name, f"Newton decrement at most {largest:.2g}")


def decrement(release: ModelRelease, secret: Secret) -> float:
    """Return by how much a Gauss-Newton step would still lower the loss of a model, twice."""
    features, vectors = design(release, secret)
    if release.measured is not None:
        features, vectors = features[release.measured], vectors[release.measured]
    likely = scipy.special.expit(features @ secret.weights)
    slope = np.asarray((vectors.T @ (features * (likely * (1 - likely))[:, None])).todense())
    each = [1.0 if not scale else 2 * (scale / GRID) ** 2 + 1 for scale in scales(release, secret)]
    variance = np.repeat(each, [1, *secret.layout])
    pull = slope.T @ ((secret.sums / GRID - vectors.T @ likely) / variance)
    pull -= (secret.weights - _prior(release, secret)) / secret.spread**2
    curvature = slope.T @ (slope / variance[:, None]) + np.diag(secret.spread**-2.0)
    return float(pull @ np.linalg.solve(curvature, pull))


def design(release: ModelRelease, secret: Secret) -> tuple[Any, Any]:
    """Return the rows of a model as sparse matrices: with 1 for each item, and with what each counts in the sums."""
    rows, layout = release.public().rows, secret.layout
    n, each = len(rows.cell), np.diff(rows.indptr)
    joined = release.joined[secret.level] if secret.level < len(LEVELS) else np.arange(release.joined.shape[1])
    at_cell = 1 + layout.items + joined[rows.cell]
    at_length = 1 + layout.items + layout.cells + rows.length
    others = np.stack([np.zeros(n, np.int64), at_cell, at_length], axis=1).ravel()
    row, column = np.repeat(np.arange(n), 3), others
    value = np.ones(3 * n)
    shape = (n, layout.size)
    base = scipy.sparse.csr_array((value, (row, column)), shape=shape)
    if not layout.items:
        return base, base
    of_items = np.repeat(np.arange(n), each), 1 + rows.items
    share = np.repeat(np.minimum(CHANGE[1] * GRID // np.maximum(each, 2), GRID) / GRID, each)
    plain = scipy.sparse.csr_array((np.ones(len(rows.items)), of_items), shape=shape)
    weighted = scipy.sparse.csr_array((share, of_items), shape=shape)
    return (base + plain).tocsr(), (base + weighted).tocsr()


def _prior(release: ModelRelease, secret: Secret) -> Floats:
    """Return the mean of each weight before the sums are seen: the base rate by length."""
    public = release.public()
    prior = np.zeros(secret.layout.size)
    prior[len(prior) - secret.layout.lengths :] = public.offsets
    length = public.rows.length if release.measured is None else public.rows.length[release.measured]
    expected = max(float(np.exp(public.offsets)[length].sum()), 1e-9)
    prior[0] = np.log(max(float(secret.sums[0]) / GRID, 5.0) / expected)
    return prior


def compare(release: ModelRelease, data: Baskets | Records, taxonomy: Any = None) -> list[Check]:
    """Check `release` against the original: the same transactions, and sums that differ by noise of stated scales."""
    original = data.as_baskets()
    unit = same_unit(release.measured is not None, original.persons, "transactions")
    if unit is not None and not unit.passed:
        return [unit]
    named = set(original.sensitive_items())
    # An item that nobody holds is published like any other, so labels that do not occur are no error.
    items = {*original.items, *release.sensitive_items}
    checks = [same_sensitive(release.sensitive_items, items, named, bool(original.sensitive.any()))]
    if not checks[0].passed:
        return checks
    checks += [] if unit is None else [unit]
    hidden = np.isin(np.array(original.items, object), np.array(release.sensitive_items, object))
    public = original.only(~hidden & (original.supports() > 0))
    problem = difference(release.transactions, public)
    detail = problem or sizes(baskets=release.transactions.n, entries=release.transactions.entries)
    name = "every published basket is in the original, exactly as often"
    checks.append(Check(name=name, passed=not problem, detail=detail))
    if checks[-1].passed:
        checks.append(_residuals(release, public, original.only(hidden)))
    return checks


def _residuals(release: ModelRelease, public: Baskets, secret: Baskets) -> Check:
    """That the published sums differ from the true ones by noise of the stated scales.

    |noise| / scale has the mean 1 and an exponential distribution, so the mean over all sums has a known one.
    """
    name = "the sums differ from the true ones by noise of the stated scale"
    if release.measured is not None or release.promise.cap is not None:
        return Check.ok(name, "not compared: which transactions and items count was drawn when it was made")
    cell = cells_by_scores(release, public)
    own = np.concatenate([residuals(release, one, s, public, secret, cell) for s, one in enumerate(release.secrets)])
    low, high = scipy.special.gammaincinv(len(own), np.array([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])) / len(own)
    mean = float(own.mean())
    detail = (
        f"{mean:.3f} times the scale on average over {counted(len(own), 'sum')}, from {low:.3f} to {high:.3f} allowed"
    )
    return Check(name=name, passed=bool(low <= mean <= high), detail=f"{detail}; false alarm rate {FALSE_ALARM:.0e}")


def residuals(release: ModelRelease, one: Secret, number: int, public: Baskets, secret: Baskets, cell: Ids) -> Floats:
    """Return by how much the sums of a sensitive item differ from the true ones, in units of their scales."""
    label, layout = release.sensitive_items[number], one.layout
    holders = np.zeros(public.n, np.bool_)
    if label in secret.items:
        holders[secret.row_of_entries()[secret.indices == secret.items.index(label)]] = True
    held, joined = public.take(np.flatnonzero(holders)), release.joined
    larger = joined[one.level] if one.level < len(LEVELS) else np.arange(joined.shape[1])
    true: list[Ints] = [np.array([held.n * GRID], np.int64)]
    if layout.items:
        chosen = held.only(np.isin(np.arange(public.d), release.public().frequent))
        each = chosen.lengths()
        share = np.minimum(CHANGE[1] * GRID // np.maximum(each, 2), GRID)
        sums = np.bincount(chosen.indices, np.repeat(share, each), chosen.d)
        true.append(np.rint(sums).astype(np.int64))
    starts = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 33, 48, 65])
    length = np.searchsorted(starts, held.lengths(), side="right") - 1
    for places, size in ((larger[cell[holders]], layout.cells), (length, layout.lengths)):
        true.append(GRID * np.bincount(places, minlength=size))
    scale = np.repeat(np.array(scales(release, one), np.float64), [1, *layout])
    found: Floats = np.abs(one.sums - np.concatenate(true)) / scale
    return found
