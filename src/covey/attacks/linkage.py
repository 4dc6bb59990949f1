"""linkage: the attacker knows some items of a person and wants to know a sensitive one.

The attacker finds all published transactions with the known items and weighs each by what its group says: the
posterior of a sensitive item is the mean over those transactions of (its count in the group) / (size of the
group). It is a mean of numbers of at most 1/p, so ``degree(p)`` bounds it for every target and any knowledge.
"""

from __future__ import annotations

import numpy as np

from covey.attacks.lookups import targets as attacked
from covey.attacks.result import AttackResult, claimed, percent, worst_share
from covey.attacks.study import Study
from covey.data import Baskets
from covey.data.postings import distinct_sets, postings
from covey.kernels.measure.attack import posteriors
from covey.kernels.measure.risk import pick_items
from covey.parameters import integer
from covey.release.grouped.model import GroupedRelease


def linkage(
    release: GroupedRelease,
    original: Baskets,
    *,
    seed: int = 0,
    known: int = 4,
    targets: int = 2_000,
    study: Study | None = None,
) -> AttackResult:
    """Attack random people of whom 1, 2, … `known` items are known.

    Parameters
    ----------
    release, original
        As for `covey.attacks.run_attacks`.
    seed : int
        For drawing people and what is known of them.
    known : int
        The most items the attacker knows.
    targets : int
        People attacked for each number of known items, all if there are fewer: transactions with that many published
        items are drawn uniformly, none twice, then which of their items are known.
    study : Study or None
        What is known of the two already.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    >>> result = linkage(covey.anonymize(baskets, "degree(p=2)", seed=1), baskets, known=1)
    >>> result.details["worst_posterior"] <= result.claim
    True
    """
    integer("linkage", "known", known, minimum=1)
    integer("linkage", "targets", targets, minimum=1)
    study = study or Study(release, original, seed)
    public, secret = study.public, study.secret
    published = release.transactions
    by_item = postings(published).arrays
    sizes = release.group_sizes()
    group = np.repeat(np.arange(release.groups), sizes)
    count_ptr = np.searchsorted(release.count_group, np.arange(release.groups + 1))
    # A person has the item when (row, item) is among these.
    pairs = np.repeat(np.arange(secret.n), secret.lengths()) * max(secret.d, 1) + secret.indices
    lengths, rng = public.lengths(), np.random.default_rng(seed)
    worst, steps = worst_share(release), []
    best_all, right_all = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for r in range(1, known + 1):
        eligible = np.flatnonzero(lengths >= r)
        if not len(eligible):
            break
        people = attacked(eligible, targets, rng)
        sets = pick_items(public.indptr, public.indices, people, rng.random((len(people), r)))
        distinct, at = distinct_sets(sets, public.d)
        nobody = np.full(len(distinct), -1)
        item, best, _ = posteriors(
            distinct,
            nobody,
            *by_item,
            group,
            sizes,
            count_ptr,
            release.count_item,
            release.count,
            max(secret.d, 1),
        )
        item, best = item[at], best[at]
        # A mean of equal numbers can come out above them in the last digit.
        best = np.minimum(best, worst)
        right = (item >= 0) & np.isin(people * max(secret.d, 1) + item, pairs)
        best_all.append(best)
        right_all.append(right)
        steps.append(
            {
                "known": r,
                "targets": len(best),
                "mean_posterior": float(best.mean()),
                "worst_posterior": float(best.max()),
                "success_rate": float(right.mean()),
            }
        )
    postings.cache_clear()  # as large as the release, and no other attack needs them
    best, right = np.concatenate(best_all), np.concatenate(right_all)
    rate = float(right.mean()) if len(right) else 0.0
    top, claim = float(best.max(initial=0.0)), claimed(release)
    whom = "basket" if release.group_persons is None else "person"
    return AttackResult.of(
        "linkage",
        rate,
        claim=claim,
        chance=float(best.mean()) if len(best) else 0.0,
        targets=len(right),
        explanation=(
            f"Knows up to {known} published items of a random {whom}, finds all {whom}s with them, and "
            f"names the sensitive item that is most likely in their groups. The attacker is never more than "
            f"{percent(top)} sure ({percent(claim)} is claimed) and is right in {{right}} of "
            f"{len(right):,} trials."
        ),
        details={"worst_posterior": top, "worst_possible": worst, "by_known": steps},
    )
