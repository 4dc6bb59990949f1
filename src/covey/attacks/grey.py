"""grey: learn from the truth about half of the people what betrays holders, and use it on the other half.

Gradient boosting over everything that the other attacks look at: where a member stands in its group by similarity,
length, completeness and both models, and what the group is like. Nobody has such training data, so what it achieves
is an upper bound for attacks that are tailored to a method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Floats
from covey.attacks.learned import scores_of
from covey.attacks.result import AttackResult
from covey.attacks.study import Study, Suspects
from covey.data import Baskets
from covey.errors import MissingDependency
from covey.kernels.measure.attack import group_completeness, group_overlaps, ranks_within
from covey.release.grouped.model import GroupedRelease

#: Suspects who are no holders and are learned from, at most; of more, so many are drawn.
STRANGERS = 200_000


def grey(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every count of `release`, taught by half of the truth; parameters as for `pivot`.

    Raises
    ------
    MissingDependency
        scikit-learn is not installed.
    """
    study = study or Study(release, original, seed)
    everyone = list(study.suspects())
    table = np.vstack([*_features(study, everyone), np.zeros((0, 15))])
    rows = np.concatenate([*(who.rows for who in everyone), np.zeros(0, np.int64)])
    share = np.concatenate([*(who.share for who in everyone), np.zeros(0)])
    rng = np.random.default_rng([seed, 11])
    half = rng.permutation(release.transactions.n)[rows] % 2 == 0
    score = np.zeros(len(rows))
    for taught in (half, ~half):
        if share[taught].sum() > 0 and (1 - share[taught]).sum() > 0 and not taught.all():
            score[~taught] = _boosted(table[taught], share[taught], rng).decision_function(table[~taught])
    ends = np.cumsum([len(who.rows) for who in everyone])
    by_item = {who.item: score[end - len(who.rows) : end] for who, end in zip(everyone, ends, strict=True)}
    return study.result(
        "grey",
        lambda who: by_item[who.item],
        does="Knows the truth about half of the people, learns from it with gradient boosting what gives holders "
        "away in this release, and guesses the other half: an upper bound for tailored attacks.",
    )


def _features(study: Study, everyone: list[Suspects]) -> list[Floats]:
    """For each sensitive item, what is told of each suspect."""
    release = study.release
    published = release.transactions
    rows, sizes = (published.indptr, published.indices), release.group_sizes()
    overlap = group_overlaps(*rows, release.group_ptr, published.d) / np.repeat(np.maximum(sizes - 1, 1), sizes)
    complete = group_completeness(*rows, release.group_ptr, published.supports())
    length = published.lengths().astype(np.float64)
    like = np.bincount(study.truth.kind, minlength=study.truth.kinds)[study.truth.kind]
    kinds_counted = np.bincount(release.count_group, minlength=release.groups)
    naive = scores_of(release, 1, 0.01)
    found = []
    for who in everyone:
        size, members = sizes[who.groups], np.diff(who.ptr)
        odds = study.propensity[who.rows, who.item]
        expected = np.exp(odds - odds.max(initial=0.0))
        total = np.add.reduceat(expected, who.ptr[:-1]) if len(expected) else np.zeros(0)
        told = [overlap[who.rows], complete[who.rows], length[who.rows], naive(who), odds]
        columns = [
            *told,
            *(ranks_within(who.ptr, column) for column in told),
            np.repeat(who.count, members) * expected / np.maximum(np.repeat(total, members), 1e-300),
            np.repeat(size, members),
            np.repeat(who.count / size, members),
            np.repeat(kinds_counted[who.groups], members),
            like[who.rows],
        ]
        found.append(np.stack(columns, axis=1))
    return found


def _boosted(table: Floats, share: Floats, rng: np.random.Generator) -> Any:
    """A model of who is a holder; who may or may not be one counts as both, in part."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise MissingDependency("The attack grey needs scikit-learn: pip install 'covey[audit]'.") from None
    holders, others = np.flatnonzero(share > 0), np.flatnonzero(share < 1)
    weight = 1 - share[others]
    if len(others) > STRANGERS:
        drawn = rng.choice(len(others), STRANGERS, replace=False)
        others, weight = others[drawn], weight[drawn] * (len(others) / STRANGERS)
    model = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=15, early_stopping=False, random_state=int(rng.integers(2**31))
    )
    # Threads that wait for each other cost more than they gain here, above all where something else runs too.
    with threadpool_limits(1):
        return model.fit(
            np.vstack([table[holders], table[others]]),
            np.repeat([1, 0], [len(holders), len(others)]),
            sample_weight=np.concatenate([share[holders], weight]),
        )
