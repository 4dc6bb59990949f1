"""grey: learn from the truth about half of the members what betrays holders, and use it on the other half.

Gradient boosting over everything that the other attacks look at: where a member stands in its group by similarity,
length, completeness and both models, and what the group is like. Nobody has such training data, so what it achieves
is an upper bound for attacks that are tailored to a method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from covey.arrays import Floats, Ints, offsets_of
from covey.data import Baskets
from covey.measure.attack_kernels import group_completeness, group_overlaps, ranks_within
from covey.measure.attacks.grouped import scores_of
from covey.measure.attacks.result import AttackResult
from covey.measure.attacks.study import Study
from covey.measure.boosting import BINS, bin_columns, grow_trees, judge_rows
from covey.release.grouped import GroupedRelease

#: Trees, questions per tree, how much each tree is shrunk, and the penalty of a leaf's square.
TREES, DEPTH, RATE, RIDGE = 30, 5, 0.15, 1.0
#: What is told of a suspect.
FEATURES = 15
#: Suspects, about, whose features say where bins end.
SAMPLED = 10_000


def grey(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every count of `release`, taught by half of the truth; parameters as for `run_attacks`.

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
        codes = np.empty((len(rows), FEATURES), np.uint8)
        for place, column in chain(_of_rows(study, rows), _of_suspects(study)):
            codes[:, place] = bin_columns(column[None], _edges(column))[:, 0]
        for taught in (half, ~half):
            if 0 < share[taught].sum() < taught.sum() < len(taught):
                trees = grow_trees(codes[taught], share[taught], TREES, DEPTH, RATE, RIDGE)
                score[~taught] = judge_rows(codes[~taught], *trees)
    ends = np.cumsum([len(who.rows) for who in everyone])
    by_item = {who.item: score[end - len(who.rows) : end] for who, end in zip(everyone, ends, strict=True)}
    return study.result(
        "grey",
        study.hits(lambda who: by_item[who.item]),
        does="Knows the truth about half of the members of all groups, learns from it with gradient boosting what "
        "gives holders away in this release, and guesses the other half: meant to bound what tailored attacks achieve.",
    )


def _of_rows(study: Study, rows: Ints) -> Iterator[tuple[int, Floats]]:
    """What is told of each suspect's row: (place among the features, values). One at a time, for rows are many."""
    release = study.release
    published, sizes = release.transactions, release.group_sizes()
    entries = *published.csr, release.group_ptr

    def overlap() -> Floats:
        shares: Floats = group_overlaps(*entries, published.d) / np.repeat(np.maximum(sizes - 1, 1), sizes)
        return shares

    looks: tuple[Callable[[], Floats], ...] = (
        overlap,
        lambda: group_completeness(*entries, published.supports()),
        lambda: published.lengths().astype(np.float64),
    )
    for place, look in enumerate(looks):
        column = look()
        yield place, column[rows]
        # Groups are ranked once, not for each item that they count.
        yield place + len(looks), ranks_within(release.group_ptr, column)[rows]
    kind = study.truth.kind
    yield 6, np.bincount(kind, minlength=study.truth.kinds)[kind[rows]].astype(np.float64)
    group = np.repeat(np.arange(release.groups), sizes)[rows]
    yield 7, sizes[group].astype(np.float64)
    yield 8, np.bincount(release.count_group, minlength=release.groups)[group].astype(np.float64)


def _of_suspects(study: Study) -> Iterator[tuple[int, Floats]]:
    """What is told of each suspect of an item beside, as by `_of_rows`: two models, and what to expect of its group."""
    everyone = study.suspects
    ptr = offsets_of(np.concatenate([np.diff(who.ptr) for who in everyone]))
    members, count = np.diff(ptr), np.concatenate([who.count for who in everyone])
    naive = scores_of(study.release, 1, 0.01)
    for place, told in ((9, study.population.propensity), (11, map(naive, everyone))):
        column = np.concatenate(list(told))
        yield place, column
        yield place + 1, ranks_within(ptr, column)
    expected = np.concatenate([np.exp(odds - odds.max(initial=0.0)) for odds in study.population.propensity])
    total = np.add.reduceat(expected, ptr[:-1])
    yield 13, np.repeat(count / np.maximum(total, 1e-300), members) * expected
    yield 14, np.repeat(count / members, members)


def _edges(column: Floats) -> Floats:
    """Where the bins of a feature end: at its quantiles, of enough suspects."""
    ordered = np.sort(column[:: 1 + len(column) // SAMPLED])
    return ordered[None, np.linspace(0, len(ordered) - 1, BINS + 1).astype(np.int64)[1:-1]]
