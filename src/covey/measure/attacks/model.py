"""Attacks on a release of a model: by someone who knows half of the truth, or everything but one transaction.

Each attacker begins with what the ordinary items say without the release (the baseline: cross-fitted logistic
regression), adds what the noisy sums say, and names as many transactions as hold the item.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from covey.arrays import Floats, Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.data.propensity import fit_propensity
from covey.errors import ParameterError
from covey.measure.attacks.result import AttackResult, compared
from covey.measure.boosting import BINS, bin_columns, grow_trees, judge_rows
from covey.measure.model import parts
from covey.release.model import ModelRelease, Secret, public_part, scales, seen_by
from covey.release.model_sums import GRID, Rows, exact_sums, moments
from covey.verify.label_dp import cells_by_scores

#: Trees, questions per tree, how much each tree is shrunk, and the penalty of a leaf's square.
TREES, DEPTH, RATE, RIDGE = 30, 4, 0.15, 1.0


class ModelStudy:
    """A release of a model and its original, with what several attacks need worked out once."""

    def __init__(self, release: ModelRelease, original: Baskets, seed: int = 0) -> None:
        if release.measured is not None:
            raise ParameterError(
                "There are no attacks yet on models of persons: which of a person's transactions count in the sums is "
                "not published, and is not known here."
            )
        self.release, self.seed = release, seed
        self.public, self.secret = parts(release, original)
        cell = cells_by_scores(release, self.public)
        self.rows = public_part(self.public, cell, None, release.frequent).rows
        self.halves = np.random.default_rng([seed, 11]).permutation(self.public.n) % 2 == 0

    @cached_property
    def log_odds(self) -> Floats:
        """What ordinary items say of who holds each item: transactions x sensitive items."""
        models = fit_propensity(self.public, self.secret, seed=[self.seed, 2])
        return models.of(np.arange(self.public.n))

    @cached_property
    def baseline(self) -> float:
        """The share of holders that are among the likeliest by their ordinary items alone."""
        everyone = np.ones(self.public.n, np.bool_)
        return self.share(sum(hits(self.log_odds[:, s], held, everyone) for s, held, _ in self.each()))

    def share(self, right: float) -> float:
        """Return a number of right guesses as a share of all occurrences."""
        return right / max(self.secret.entries, 1)

    def each(self) -> Iterator[tuple[int, Mask, Secret]]:
        """Yield the number of each sensitive item, who holds it, and its model."""
        row = self.secret.row_of_entries()
        for s, one in enumerate(self.release.secrets):
            held = np.zeros(self.public.n, np.bool_)
            held[row[self.secret.indices == s]] = True
            yield s, held, one

    def seen(self, one: Secret) -> Rows:
        """Return the original's transactions as the model of a sensitive item sees them."""
        return seen_by(one, self.rows, self.release.joined)

    def result(self, attack: str, right: float, does: str, details: dict[str, Any] | None = None) -> AttackResult:
        """Return what an attack achieves."""
        number, rate = self.secret.entries, self.share(right)
        told = f"{does} Right for {{right}} of {counted(number, 'occurrence')} of sensitive items. "
        return AttackResult.of(
            attack,
            rate,
            claim=None,
            chance=self.share(float((self.secret.supports() ** 2).sum()) / max(self.public.n, 1)),
            baseline=self.baseline,
            targets=number,
            explanation=told + compared(rate, None, self.baseline),
            details=details or {},
        )


def hits(score: Floats, held: Mask, among: Mask) -> float:
    """Return how many holders are among the likeliest rows, as many as hold the item; ties count by their share.

    Examples
    --------
    >>> hits(np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, True, False, False]), np.ones(4, np.bool_))
    1.5
    """
    score, held = score[among], held[among]
    guesses = int(held.sum())
    if not guesses:
        return 0.0
    last = np.partition(score, len(score) - guesses)[len(score) - guesses]
    above, tied = score > last, score == last
    return float(held[above].sum() + held[tied].sum() * (guesses - above.sum()) / tied.sum())


def half_known(
    release: ModelRelease, original: Baskets, *, seed: int = 0, study: ModelStudy | None = None
) -> AttackResult:
    """Know who holds what in half of the transactions, take them out of the sums, and guess the others."""
    study = study or ModelStudy(release, original, seed)
    right = 0.0
    for s, held, one in study.each():
        for known in (study.halves, ~study.halves):
            right += hits(study.log_odds[:, s] + _told_by_rest(study, s, held, one, known), held, ~known)
    does = (
        "Knows who holds what in half of the transactions, and learns about the others from what is left of the sums."
    )
    return study.result("half known", right, does)


def _told_by_rest(study: ModelStudy, s: int, held: Mask, one: Secret, known: Mask) -> Floats:
    """Return how the log odds change to first order by what is left of the sums without those who are known."""
    seen, layout, likely = study.seen(one), one.layout, expit(study.log_odds[:, s])
    rest = seen.some(np.flatnonzero(~known))
    expected, covariance = moments(rest, layout, likely[~known], weighted=True)
    variance = layout.of_parts(tuple(2 * (scale / GRID) ** 2 + 1e-9 for scale in scales(study.release, one)))
    left = (one.sums - exact_sums(seen.some(np.flatnonzero(held & known)), layout)) / GRID - expected
    pull = np.linalg.solve(covariance + np.diag(variance), left)
    return _along(seen, one, pull)


def _along(seen: Rows, one: Secret, pull: Floats) -> Floats:
    """Return the product of each row's public vector with a vector of all sums."""
    items, cells, _ = one.layout
    each = np.diff(seen.indptr)
    row = np.repeat(np.arange(len(seen.cell)), each)
    of_items = np.bincount(row, pull[1 + seen.items], len(seen.cell)) * seen.weight / GRID
    found: Floats = pull[0] + of_items + pull[1 + items + seen.cell] + pull[1 + items + cells + seen.length]
    return found


def all_others_known(
    release: ModelRelease, original: Baskets, *, seed: int = 0, study: ModelStudy | None = None
) -> AttackResult:
    """Know everything but one transaction's items, for each transaction in turn: the exact likelihood ratio."""
    study = study or ModelStudy(release, original, seed)
    right, largest = 0.0, 0.0
    everyone = np.ones(study.public.n, np.bool_)
    for s, held, one in study.each():
        ratio = log_ratios(study, held, one)
        largest = max(largest, float(np.abs(ratio).max(initial=0)))
        right += hits(study.log_odds[:, s] + ratio, held, everyone)
    epsilon = release.promise.epsilon
    does = (
        "Knows the sensitive items of all other transactions, for each in turn, and weighs both cases by their "
        f"exact likelihood: the largest log ratio is {largest:.3f}, and the guarantee allows {epsilon:g}."
    )
    return study.result("all others known", right, does, {"largest_log_ratio": largest, "epsilon": epsilon})


def log_ratios(study: ModelStudy, held: Mask, one: Secret) -> Floats:
    """Return for each row the log of how much likelier the sums are if it holds the item, given all others."""
    seen, layout = study.seen(one), one.layout
    noise = one.sums - exact_sums(seen.some(np.flatnonzero(held)), layout)
    scale = layout.of_parts(tuple(float(scale or 1) for scale in scales(study.release, one)))
    n, each = len(seen.cell), np.diff(seen.indptr)
    row = np.arange(n)
    at_cell, at_length = 1 + layout.items + seen.cell, 1 + layout.items + layout.cells + seen.length
    unit = np.full(n, GRID)
    ratio = np.zeros(n)
    terms: list[tuple[Ints, Ints | Ids, Ints]] = [(row, np.zeros(n, np.int64), unit), (row, at_cell, unit)]
    terms += [(row, at_length, unit), (np.repeat(row, each), 1 + seen.items, np.repeat(seen.weight, each))]
    for of, at, change in terms:
        with_it = noise[at] + np.where(held[of], change, 0)  # what is left if the others are taken out
        ratio += np.bincount(of, (np.abs(with_it) - np.abs(with_it - change)) / scale[at], n)
    return ratio


def grey(release: ModelRelease, original: Baskets, *, seed: int = 0, study: ModelStudy | None = None) -> AttackResult:
    """Learn from half of the truth what betrays holders in this release, and use it on the other half."""
    study = study or ModelStudy(release, original, seed)
    lengths, right = study.public.lengths().astype(np.float64), 0.0
    for s, held, one in study.each():
        score = np.zeros(study.public.n)
        for known in (study.halves, ~study.halves):
            told = study.log_odds[:, s] + _told_by_rest(study, s, held, one, known)
            columns = [study.log_odds[:, s], told, release.chances(s, study.rows), lengths]
            codes = np.stack([bin_columns(c[None], _edges(c))[:, 0] for c in columns], axis=1)
            if 0 < held[known].sum() < known.sum():
                truth = held[known].astype(np.float64)
                score[~known] = judge_rows(codes[~known], *grow_trees(codes[known], truth, TREES, DEPTH, RATE, RIDGE))
            right += hits(score, held, ~known)
    does = (
        "Knows who holds what in half of the transactions, learns with gradient boosting what the release betrays, and "
    )
    return study.result("grey", right, does + "guesses the other half.")


def _edges(column: Floats) -> Floats:
    """Return where the bins of a feature end: at its quantiles."""
    ordered = np.sort(column)
    return ordered[None, np.linspace(0, len(ordered) - 1, BINS + 1).astype(np.int64)[1:-1]]
