"""Suppress: make ratings keep (k, epsilon, l) by leaving out ratings and, last, records.

Sun et al. 2010 decides whether data keeps the guarantee and stops there; this is covey's own next step, kept simple.
Records that already are in good groups stay as they are. The others are divided top down: a cluster is split by
the issue and window of ratings (epsilon wide) that lets most of its members keep a rating, as long as both parts
have k members. In the end everybody in a cluster rates the same issues within epsilon, so all are proximate.
Where sensitive ratings then spread too little, splits are undone. Records go only where no suppression helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Ratings
from covey.errors import Infeasible
from covey.methods.dropping import drop_records
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.ratings.model import RatingsRelease, publish_ratings

#: Rounds in which more and more records are touched, before all of them are.
ROUNDS = 8
#: From this length on, runs of records with the same issues are searched 64 records at a time ...
LONG = 128
#: ... if a bit per record, issue and rating takes at most 512 MiB.
MOST_BITS = 1 << 32
#: What rounding may take from a variance.
SLACK = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppress:
    """Leave out as few ratings as a greedy search finds, so that every record has its group.

    Parameters
    ----------
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> survey = Ratings.of([[1, 6], [2, 5], [6, None]], issues=["a", "b"], scale="1:6")
    >>> release = Suppress(seed=0).anonymize(survey, guarantee("k-eps-l(k=3, epsilon=1)"))
    >>> release.counts()["ratings"], release.counts()["suppressed_ratings"]
    (0, 5)
    """

    name: ClassVar[str] = "suppress"

    seed: int | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {}

    def anonymize(self, data: Ratings, guarantee: Any, *, progress: Progress = silent) -> RatingsRelease:
        """Return a release of `data` that keeps `guarantee`."""
        guarantee.require_feasible(data)
        wanted = _Wanted(data, guarantee)
        rows = np.arange(data.n)
        if wanted.issues:
            rows = drop_records(data, guarantee.k, wanted.least, wanted.zero)
            if not len(rows):
                best = float(np.sqrt(wanted.lowest(np.arange(data.n)))) * data.scale.step
                raise Infeasible(
                    f"{guarantee.text} cannot be kept: even with all other ratings suppressed the sensitive "
                    f"ratings do not spread so far. Without leaving out records, l = {best:.4g} can be kept.",
                    witness=", ".join(data.sensitive_issues()),
                    best=best,
                )
        kept = data.take(rows)
        mask = _Work(kept, _Wanted(kept, guarantee), progress).run()
        keep = np.zeros(data.entries, np.bool_)
        lengths = kept.lengths()
        place = np.repeat(data.indptr[rows] - kept.indptr[:-1], lengths) + np.arange(kept.entries)
        keep[place] = mask
        progress("publishing", 0.0)
        return publish_ratings(
            data,
            rows,
            keep,
            guarantee=guarantee.text,
            method=self.name,
            options=self.options(),
            seed=self.seed,
        )


class _Wanted:
    """The guarantee in steps of the scale, with the data's sensitive part."""

    def __init__(self, data: Ratings, guarantee: Any) -> None:
        self.k: int = guarantee.k
        self.epsilon = data.scale.steps(guarantee.epsilon)
        self.everybody = self.epsilon >= data.scale.levels
        self.zero = guarantee.nulls == "zero"
        asked = guarantee.l is not None
        self.least = (guarantee.l / data.scale.step) ** 2 * (1 + SLACK) if asked else 0.0
        secret = data.only(data.sensitive if asked else np.zeros(data.d, np.bool_))
        self.issues = secret.d
        self.secret = secret.indptr, secret.indices, secret.codes

    def lowest(self, members: Ints) -> float:
        """The lowest variance of a sensitive issue among `members`."""
        from covey.kernels.methods.suppression import least_spread

        return least_spread(members, self.secret, self.issues, self.zero)


class _Work:
    """The ratings still kept, and the rounds that take away more of them."""

    def __init__(self, data: Ratings, wanted: _Wanted, progress: Progress) -> None:
        self.data, self.wanted, self.progress = data, wanted, progress
        self.public = data.only(~data.sensitive)
        self.rows = self.public.indptr, self.public.indices, self.public.codes

    def run(self) -> Mask:
        """Which of the data's ratings can be kept."""
        data = self.data
        keep = np.ones(data.entries, np.bool_)
        if self.wanted.everybody:
            return keep
        open_part = ~data.sensitive[data.indices]
        keep[open_part] = self._rounds()
        return keep

    def _rounds(self) -> Mask:
        n, k = self.data.n, self.wanted.k
        kept = np.ones(self.public.entries, np.bool_)
        touched = np.zeros(n, np.bool_)
        for attempt in range(ROUNDS + 1):
            self.progress("suppressing", attempt / (ROUNDS + 1))
            bad = self._exposed(kept)
            if not bad.any():
                return kept
            if attempt == ROUNDS or 2 * int((touched | bad).sum()) > n:
                break
            touched |= bad
            short = k - int(touched.sum())
            if short > 0:
                # Too few to hide among themselves: those with least to lose join them.
                free = np.flatnonzero(~touched)
                touched[free[np.argsort(self.public.lengths()[free], kind="stable")[:short]]] = True
            chosen = np.flatnonzero(touched)
            if self.wanted.issues and self.wanted.lowest(chosen) < self.wanted.least:
                break
            kept = np.ones(self.public.entries, np.bool_)
            if self._hide(chosen, kept):
                return kept
        kept = np.ones(self.public.entries, np.bool_)
        self._hide(np.arange(n), kept)
        return kept

    def _hide(self, chosen: Ints, kept: Mask) -> bool:
        """Cluster the `chosen`, changing `kept`; True when nobody is exposed afterwards.

        With everybody chosen it always succeeds: undoing all splits leaves one group of all.
        """
        from covey.kernels.methods.suppression import grow_tree, keep_ancestors

        wanted, public = self.wanted, self.public
        kept[np.repeat(_marked(chosen, public.n), public.lengths())] = False
        # By number of ratings: who has least to lose is the first to fill up a part that is too small.
        order = chosen[np.argsort(public.lengths()[chosen], kind="stable")]
        first, end, parent, leaf, which = grow_tree(
            self.rows, kept, order, public.d, public.scale.levels, wanted.k, wanted.epsilon,
            wanted.secret, wanted.issues, wanted.zero, wanted.least,
        )  # fmt: skip
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
        from covey.kernels.methods.suppression import exposed

        published = self.public.keep(kept)
        lengths = published.lengths()
        # A sum of mixed words tells sets of issues apart; a rare mistake only makes a run longer.
        words = np.random.default_rng(published.d).integers(1, 2**40, published.d)
        before = np.concatenate([[0], np.cumsum(words[published.indices])])
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
        starts = np.concatenate([[0], np.cumsum(sizes[small])])
        result |= exposed(rows, rest, starts, published.n, wanted.k, wanted.epsilon, *asked)
        return result

    def _exposed_in_run(self, published: Ratings, members: Ints) -> Mask | None:
        """The exposed among records that rate the same issues; None when they do not, or the scale is too fine."""
        from covey.kernels.methods.suppression_bits import exposed_in_run, within

        wanted, levels = self.wanted, published.scale.levels
        part = published.take(members)
        width = int(part.indptr[1])
        issues = part.indices.reshape(len(members), width)
        if width * (levels + 1) * len(members) > MOST_BITS or bool((issues != issues[0]).any()):
            return None
        codes = np.ascontiguousarray(part.codes.reshape(len(members), width))
        bits = within(codes, wanted.epsilon, levels)
        return exposed_in_run(
            codes, bits, members, wanted.k, wanted.secret, wanted.issues, wanted.zero, wanted.least
        )


def _marked(chosen: Ints, n: int) -> Mask:
    mask = np.zeros(n, np.bool_)
    mask[chosen] = True
    return mask
