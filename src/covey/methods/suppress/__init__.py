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
from itertools import combinations

import numpy as np

from covey.arrays import Ints, Mask, offsets_of
from covey.data import Ratings
from covey.errors import Infeasible
from covey.guarantees.k_eps_l import KEpsL
from covey.methods.base import Kept, LeavesOutRatings
from covey.methods.suppress.tree import exposed, exposed_in_run, grow_tree, keep_ancestors, least_spread, within
from covey.parameters import parameter
from covey.progress import Progress

#: From this length on, runs of records with the same issues are searched 64 records at a time ...
LONG = 128
#: ... if a bit per record, issue and rating takes at most 512 MiB.
MOST_BITS = 1 << 32
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
        wanted = _Wanted(data, promise)
        rows = np.arange(data.n)
        if wanted.issues:
            rows = drop_records(data, promise.k, wanted.least, wanted.zero)
            if not len(rows):
                best = float(np.sqrt(wanted.lowest(np.arange(data.n)))) * data.scale.step
                shown = np.floor(best * 1e4) / 1e4
                raise Infeasible(
                    f"{promise.text} cannot be kept: even with all other ratings suppressed, and with records "
                    "left out, the sensitive ratings do not spread that far. "
                    f"Without leaving out records, l = {shown:g} can be kept.",
                    witness=", ".join(data.sensitive_issues()),
                    best=best,
                )
        kept = data.take(rows)
        work = _Work(kept, _Wanted(kept, promise), self, progress)
        mask = work.run()
        gone = work.apart
        if gone is not None and gone.sum() <= self.leave_out and kept.lengths()[gone].sum() < np.count_nonzero(~mask):
            rows, kept = rows[~gone], kept.take(np.flatnonzero(~gone))
            mask = np.ones(kept.entries, np.bool_)
        keep = np.zeros(data.entries, np.bool_)
        place = np.repeat(data.indptr[rows] - kept.indptr[:-1], kept.lengths()) + np.arange(kept.entries)
        keep[place] = mask
        return Kept(rows, keep, tuple(sorted(work.notes)))


class _Wanted:
    """The guarantee in steps of the scale, with the data's sensitive part."""

    def __init__(self, data: Ratings, promise: KEpsL) -> None:
        self.k = promise.k
        self.epsilon = data.scale.steps(promise.epsilon)
        self.everybody = self.epsilon >= data.scale.levels
        self.zero = promise.nulls == "zero"
        self.least = 0.0 if promise.l is None else (promise.l / data.scale.step) ** 2 * (1 - ROUNDING)
        secret = data.only(data.sensitive if promise.l is not None else np.zeros(data.d, np.bool_))
        self.issues = secret.d
        self.secret = secret.indptr, secret.indices, secret.codes

    def lowest(self, members: Ints) -> float:
        """The lowest variance of a sensitive issue among `members`."""
        return least_spread(members, self.secret, self.issues, self.zero)


class _Work:
    """The ratings still kept, and the rounds that take away more of them; `notes` names what cut these short."""

    def __init__(self, data: Ratings, wanted: _Wanted, asked: Suppress, progress: Progress) -> None:
        self.data, self.wanted, self.progress = data, wanted, progress
        self.rounds, self.tries, self.leave_out = asked.rounds, asked.tries, asked.leave_out
        self.rounds_taken = 0
        self.apart: Mask | None = None
        self.notes: set[str] = set()
        self.public = data.only(~data.sensitive)
        self.rows = self.public.indptr, self.public.indices, self.public.codes

    def run(self) -> Mask:
        """Which of the data's ratings can be kept."""
        data = self.data
        keep = np.ones(data.entries, np.bool_)
        if self.wanted.everybody:
            return keep
        open_part = ~data.sensitive[data.indices]
        keep[open_part] = self._hidden()
        return keep

    def _hidden(self) -> Mask:
        """The public ratings kept by the better of two ways to hide the exposed, or by clustering all."""
        bad = self._exposed(self._all())
        if not bad.any():
            return self._all()
        kept = self._round_by_round(bad)
        if kept is None or self.rounds_taken > 1 or self.leave_out:
            self.apart = self._set_apart(bad)
            other = None if self.apart is None else self._hide_apart(self.apart)
            kept = max((one for one in (kept, other) if one is not None), key=np.count_nonzero, default=None)
        if kept is None:
            kept = self._all()
            self._hide(np.arange(self.data.n), kept)
        return kept

    def _round_by_round(self, bad: Mask) -> Mask | None:
        """Hide the exposed, then also those whom that exposed, and so on, while most are untouched."""
        touched = np.zeros(self.data.n, np.bool_)
        for attempt in range(self.rounds + 1):
            self.progress("suppressing", attempt / (self.rounds + 1))
            touched |= bad
            if 2 * int(touched.sum()) > self.data.n:
                return None
            if attempt == self.rounds:
                self.notes.add("rounds")
                return None
            touched = self._enough(touched)
            kept = self._all()
            self.rounds_taken = attempt + 1
            if self._too_alike(touched):
                return None
            if self._hide(np.flatnonzero(touched), kept):
                return kept
            bad = self._exposed(kept)
        return None

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
        return kept if self._hide(np.flatnonzero(chosen), kept) else None

    def _enough(self, chosen: Mask) -> Mask:
        """The `chosen`; where they are too few to hide among themselves, with those who have least to lose."""
        short = self.wanted.k - int(chosen.sum())
        if short <= 0:
            return chosen
        free = np.flatnonzero(~chosen)
        return chosen | _marked(free[np.argsort(self.public.lengths()[free], kind="stable")[:short]], self.data.n)

    def _too_alike(self, chosen: Mask) -> bool:
        """Whether the sensitive ratings of the `chosen` spread too little, even as one group."""
        return bool(self.wanted.issues) and self.wanted.lowest(np.flatnonzero(chosen)) < self.wanted.least

    def _all(self) -> Mask:
        return np.ones(self.public.entries, np.bool_)

    def _hide(self, chosen: Ints, kept: Mask) -> bool:
        """Cluster the `chosen`, changing `kept`; True when nobody is exposed afterwards.

        With everybody chosen it always succeeds: undoing all splits leaves one group of all.
        """
        wanted, public = self.wanted, self.public
        kept[np.repeat(_marked(chosen, public.n), public.lengths())] = False
        # By number of ratings: who has least to lose is the first to fill up a part that is too small.
        order = chosen[np.argsort(public.lengths()[chosen], kind="stable")]
        first, end, parent, leaf, which, cut_short = grow_tree(
            self.rows, kept, order, public.d, public.scale.levels, wanted.k, wanted.epsilon,
            wanted.secret, wanted.issues, wanted.zero, wanted.least, self.tries,
        )  # fmt: skip
        if cut_short:
            self.notes.add("tries")
        cluster = np.empty(len(order), np.int64)
        for node in np.flatnonzero(leaf):
            cluster[first[node] : end[node]] = node
        inside = _marked(chosen, public.n)
        while True:
            keep_ancestors(self.rows, kept, order, cluster, parent, which, public.d)
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
        published = self.public.keep(kept)
        lengths = published.lengths()
        # A sum of mixed words tells sets of issues apart; a rare mistake only makes a run longer.
        words = np.random.default_rng(published.d).integers(1, 2**40, published.d)
        before = offsets_of(words[published.indices])
        support = before[published.indptr[1:]] - before[published.indptr[:-1]]
        starts = np.minimum(published.indptr[:-1], max(published.entries - 1, 0))
        code = published.codes[starts] if published.entries else np.zeros(published.n, np.int16)
        code = np.where(lengths > 0, code, 0)
        issue = published.indices[starts] if published.entries else np.zeros(published.n, np.int32)
        order = np.lexsort((code, np.where(lengths > 0, issue, -1), support, lengths))
        edge = np.diff(support[order], prepend=-1) != 0
        edge |= np.diff(lengths[order], prepend=-1) != 0
        runs = np.append(np.flatnonzero(edge), len(order))
        wanted = self.wanted
        rows = published.indptr, published.indices, published.codes
        asked = wanted.secret, wanted.issues, wanted.zero, wanted.least
        result = np.zeros(published.n, np.bool_)
        sizes = np.diff(runs)
        small = sizes < LONG
        for run in np.flatnonzero(~small):
            members = order[runs[run] : runs[run + 1]]
            found = self._exposed_in_run(published, members)
            small[run] = found is None
            if found is not None:
                result[members] = found
        # What is left is short, or a rare run of different sets of issues with the same sum of words.
        rest = order[np.repeat(small, sizes)]
        starts = offsets_of(sizes[small])
        result |= exposed(rows, rest, starts, published.n, wanted.k, wanted.epsilon, *asked)
        return result

    def _exposed_in_run(self, published: Ratings, members: Ints) -> Mask | None:
        """The exposed among records that rate the same issues; None when they do not, or the scale is too fine."""
        wanted, levels = self.wanted, published.scale.levels
        part = published.take(members)
        width = int(part.indptr[1])
        issues = part.indices.reshape(len(members), width)
        if width * (levels + 1) * len(members) > MOST_BITS or bool((issues != issues[0]).any()):
            return None
        codes = np.ascontiguousarray(part.codes.reshape(len(members), width))
        bits = within(codes, wanted.epsilon, levels)
        return exposed_in_run(codes, bits, members, wanted.k, wanted.secret, wanted.issues, wanted.zero, wanted.least)


def _marked(chosen: Ints, n: int) -> Mask:
    mask = np.zeros(n, np.bool_)
    mask[chosen] = True
    return mask


#: Up to so many records all choices of them are tried, and the answer is the best there is.
FEW = 12


def drop_records(data: Ratings, k: int, least: float, zero: bool) -> Ints:
    """The respondents to stay, as many as are found; none when fewer than k would stay.

    Every sensitive issue must have a variance of `least` (in squared steps) over all that stay; `zero` is the
    reading of missing ratings.
    """
    columns = [_column(data, int(issue)) for issue in np.flatnonzero(data.sensitive)]
    if data.n > FEW:
        return _drop_greedily(columns, data.lengths(), max(k, 1), least, zero)
    for size in range(data.n, max(k, 1) - 1, -1):
        for choice in combinations(range(data.n), size):
            stay = np.array(choice)
            if all(_variance(np.bincount(column[stay]), zero) >= least for column in columns):
                return stay
    return np.empty(0, np.int64)


def _drop_greedily(columns: list[Ints], lengths: Ints, k: int, least: float, zero: bool) -> Ints:
    """While some issue varies too little, leave out records whose rating of it lowers the variance most.

    Those with the fewest ratings go first.
    """
    stay = np.ones(len(lengths), np.bool_)
    while True:
        counts = [np.bincount(column[stay]) for column in columns]
        variances = [_variance(count, zero) for count in counts]
        worst = int(np.argmin(variances))
        if variances[worst] >= least:
            return np.flatnonzero(stay)
        code, amount = _removal(counts[worst], least, zero)
        amount = min(amount, int(stay.sum()) - k)
        if amount <= 0:
            return np.empty(0, np.int64)
        candidates = np.flatnonzero(stay & (columns[worst] == code))
        stay[candidates[np.argsort(lengths[candidates], kind="stable")[:amount]]] = False


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


def _removal(counts: Ints, least: float, zero: bool) -> tuple[int, int]:
    """The code whose removal raises the variance most, and how many to remove before looking again."""
    now = _variance(counts, zero)
    best, gain = -1, 0.0
    for code in np.flatnonzero(counts):
        fewer = counts.copy()
        fewer[code] -= 1
        raised = _variance(fewer, zero) - now
        if raised > gain:
            best, gain = int(code), raised
    if best < 0:
        return 0, 0
    # A tenth of what one record's gain suggests: gains grow as records go, so this does not overshoot much.
    return best, int(np.clip((least - now) / gain / 10, 1, counts[best]))
