"""Attacks on a grouped release: look people up in it, and guess inside its groups who holds the sensitive items.

What the guesses have in common is `covey.measure.attacks.study.Study`; parameters are those of `run_attacks`,
and the study of the two where it exists already.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from covey.arrays import Floats
from covey.data import Baskets
from covey.data.postings import distinct_sets, postings
from covey.measure.attack_kernels import group_completeness, group_overlaps, learn_scores, posteriors
from covey.measure.attacks.lookups import targets as attacked
from covey.measure.attacks.result import AttackResult, claimed, percent, worst_share
from covey.measure.attacks.study import Scores, Study, Suspects
from covey.measure.risk import pick_items
from covey.parameters import integer
from covey.release.grouped import GroupedRelease


def linkage(
    release: GroupedRelease,
    original: Baskets,
    *,
    seed: int = 0,
    known: int = 4,
    targets: int = 2_000,
    study: Study | None = None,
) -> AttackResult:
    """Look up random people of whom 1, 2, … `known` items are known, and name the likeliest sensitive item.

    The attacker weighs each published transaction that holds the known items by what its group says: the posterior of
    a sensitive item is the mean over them of (its count in the group) / (size of the group). Each of these numbers is
    at most 1/p, so ``degree(p)`` bounds the mean for every target and any knowledge.

    `targets` people are attacked for each number of known items, all if there are fewer: transactions with that many
    published items are drawn uniformly, none twice, then which of their items are known.

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
    pairs = secret.row_of_entries() * max(secret.d, 1) + secret.indices
    lengths, rng = public.lengths(), np.random.default_rng(seed)
    worst, steps = worst_share(release), []
    best_all, right_all = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for r in range(1, known + 1):
        eligible = np.flatnonzero(lengths >= r)
        if not len(eligible):
            break
        people = attacked(eligible, targets, rng)
        sets = pick_items(*public.csr, people, rng.random((len(people), r)))
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
            f"names the sensitive item that is most likely in their groups. By the release alone, each guess is right "
            f"with a probability of at most {percent(top)}; the guarantee allows {percent(claim)}. Of {len(right):,} "
            f"guesses about {whom}s drawn at random, {{right}} were right; {{interval}}."
        ),
        details={"worst_posterior": top, "worst_possible": worst, "by_known": steps},
    )


def pivot(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that the holders in each group are the members most similar to the others.

    Methods that gather similar transactions around a sensitive one make that one the centre of its group
    (docs/papers.md, attacks). The attacker needs nothing but the release.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=3)", seed=0)
    >>> result = pivot(release, baskets)
    >>> result.success_rate, round(result.chance, 3)
    (1.0, 0.333)
    """
    study = study or Study(release, original, seed)
    published = release.transactions
    overlap = group_overlaps(*published.csr, release.group_ptr, published.d)
    return study.result(
        "pivot",
        study.hits(lambda who: overlap[who.rows].astype(np.float64)),
        does=f"{study.knows}, and guesses in each group that the members sharing most items with the others "
        "hold its sensitive items.",
    )


def longest(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that the longest baskets of each group are the holders'.

    People with one uncommon item have more of everything, so the longest basket of a group is often the holder's.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> longest(covey.anonymize(baskets, "degree(p=3)", seed=0), baskets).success_rate
    1.0
    """
    study = study or Study(release, original, seed)
    lengths = study.release.transactions.lengths().astype(np.float64)
    whom = "longest baskets" if study.by_row else "persons with the most items"
    return study.result(
        "longest",
        study.hits(lambda who: lengths[who.rows]),
        does=f"{study.knows}, and guesses the {whom} of each group.",
    )


def volume(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that the persons with the most transactions of each group are the holders.

    Only for releases that count persons; elsewhere everybody has one transaction.

    Examples
    --------
    >>> import covey
    >>> rows, names = [["a", "s"], ["b"], ["c"], ["d"]], ["ann", "ann", "bob", "cid"]
    >>> visits = covey.Baskets.of(rows, sensitive=["s"], persons=names)
    >>> release = covey.anonymize(visits, "degree(p=3)", seed=0)
    >>> found = {one.attack: one for one in covey.attack(release, visits).results}
    >>> found["volume"].success_rate
    1.0
    """
    study = study or Study(release, original, seed)
    visits = study.visits if study.visits is not None else np.ones(study.release.n, np.int64)
    return study.result(
        "volume",
        study.hits(lambda who: visits[who.rows].astype(np.float64)),
        does="Knows the release and how many baskets each person has, and guesses the persons with the most baskets "
        "of each group.",
    )


def hub(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Guess that the holder is the member whose like are all in its group.

    A method that looks for a holder's nearest relatives takes them from wherever they are; the relatives of the others
    stay where they are. So of the rows that share an item with a holder, more are in the same group.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"], ["b"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=3)", merge=False, seed=0)
    >>> hub(release, baskets).success_rate
    0.5
    """
    study = study or Study(release, original, seed)
    published = release.transactions
    complete = group_completeness(*published.csr, release.group_ptr, published.supports())
    return study.result(
        "hub",
        study.hits(lambda who: complete[who.rows]),
        does=f"{study.knows}, and guesses in each group the members whose items are hardly found outside it.",
    )


def strong(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Attack every group with a model of who holds what, which was fitted without the person who is judged.

    That model alone (`covey.data.propensity`) achieves the baseline; inside the groups it achieves more, and the
    difference is what the release adds.

    Examples
    --------
    >>> import covey
    >>> rows = [["beer", "s"] if i % 5 == 0 else ["tea"] for i in range(60)]
    >>> baskets = covey.Baskets.of(rows, sensitive=["s"])
    >>> result = strong(covey.anonymize(baskets, "degree(p=5)", "anatomy", seed=0), baskets)
    >>> result.success_rate, result.baseline, result.lift
    (1.0, 1.0, 1.0)
    """
    study = study or Study(release, original, seed)
    return study.result(
        "strong",
        study.population.hits,
        does="Knows the population: a model of who has what, fitted on everyone but the target, picks the most "
        "likely members of each group.",
    )


#: How often the attacker learns and shares the counts out anew, and pseudo-observations of each item.
SETTINGS = tuple(product((1, 3), (0.01, 0.1, 1.0)))


def learned(release: GroupedRelease, original: Baskets, *, seed: int = 0, study: Study | None = None) -> AttackResult:
    """Train naive Bayes on the release itself in several settings, guess inside the groups, and report the best.

    The groups' counts tell roughly which items go with a sensitive item: items that are frequent wherever it is
    counted. The attacker learns that from all groups together, starting from equal shares, and uses it to prefer one
    member of a group over another; the preferences make better training data, and so on for a few rounds (the
    deFinetti attack: Kifer, Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009). A real attacker cannot tell
    which setting is best, so the figure leans towards the attacker.

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
    """Return how strongly naive Bayes, learned from the release alone, suspects each member."""
    published, supports = release.transactions, release.transactions.supports()

    def scores(who: Suspects) -> Floats:
        found = learn_scores(
            *published.csr,
            supports,
            release.group_ptr,
            who.groups,
            who.count,
            rounds,
            smoothing,
        )
        return found[who.rows]

    return scores
