"""grey: learn from the truth about half of the people what betrays holders, and use it on the other half.

Gradient boosting over everything that the other attacks look at: where a member stands in its group by similarity,
length, completeness and both models, and what the group is like. Nobody has such training data, so what it achieves
is an upper bound for attacks that are tailored to a method.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats
from covey.attacks.learned import scores_of
from covey.attacks.result import AttackResult
from covey.attacks.study import Study, Suspects
from covey.data import Baskets
from covey.kernels.measure.attack import group_completeness, group_overlaps, ranks_within
from covey.kernels.measure.boosting import BINS, bin_columns, grow_trees, judge_rows
from covey.release.grouped.model import GroupedRelease

#: Trees, questions per tree, how much each tree is shrunk, and the penalty of a leaf's square.
TREES, DEPTH, RATE, RIDGE = 30, 5, 0.15, 1.0
#: Suspects, about, whose features say where bins end.
SAMPLED = 10_000


def grey(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every count of `release`, taught by half of the truth; parameters as for `pivot`.

    Examples
    --------
    >>> import covey
    >>> rows = [["beer", "s"] if i % 5 == 0 else ["tea"] for i in range(60)]
    >>> baskets = covey.Baskets.of(rows, sensitive=["s"])
    >>> grey(covey.anonymize(baskets, "degree(p=5)", "anatomy", seed=0), baskets).success_rate
    1.0
    """
    study = study or Study(release, original, seed)
    everyone = study.suspects
    rows = np.concatenate([*(who.rows for who in everyone), np.zeros(0, np.int64)])
    share = np.concatenate([*(who.share for who in everyone), np.zeros(0)])
    half = np.random.default_rng([seed, 11]).permutation(release.transactions.n)[rows] % 2 == 0
    score = np.zeros(len(rows))
    if 0 < share.sum() < len(share):
        table = _features(study, everyone)
        codes = bin_columns(table, _edges(table))
        for taught in (half, ~half):
            if 0 < share[taught].sum() < taught.sum() < len(taught):
                trees = grow_trees(codes[taught], share[taught], TREES, DEPTH, RATE, RIDGE)
                score[~taught] = judge_rows(codes[~taught], *trees)
    ends = np.cumsum([len(who.rows) for who in everyone])
    by_item = {who.item: score[end - len(who.rows) : end] for who, end in zip(everyone, ends, strict=True)}
    return study.result(
        "grey",
        lambda who: by_item[who.item],
        does="Knows the truth about half of the people, learns from it with gradient boosting what gives holders "
        "away in this release, and guesses the other half: an upper bound for tailored attacks.",
    )


def _features(study: Study, everyone: list[Suspects]) -> Floats:
    """What is told of each suspect: features x (suspects of all sensitive items)."""
    release = study.release
    published, sizes = release.transactions, release.group_sizes()
    rows, group = (published.indptr, published.indices), np.repeat(np.arange(release.groups), sizes)
    by_row: list[Floats] = [
        group_overlaps(*rows, release.group_ptr, published.d) / np.maximum(sizes - 1, 1)[group],
        group_completeness(*rows, release.group_ptr, published.supports()),
        published.lengths().astype(np.float64),
    ]
    # Groups are ranked once, not for each item that they count.
    by_row += [ranks_within(release.group_ptr, column) for column in by_row]
    like = np.bincount(study.truth.kind, minlength=study.truth.kinds)[study.truth.kind]
    counted = np.bincount(release.count_group, minlength=release.groups)
    by_row += [column.astype(np.float64) for column in (like, sizes[group], counted[group])]
    naive = scores_of(release, 1, 0.01)
    found = []
    for who in everyone:
        members, odds, learned = np.diff(who.ptr), study.propensity[who.rows, who.item], naive(who)
        expected = np.exp(odds - odds.max(initial=0.0))
        total = np.add.reduceat(expected, who.ptr[:-1]) if len(expected) else np.zeros(0)
        columns = [
            *(column[who.rows] for column in by_row),
            *(column for told in (odds, learned) for column in (told, ranks_within(who.ptr, told))),
            np.repeat(who.count / np.maximum(total, 1e-300), members) * expected,
            np.repeat(who.count / members, members),
        ]
        found.append(np.stack(columns))
    return np.concatenate(found, axis=1)


def _edges(table: Floats) -> Floats:
    """Where the bins of each feature end: at its quantiles, of enough suspects."""
    ordered = np.sort(table[:, :: 1 + table.shape[1] // SAMPLED], axis=1)
    return np.ascontiguousarray(ordered[:, np.linspace(0, ordered.shape[1] - 1, BINS + 1).astype(np.int64)[1:-1]])
