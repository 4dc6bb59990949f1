"""grey: learn from the truth about half of the members what betrays holders, and use it on the other half.

Gradient boosting over everything that the other attacks look at: where a member stands in its group by similarity,
length, completeness and both models, and what the group is like. Nobody has such training data, so what it achieves
is an upper bound for attacks that are tailored to a method.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from covey.arrays import Floats, Ints, offsets_of
from covey.data.jit import kernel
from covey.measure.attacks.grouped import hits, looks_of, result_of, scores_of
from covey.measure.attacks.result import AttackResult
from covey.measure.boosting import BINS, bin_columns, grow_trees, judge_rows
from covey.measure.study import Study

#: Trees, questions per tree, how much each tree is shrunk, and the penalty of a leaf's square.
TREES, DEPTH, RATE, RIDGE = 30, 5, 0.15, 1.0
#: How many columns `_features` yields.
FEATURES = 15
#: Suspects, about, whose features determine where bins end.
SAMPLED = 10_000


def grey(study: Study) -> AttackResult:
    """Attack every count of the release, taught by half of the truth."""
    everyone = study.suspects
    rows = np.concatenate([*(who.rows for who in everyone), np.zeros(0, np.int64)])
    share = np.concatenate([*(who.share for who in everyone), np.zeros(0)])
    half = np.random.default_rng([study.seed, 11]).permutation(study.release.transactions.n)[rows] % 2 == 0
    score = np.zeros(len(rows))
    if 0 < share.sum() < len(share):
        codes = np.empty((len(rows), FEATURES), np.uint8)
        for place, column in enumerate(_features(study, rows)):
            codes[:, place] = bin_columns(column[None], _edges(column))[:, 0]
        for taught in (half, ~half):
            if 0 < share[taught].sum() < taught.sum() < len(taught):
                trees = grow_trees(codes[taught], share[taught], TREES, DEPTH, RATE, RIDGE)
                score[~taught] = judge_rows(codes[~taught], *trees)
    ends = np.cumsum([len(who.rows) for who in everyone])
    by_item = np.split(score, ends)
    does = (
        "Knows the truth about half of the members of all groups, learns from it with gradient boosting what "
        "gives holders away in this release, and guesses the other half: meant to bound what tailored attacks achieve."
    )
    return result_of(study, "grey", hits(study, lambda who: by_item[who.item]), does)


def _features(study: Study, rows: Ints) -> Iterator[Floats]:
    """Yield what is known of each suspect, one column at a time, for suspects are many; `rows` are theirs.

    The order matters: of questions that gain the same, the first feature's is taken.
    """
    release = study.release
    published, sizes = release.transactions, release.group_sizes()
    overlap, complete = looks_of(study)
    overlap /= np.repeat(np.maximum(sizes - 1, 1), sizes)
    looks = overlap, complete, published.lengths().astype(np.float64)
    yield from (column[rows] for column in looks)
    # Groups are ranked once, not for each item that they count.
    yield from (ranks_within(release.group_ptr, column)[rows] for column in looks)
    del looks, overlap, complete
    kind = study.truth.kind
    yield np.bincount(kind, minlength=study.truth.kinds)[kind[rows]].astype(np.float64)
    group = np.repeat(np.arange(release.groups), sizes)[rows]
    yield sizes[group].astype(np.float64)
    yield np.bincount(release.count_group, minlength=release.groups)[group].astype(np.float64)

    everyone, propensity = study.suspects, study.population.propensity
    ptr = offsets_of(np.concatenate([np.diff(who.ptr) for who in everyone]))
    members, count = np.diff(ptr), np.concatenate([who.count for who in everyone])
    for model in (propensity, list(map(scores_of(release, 1, 0.01), everyone))):
        column = np.concatenate(model)
        yield column
        yield ranks_within(ptr, column)
    expected = np.concatenate([np.exp(odds - odds.max(initial=0.0)) for odds in propensity])
    total = np.add.reduceat(expected, ptr[:-1])
    yield np.repeat(count / np.maximum(total, 1e-300), members) * expected
    yield np.repeat(count / members, members)


def _edges(column: Floats) -> Floats:
    """Return where the bins of a feature end: at its quantiles, of enough suspects."""
    ordered = np.sort(column[:: 1 + len(column) // SAMPLED])
    return ordered[None, np.linspace(0, len(ordered) - 1, BINS + 1).astype(np.int64)[1:-1]]


@kernel
def ranks_within(ptr: Ints, values: Floats) -> Floats:
    """Return for each value which share of its group is below it, equals counting half. O(members · log(members))."""
    found = np.empty(len(values))
    for g in range(len(ptr) - 1):
        first, last = ptr[g], ptr[g + 1]
        order = first + np.argsort(values[first:last])
        start = np.int64(0)
        while start < last - first:
            stop = start + 1
            while stop < last - first and values[order[stop]] == values[order[start]]:
                stop += 1
            for i in range(start, stop):
                found[order[i]] = (start + stop) / (2 * (last - first))
            start = stop
    return found
