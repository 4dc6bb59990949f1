"""Attacks on a release of a model: by someone who knows half of the truth, or everything but one target's items.

A target is a transaction or, where persons are protected, a person with all transactions. Each attacker begins with
what the ordinary items say without the release (the baseline: cross-fitted logistic regression), adds what the noisy
sums say, and names as many targets as have the item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import expit

from covey.arrays import Floats, Mask
from covey.counting import counted
from covey.data import Baskets, Records
from covey.data.propensity import fit_propensity
from covey.measure.attacks.result import AttackResult, compared
from covey.measure.boosting import BINS, bin_columns, grow_trees, judge_rows
from covey.measure.model import parts
from covey.release.model import ModelRelease, Secret
from covey.release.model_sums import GRID, Rows, public_part
from covey.release.trace import require_trace
from covey.verify.label_dp import cells_by_scores

#: Trees, questions per tree, how much each tree is shrunk, and the penalty of a leaf's square.
TREES, DEPTH, RATE, RIDGE = 30, 4, 0.15, 1.0


class Known(NamedTuple):
    """What the attackers know about one sensitive item."""

    number: int
    model: Secret
    #: What the original's transactions add to its sums, and the noise scale of each sum.
    seen: Rows
    scales: Floats
    #: Which transactions hold it, and which targets have it.
    rows: Mask
    held: Mask


class ModelStudy:
    """A release of a model and its original, with what several attacks need worked out once.

    Where persons are protected, the trace of the release says which of their transactions count in the sums.
    """

    def __init__(self, release: ModelRelease, original: Baskets | Records, seed: int = 0) -> None:
        public, secret = parts(release, original)
        n = public.n
        self.release = release
        self.measured, home = np.ones(n, np.bool_), np.arange(n, dtype=np.int32)
        person = original.as_baskets().person
        if release.measured is not None and person is not None:
            if not release.measured.all():
                self.measured[require_trace(release).rows] = release.measured
            home = person
        self.home, self.row_secret = home, secret
        self.public, self.secret = (replace(one, person=home).by_person() for one in (public, secret))
        self.n = self.public.n
        cell = cells_by_scores(release, public)
        self.vectors = public_part(public, cell, release.joined, None, release.frequent)
        self.log_odds = fit_propensity(self.public, self.secret, seed=[seed, 2]).of(np.arange(self.n))
        self.halves = np.random.default_rng([seed, 11]).permutation(self.n) % 2 == 0
        everyone = np.ones(self.n, np.bool_)
        self.baseline = self.share(sum(hits(self.log_odds[:, one.number], one.held, everyone) for one in self.each()))

    def share(self, right: float) -> float:
        """Return a number of right guesses as a share of all occurrences."""
        return right / max(self.secret.entries, 1)

    def each(self) -> Iterator[Known]:
        """Yield what is known about each sensitive item."""
        row, target = self.row_secret.row_of_entries(), self.secret.row_of_entries()
        for s, model in enumerate(self.release.secrets):
            rows, held = np.zeros(len(self.home), np.bool_), np.zeros(self.n, np.bool_)
            rows[row[self.row_secret.indices == s]] = True
            held[target[self.secret.indices == s]] = True
            scales = self.vectors.layout(model.level).of_parts(self.release.scales(model))
            yield Known(s, model, self.vectors.at(model.level), scales, rows, held)

    def guessed(self, score: Callable[[Known, Mask], Floats]) -> float:
        """Return how many guesses are right if one half of the targets is known, and then the other."""
        halves = (self.halves, ~self.halves)
        return sum(hits(score(one, known), one.held, ~known) for one in self.each() for known in halves)

    def told_by_rest(self, one: Known, known: Mask) -> Floats:
        """Return the log odds of targets, changed to first order by what the sums hold besides those who are known.

        A person's are changed by the mean over the transactions that count.
        """
        of_known = known[self.home]
        rest = np.flatnonzero(~of_known & self.measured)
        likely = (expit(self.log_odds[:, one.number]) / np.bincount(self.home))[self.home[rest]]
        others = one.seen.some(rest)
        covariance = others.products(likely * (1 - likely), weighted=True) + np.diag(
            2 * (one.scales / GRID) ** 2 + 1e-9
        )
        taken = one.seen.some(np.flatnonzero(one.rows & of_known & self.measured))
        left = (one.model.sums - taken.exact_sums()) / GRID - others.down(likely, weighted=True)
        pull = self.changes(one) @ np.linalg.solve(covariance, left) / GRID
        each = np.maximum(np.bincount(self.home, self.measured, self.n), 1)
        changed: Floats = self.log_odds[:, one.number] + pull / each
        return changed

    def changes(self, one: Known, among: Mask | None = None) -> scipy.sparse.csr_array:
        """Return targets x sums: what the transactions `among` theirs that count add to the sums, `GRID` being 1.

        Entries of 0 are stored, so that the result has the same places whatever `among` is.
        """
        seen, row = one.seen, np.repeat(np.arange(one.seen.n), np.diff(one.seen.indptr))
        counts = self.measured if among is None else self.measured & among
        kept = seen.place < seen.size
        entries = (seen.share * counts[row])[kept], (self.home[row][kept], seen.place[kept])
        return scipy.sparse.coo_array(entries, shape=(self.n, seen.size)).tocsr()

    def result(self, attack: str, right: float, does: str, details: dict[str, Any] | None = None) -> AttackResult:
        """Return what an attack achieves."""
        number, rate = self.secret.entries, self.share(right)
        told = f"{does} Right for {{right}} of {counted(number, 'occurrence')} of sensitive items. "
        return AttackResult.of(
            attack,
            rate,
            claim=None,
            chance=self.share(float((self.secret.supports() ** 2).sum()) / max(self.n, 1)),
            baseline=self.baseline,
            targets=number,
            explanation=told + compared(rate, None, self.baseline),
            details=details or {},
        )


def hits(score: Floats, held: Mask, among: Mask) -> float:
    """Return how many holders are among the likeliest targets, as many as have the item; ties count by their share.

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


def half_known(study: ModelStudy) -> AttackResult:
    """Know who has what among half of the targets, take them out of the sums, and guess the others."""
    does = "Knows who has what among half of the targets, and learns about the others from what is left of the sums."
    return study.result("half known", study.guessed(study.told_by_rest), does)


def all_others_known(study: ModelStudy) -> AttackResult:
    """Know everything but one target's sensitive items, for each target in turn: the exact likelihood ratio."""
    right, largest = 0.0, 0.0
    everyone = np.ones(study.n, np.bool_)
    for one in study.each():
        ratio = log_ratios(study, one)
        largest = max(largest, float(np.abs(ratio).max(initial=0)))
        right += hits(study.log_odds[:, one.number] + ratio, one.held, everyone)
    epsilon = study.release.promise.epsilon
    does = (
        "Knows the sensitive items of all others, for each target in turn, and weighs both cases by their exact "
        f"likelihood: the largest log ratio is {largest:.3f}, and the guarantee allows {epsilon:g}."
    )
    return study.result("all others known", right, does, {"largest_log_ratio": largest, "epsilon": epsilon})


def log_ratios(study: ModelStudy, one: Known) -> Floats:
    """Return for each target the log of how much likelier the sums are with the item than without, given all others.

    With the item means in all transactions of the target.
    """
    all_rows, true = study.changes(one), study.changes(one, one.rows)
    noise = one.model.sums - one.seen.some(np.flatnonzero(one.rows & study.measured)).exact_sums()
    scale = np.maximum(one.scales, 1)
    left = noise[all_rows.indices] + true.data  # what is left if the others are taken out
    gain = (np.abs(left) - np.abs(left - all_rows.data)) / scale[all_rows.indices]
    return np.bincount(np.repeat(np.arange(study.n), np.diff(all_rows.indptr)), gain, study.n)


def grey(study: ModelStudy) -> AttackResult:
    """Learn from half of the truth what betrays holders in this release, and use it on the other half."""
    lengths = study.public.lengths().astype(np.float64)

    def score(one: Known, known: Mask) -> Floats:
        likeliest = np.zeros(study.n)
        np.maximum.at(likeliest, study.home, study.release.chances(one.number, study.vectors.rows))
        columns = [study.log_odds[:, one.number], study.told_by_rest(one, known), likeliest, lengths]
        codes = np.stack([bin_columns(c[None], _edges(c))[:, 0] for c in columns], axis=1)
        found = np.zeros(study.n)
        if 0 < one.held[known].sum() < known.sum():
            truth = one.held[known].astype(np.float64)
            found[~known] = judge_rows(codes[~known], *grow_trees(codes[known], truth, TREES, DEPTH, RATE, RIDGE))
        return found

    does = "Knows who has what among half of the targets, learns with gradient boosting what the release betrays, and "
    return study.result("grey", study.guessed(score), does + "guesses the other half.")


def _edges(column: Floats) -> Floats:
    """Return where the bins of a feature end: at its quantiles."""
    ordered = np.sort(column)
    return ordered[None, np.linspace(0, len(ordered) - 1, BINS + 1).astype(np.int64)[1:-1]]
