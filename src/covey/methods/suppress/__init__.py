"""Suppress: make ratings keep (k, epsilon, l) by leaving out ratings and, last, records.

Sun et al. 2010 decides whether data keeps the guarantee and stops there; this is covey's own next step, kept simple.
Records that already are in good groups stay as they are. The others are divided top down: a cluster is split by
the issue and window of ratings (epsilon wide) that lets most of its members keep a rating, as long as both parts
have k members. In the end everybody in a cluster rates the same issues within epsilon, so all are proximate.
Where sensitive ratings then spread too little, splits are undone. Records go only where no suppression helps, or where
few of them may be left out and that keeps more ratings.

`tree.py` has the kernels. Oracle: `tests/oracles/ratings.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Codes, Ids, Ints, Mask, offsets_of
from covey.data import Ratings
from covey.data.equal_rows import equal_rows
from covey.errors import Infeasible
from covey.guarantees.k_eps_l import KEpsL
from covey.methods.base import Kept, LeavesOutRatings
from covey.methods.suppress.tree import Demands, exposed, grow_tree, keep_ancestors, lowest_variance
from covey.parameters import parameter
from covey.progress import Progress

#: What rounding may take from a variance that is exactly as large as it must be. A checker must allow for more.
ROUNDING = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppress(LeavesOutRatings):
    """Leave out as few ratings as a greedy search finds, so that every record has its group.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> survey = Ratings.of([[1, 6], [2, 5], [6, None]], issues=["a", "b"], scale="1:6")
    >>> release = Suppress(seed=0).anonymize(survey, guarantee("k-eps-l(k=3, epsilon=1)"))
    >>> release.counts()["ratings"], release.counts()["suppressed_ratings"]
    (0, 5)
    """

    name = "suppress"

    rounds: int = parameter(
        8,
        at_least=1,
        expert=True,
        says="Rounds that cluster only the exposed records, more of them each time, before other ways are taken.",
        cut_short="After the last round some records were still exposed; more rounds may keep more ratings.",
    )
    tries: int = parameter(
        512,
        at_least=1,
        expert=True,
        says="How many ways to split a cluster are tried if the sensitive ratings of a part spread too little.",
        cut_short="Some clusters were left whole before all ways to split them were tried; more tries may keep more "
        "ratings.",
    )

    leave_out: int = parameter(
        0,
        at_least=0,
        says="At most this many respondents are left out altogether, if that keeps more ratings than hiding them.",
    )

    def keep(self, data: Ratings, promise: KEpsL, progress: Progress) -> Kept:
        """Everybody who can be given a group, with the ratings that do not keep them out of it."""
        demands, everyone = demands_of(data, promise), np.arange(data.n)
        rows = drop_records(data, demands) if demands.issues else everyone
        if demands.issues and not len(rows):
            best = float(np.sqrt(lowest_variance(everyone, demands))) * data.scale.step
            shown = np.floor(best * 1e4) / 1e4
            raise Infeasible(
                f"{promise.text} cannot be kept: even with all other ratings suppressed, and with records "
                "left out, the sensitive ratings do not spread that far. "
                f"Without leaving out records, l = {shown:g} can be kept.",
                witness=", ".join(data.sensitive_issues()),
                best=best,
            )
        kept = data.take(rows)
        search = _Search(kept, demands_of(kept, promise), self, progress)
        mask = search.run()
        gone = search.apart
        if gone is not None and gone.sum() <= self.leave_out and kept.lengths()[gone].sum() < np.count_nonzero(~mask):
            rows, kept = rows[~gone], kept.take(np.flatnonzero(~gone))
            mask = np.ones(kept.entries, np.bool_)
        keep = np.zeros(data.entries, np.bool_)
        place = np.repeat(data.indptr[rows] - kept.indptr[:-1], kept.lengths()) + np.arange(kept.entries)
        keep[place] = mask
        return Kept(rows, keep, tuple(sorted(search.notes)))


def demands_of(data: Ratings, promise: KEpsL) -> Demands:
    """The guarantee in steps of the scale, with the data's sensitive part."""
    secret = data.only(data.sensitive if promise.l is not None else np.zeros(data.d, np.bool_))
    return Demands(
        k=promise.k,
        epsilon=data.scale.steps(promise.epsilon),
        secret=(secret.indptr, secret.indices, secret.codes),
        issues=secret.d,
        zero=promise.nulls == "zero",
        least=0.0 if promise.l is None else (promise.l / data.scale.step) ** 2 * (1 - ROUNDING),
    )


class _Search:
    """The search for ratings to keep; `notes` names the options that cut it short, `apart` whom it set apart."""

    def __init__(self, data: Ratings, demands: Demands, options: Suppress, progress: Progress) -> None:
        self.data, self.demands, self.options, self.progress = data, demands, options, progress
        self.public = data.only(~data.sensitive)
        self.apart: Mask | None = None
        self.notes: set[str] = set()

    def run(self) -> Mask:
        """Which of the data's ratings can be kept."""
        keep = np.ones(self.data.entries, np.bool_)
        if self.demands.epsilon < self.data.scale.levels:  # or else everybody is near everybody
            keep[~self.data.sensitive[self.data.indices]] = self._public_ratings()
        return keep

    def _public_ratings(self) -> Mask:
        """The public ratings kept by the better of two ways to hide the exposed, or by clustering all."""
        bad = self._exposed(self._all())
        if not bad.any():
            return self._all()
        kept, rounds = self._round_by_round(bad)
        if kept is None or rounds > 1 or self.options.leave_out:
            self.apart = self._set_apart(bad)
            other = None if self.apart is None else self._hide_apart(self.apart)
            kept = max((one for one in (kept, other) if one is not None), key=np.count_nonzero, default=None)
        if kept is None:
            kept = self._all()
            self._hide(np.ones(self.data.n, np.bool_), kept)
        return kept

    def _round_by_round(self, bad: Mask) -> tuple[Mask | None, int]:
        """Hide the exposed, then also those whom that exposed, and so on, while most are untouched.

        Also returns the number of rounds.
        """
        touched, rounds = np.zeros(self.data.n, np.bool_), self.options.rounds
        for done in range(rounds + 1):
            self.progress("suppressing", done / (rounds + 1))
            touched |= bad
            if 2 * int(touched.sum()) > self.data.n:
                return None, done
            if done == rounds:
                self.notes.add("rounds")
                return None, done
            touched = self._enough(touched)
            if self._too_alike(touched):
                return None, done + 1
            kept = self._all()
            if self._hide(touched, kept):
                return kept, done + 1
            bad = self._exposed(kept)
        return None, rounds

    def _set_apart(self, bad: Mask) -> Mask | None:
        """The exposed, those who would be exposed without them, and so on; None when these are most.

        Nobody else needs them, so whatever is done to them exposes nobody.
        """
        apart = bad.copy()
        while bad.any():
            if 2 * int(apart.sum()) > self.data.n:
                return None
            bad = self._exposed(np.repeat(~apart, self.public.lengths())) & ~apart
            apart |= bad
        return apart

    def _hide_apart(self, apart: Mask) -> Mask | None:
        """Hide those who were set apart among themselves, in one round."""
        chosen: Mask | None = apart
        while chosen is not None:
            filled = self._enough(chosen)
            if filled is chosen:
                break
            chosen = self._set_apart(filled)
        if chosen is None or self._too_alike(chosen):
            return None
        kept = self._all()
        return kept if self._hide(chosen, kept) else None

    def _enough(self, chosen: Mask) -> Mask:
        """The `chosen`; where they are too few to hide among themselves, with those who have least to lose."""
        short = self.demands.k - int(chosen.sum())
        if short <= 0:
            return chosen
        free, filled = np.flatnonzero(~chosen), chosen.copy()
        filled[free[np.argsort(self.public.lengths()[free], kind="stable")[:short]]] = True
        return filled

    def _too_alike(self, chosen: Mask) -> bool:
        """Whether the sensitive ratings of the `chosen` spread too little, even as one group."""
        demands = self.demands
        return demands.issues > 0 and lowest_variance(np.flatnonzero(chosen), demands) < demands.least

    def _all(self) -> Mask:
        return np.ones(self.public.entries, np.bool_)

    def _hide(self, inside: Mask, kept: Mask) -> bool:
        """Cluster the respondents `inside`, changing `kept`; True when nobody is exposed afterwards.

        With everybody inside it always succeeds: undoing all splits leaves one group of all.
        """
        public, rows = self.public, _arrays(self.public)
        kept[np.repeat(inside, public.lengths())] = False
        # By number of ratings: who has least to lose is the first to fill up a part that is too small.
        chosen = np.flatnonzero(inside)
        order = chosen[np.argsort(public.lengths()[chosen], kind="stable")]
        tree, cut_short = grow_tree(rows, kept, order, public.d, public.scale.levels, self.demands, self.options.tries)
        if cut_short:
            self.notes.add("tries")
        first, end, parent, issue = tree
        cluster = np.empty(len(order), np.int64)
        for node in np.setdiff1d(np.arange(len(parent)), parent):
            cluster[first[node] : end[node]] = node
        while True:
            keep_ancestors(rows, kept, order, cluster, parent, issue, public.d)
            bad = self._exposed(kept)
            if not bad.any():
                return True
            if bool((bad & ~inside).any()):
                return False
            undo = np.unique(parent[cluster[bad[order]]])
            if len(undo) and undo[0] < 0:
                if len(undo) == 1:
                    return False
                undo = undo[1:]
            for node in undo[::-1]:
                cluster[first[node] : end[node]] = node

    def _exposed(self, kept: Mask) -> Mask:
        """Which records break the guarantee when only `kept` is published."""
        published, demands = self.public.keep(kept), self.demands
        # Only records that rate the same issues can be near each other.
        number, sizes, _ = equal_rows(published.indptr, published.indices, published.d, seed=0)
        order = np.argsort(number, kind="stable")
        return exposed(_arrays(published), order, offsets_of(sizes), published.scale.levels, demands)


def _arrays(data: Ratings) -> tuple[Ints, Ids, Codes]:
    return data.indptr, data.indices, data.codes


def drop_records(data: Ratings, demands: Demands) -> Ints:
    """The respondents to stay, as many as are found; none when fewer than k would stay.

    Every sensitive issue must have the least variance over all that stay. While one varies too little, those whose
    rating of it lowers the variance most are left out, those with the fewest ratings first.
    """
    columns = [_column(data, int(issue)) for issue in np.flatnonzero(data.sensitive)]
    stay = np.ones(data.n, np.bool_)
    while True:
        counts = [np.bincount(column[stay]) for column in columns]
        variances = [_variance(count, demands.zero) for count in counts]
        worst = int(np.argmin(variances))
        if variances[worst] >= demands.least:
            return np.flatnonzero(stay)
        code, amount = _removal(counts[worst], demands)
        amount = min(amount, int(stay.sum()) - max(demands.k, 1))
        if amount <= 0:
            return np.empty(0, np.int64)
        candidates = np.flatnonzero(stay & (columns[worst] == code))
        stay[candidates[np.argsort(data.lengths()[candidates], kind="stable")[:amount]]] = False


def _column(data: Ratings, issue: int) -> Ints:
    """The rating of each record in steps, 0 where there is none."""
    column = np.zeros(data.n, np.int64)
    held = data.indices == issue
    column[np.repeat(np.arange(data.n), data.lengths())[held]] = data.codes[held]
    return column


def _variance(counts: Ints, zero: bool) -> float:
    """The variance (docs/papers.md, Sun et al. 2010) of a histogram over no rating, 1, 2, ..."""
    codes = np.arange(len(counts), dtype=np.float64)
    rated = counts[1:].sum()
    if rated == 0:
        return 0.0
    mean = float((counts * codes).sum() / rated)
    around = float((counts[1:] * (codes[1:] - mean) ** 2).sum())
    if zero:
        return (around + float(counts[0]) * mean**2) / float(counts.sum())
    return around / float(rated)


def _removal(counts: Ints, demands: Demands) -> tuple[int, int]:
    """The code whose removal raises the variance most, and how many to remove before looking again."""
    now = _variance(counts, demands.zero)
    best, gain = -1, 0.0
    for code in np.flatnonzero(counts):
        fewer = counts.copy()
        fewer[code] -= 1
        raised = _variance(fewer, demands.zero) - now
        if raised > gain:
            best, gain = int(code), raised
    if best < 0:
        return 0, 0
    # A tenth of what one record's gain suggests: gains grow as records go, so this does not overshoot much.
    return best, int(np.clip((demands.least - now) / gain / 10, 1, counts[best]))
