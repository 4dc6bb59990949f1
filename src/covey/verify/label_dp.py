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
from covey.release.model import ModelRelease, Secret
from covey.verdict import Check, Verdict
from covey.verify.original_parts import difference, same_sensitive, same_unit
from covey.verify.table_fidelity import same_columns

#: What 1 is in the sums, and by how much one transaction changes total, items, cells and lengths at most.
GRID, CHANGE = 65536, (1, 2, 1, 1)
#: What an item that one transaction has would count, before the sum of a transaction is limited.
RAREST = 1 << 20
#: The square of the gradient, in units of the spreads, above which weights do not follow from the sums.
TOLERANCE = 0.05
#: How often honest noise would be called dishonest, at most.
FALSE_ALARM = 1e-9
#: The shortest length of each class.
LENGTHS = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 33, 48, 65])
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
        parts = zip(CHANGE, release.scales(secret), strict=True)
        costs = (Fraction(release.rows_each * change * GRID, scale) for change, scale in parts if scale)
        most = max(most, sum(costs, Fraction(0)))
    detail = f"{float(most):.6g} of {promise.epsilon:g}; that noise was drawn cannot be seen from files"
    return Check(name=name, passed=most <= Fraction(promise.epsilon), detail=detail)


def _row_caps(release: ModelRelease) -> Check:
    """That the items of a transaction change their sums by at most 2 together."""
    most = float(item_shares(release, release.transactions).sum(axis=1).max(initial=0))
    detail = f"at most {most:.6g}"
    if release.measured is not None:
        detail += f"; at most {counted(release.rows_each, 'transaction')} of a person"
    return Check(name="a transaction changes the sums of items by at most 2", passed=most <= CHANGE[1], detail=detail)


def item_shares(release: ModelRelease, data: Baskets) -> scipy.sparse.csr_array:
    """Return rows x frequent items: what each counts in the sums of items, in data with the items of the release."""
    frequent = release.public().frequent
    held = data.to_scipy().astype(np.int64)[:, frequent].tocsr()
    rarity = (RAREST / np.sqrt(release.transactions.supports()[frequent])).astype(np.int64)
    each = np.diff(held.indptr)
    share = CHANGE[1] * GRID * rarity[held.indices] // np.repeat(held @ rarity, each)
    share[np.repeat(each, each) <= CHANGE[1]] = GRID
    return scipy.sparse.csr_array((np.minimum(share, GRID) / GRID, held.indices, held.indptr), shape=held.shape)


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
    vectors = design(release, release.transactions, release.cell)
    vectors = vectors if release.measured is None else vectors[release.measured]
    for label, secret in zip(release.sensitive_items, release.secrets, strict=True):
        found = distance(release, secret, vectors)
        if not found <= TOLERANCE:
            return Check.failed(name, f"those of {label!r} do not: the square of the gradient is {found:.3g}")
        largest = max(largest, found)
    return Check.ok(name, f"square of the gradient at most {largest:.2g}")


def distance(release: ModelRelease, secret: Secret, vectors: scipy.sparse.csr_array) -> float:
    """Return the square of the gradient of a model's loss, in units of the spreads, given all measured vectors.

    It is at least the Newton decrement, twice what a Gauss-Newton step would lower the loss by: the curvature of the
    squared errors, left out here, only makes steps shorter.
    """
    joins, layout, public = fold(release, secret.level), release.public().layout(secret.level), release.public()
    features = scipy.sparse.csr_array((np.ones(vectors.nnz), vectors.indices, vectors.indptr), vectors.shape)
    likely = scipy.special.expit(features @ (joins @ secret.weights))
    each = [1.0 if not scale else 2 * (scale / GRID) ** 2 + 1 for scale in release.scales(secret)]
    left = (secret.sums / GRID - joins.T @ (vectors.T @ likely)) / np.repeat(each, [1, *layout])
    pull = joins.T @ (features.T @ (likely * (1 - likely) * (vectors @ (joins @ left))))
    of_length = (joins.T @ features.sum(axis=0))[-layout.lengths :]
    base = np.log(max(secret.sums[0] / GRID, 5.0) / max(float(of_length @ np.exp(public.offsets)), 1e-9))
    prior = np.concatenate([[base], np.zeros(layout.items + layout.cells), public.offsets])
    gradient = pull - (secret.weights - prior) / secret.spread**2
    return float(((gradient * secret.spread) ** 2).sum())


def design(release: ModelRelease, data: Baskets, cell: Ids) -> scipy.sparse.csr_array:
    """Return what each row of data, with the items of the release and in these cells, adds to total, items, cells and
    lengths.
    """
    length = np.searchsorted(LENGTHS, data.lengths(), side="right") - 1
    cells, lengths = _one_hot(cell, release.joined.shape[1]), _one_hot(length, len(release.public().offsets))
    parts = [_one_hot(np.zeros(data.n, np.int64), 1), item_shares(release, data), cells, lengths]
    return scipy.sparse.csr_array(scipy.sparse.hstack(parts, "csr"))


def fold(release: ModelRelease, level: int) -> scipy.sparse.csr_array:
    """Return 1 where an entry of the design belongs to a sum on a level."""
    layout = release.public().layout(level)
    items = scipy.sparse.eye_array(len(release.public().frequent), layout.items)
    cells = _one_hot(release.joined[level], layout.cells)
    parts = [scipy.sparse.eye_array(1), items, cells, scipy.sparse.eye_array(layout.lengths)]
    return scipy.sparse.csr_array(scipy.sparse.block_diag(parts, "csr"))


def _one_hot(place: Ints | Ids, size: int) -> scipy.sparse.csr_array:
    n = len(place)
    return scipy.sparse.csr_array((np.ones(n), place, np.arange(n + 1)), shape=(n, size))


def compare(release: ModelRelease, data: Baskets | Records, taxonomy: Any = None) -> list[Check]:
    """Check `release` against the original: the same transactions, and sums that differ by noise of stated scales."""
    columns = [same_columns(release, data)] if isinstance(data, Records) else []
    if not all(check.passed for check in columns):
        return columns
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
    checks += columns if unit is None else [unit, *columns]
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
    every_row = release.measured is None or bool(release.measured.all())
    if release.promise.cap is not None or not every_row:
        return Check.ok(name, "not compared: which transactions and items count was drawn when it was made")
    own = residuals(release, public, secret)
    low, high = scipy.special.gammaincinv(len(own), np.array([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])) / len(own)
    mean = float(own.mean())
    detail = (
        f"{mean:.3f} times the scale on average over {counted(len(own), 'sum')}, from {low:.3f} to {high:.3f} allowed"
    )
    return Check(name=name, passed=bool(low <= mean <= high), detail=f"{detail}; false alarm rate {FALSE_ALARM:.0e}")


def residuals(release: ModelRelease, public: Baskets, secret: Baskets) -> Floats:
    """Return by how much the sums of all sensitive items differ from the true ones, in units of their scales."""
    labels, held, found = list(secret.items), secret.to_scipy().tocsc(), []
    vectors = design(release, public, cells_by_scores(release, public))
    for label, one in zip(release.sensitive_items, release.secrets, strict=True):
        holders = held[:, [labels.index(label)]].indices if label in labels else np.empty(0, np.int64)
        true = vectors[holders].sum(axis=0) @ fold(release, one.level) * GRID
        scales = np.repeat(release.scales(one), [1, *release.public().layout(one.level)])
        found.append(np.abs(one.sums - true) / scales)
    return np.concatenate(found)
