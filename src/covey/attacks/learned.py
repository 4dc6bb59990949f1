"""learned: train naive Bayes on the release itself, then guess inside the groups.

The groups' counts say roughly which items go with a sensitive item: items that are frequent wherever it is
counted. The attacker learns that from all groups together, starting from equal shares, and uses it to prefer
one member of a group over another; the preferences make better training data, and so on for a few rounds (the
deFinetti attack: Kifer, Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009).
"""

from __future__ import annotations

from itertools import product

from covey.arrays import Floats
from covey.attacks.result import AttackResult
from covey.attacks.study import Scores, Study, Suspects
from covey.data import Baskets
from covey.kernels.measure.attack import learn_scores
from covey.release.grouped.model import GroupedRelease

#: How often the attacker learns and shares the counts out anew, and pseudo-observations of each item.
SETTINGS = tuple(product((1, 3), (0.01, 0.1, 1.0)))


def learned(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every count of `release` with naive Bayes in several settings, and report the best.

    A real attacker cannot tell which setting is best, so the figure leans towards the attacker. Parameters as for
    `pivot`.

    Examples
    --------
    >>> import covey
    >>> rows = [["a", "s"], ["b"], ["a", "s"], ["c"], ["a", "s"], ["d"], ["b"], ["c"], ["d"]]
    >>> baskets = covey.Baskets.of(rows, sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)", "anatomy", seed=0)
    >>> learned(release, baskets).success_rate
    1.0
    """
    study = study or Study(release, original, seed)
    hits = {setting: study.hits(scores_of(release, *setting)) for setting in SETTINGS}
    rounds, smoothing = best = max(hits, key=hits.__getitem__)
    return study.result(
        "learned",
        hits[best],
        does=f"{study.knows}, learns from all groups together which items go with each sensitive item (naive "
        "Bayes, the best of six settings), and guesses the most likely members of each group.",
        details={"rounds": rounds, "smoothing": smoothing},
    )


def scores_of(release: GroupedRelease, rounds: int, smoothing: float) -> Scores:
    """How strongly naive Bayes suspects each member, learned from the release alone."""
    published, supports = release.transactions, release.transactions.supports()

    def scores(who: Suspects) -> Floats:
        found = learn_scores(
            published.indptr,
            published.indices,
            supports,
            release.group_ptr,
            who.groups,
            who.count,
            rounds,
            smoothing,
        )
        return found[who.rows]

    return scores
