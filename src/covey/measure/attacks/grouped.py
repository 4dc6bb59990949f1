"""Attacks on a grouped release: look people up in it, and guess inside its groups who holds the sensitive items.

Where a group counts c holders of an item, an attacker names the c members that look likeliest; the success is the
share of all occurrences that are named rightly. One guess per group and item would reward small groups: the same
attack would look stronger after groups are merged, although nobody learned anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from covey.arrays import Floats, Ids, Ints, Words
from covey.data.jit import kernel
from covey.data.postings import distinct_sets, list_holding, postings
from covey.measure.attacks.lookups import drawn
from covey.measure.attacks.result import AttackResult, claimed, compared, percent, worst_share
from covey.measure.risk import pick_items
from covey.measure.study import Study, Suspects
from covey.release.grouped import GroupedRelease
from covey.tabular import Figures

#: People that `linkage` attacks for each number of known items, and the largest such number.
TARGETS, KNOWN = 2_000, 4
#: How often naive Bayes learns and shares the counts out anew, and pseudo-observations of each item.
SETTINGS = tuple(product((1, 3), (0.01, 0.1, 1.0)))


def linkage(study: Study, targets: int = TARGETS, known: int = KNOWN) -> AttackResult:
    """Look up random people of whom 1, 2, … `known` items are known, and name the likeliest sensitive item.

    The attacker weighs each published transaction that holds the known items by the counts of its group: the posterior
    of a sensitive item is the mean over them of (its count in the group) / (size of the group). Each of these numbers
    is at most 1/p, so ``degree(p)`` bounds the mean for every target and any knowledge.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    >>> result = linkage(Study(covey.anonymize(baskets, "degree(p=2)", seed=1), baskets))
    >>> result.details["worst_posterior"] <= result.claim
    True
    """
    release, public, secret = study.release, study.public, study.secret
    m = max(secret.d, 1)
    # A person has the item when (row, item) is among these.
    pairs = secret.row_of_entries() * m + secret.indices
    rng, worst, steps = np.random.default_rng(study.seed), worst_share(release), []
    believed, named = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for r in range(1, known + 1):
        eligible = np.flatnonzero(public.lengths() >= r)
        if not len(eligible):
            break
        people = drawn(eligible, targets, rng)
        distinct, at = distinct_sets(pick_items(*public.csr, people, rng.random((len(people), r))), public.d)
        item, best, _ = believes(study, distinct, np.full(len(distinct), -1))
        item, best = item[at], np.minimum(best[at], worst)
        right = (item >= 0) & np.isin(people * m + item, pairs)
        believed.append(best)
        named.append(right)
        posterior = {"mean_posterior": float(best.mean()), "worst_posterior": float(best.max())}
        steps.append({"known": r, "targets": len(best), **posterior, "success_rate": float(right.mean())})
    postings.cache_clear()  # as large as the release, and no other attack needs them
    best, right = np.concatenate(believed), np.concatenate(named)
    top, claim = float(best.max(initial=0.0)), claimed(release)
    whom = "basket" if release.group_persons is None else "person"
    return AttackResult.of(
        "linkage",
        float(right.mean()) if len(right) else 0.0,
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


def believes(study: Study, sets: Ids, asked: Ints) -> tuple[Ints, Floats, Floats]:
    """Return `posteriors` of sets of known items in the release of a study."""
    release, sizes = study.release, study.release.group_sizes()
    group = np.repeat(np.arange(release.groups), sizes)
    return posteriors(
        sets,
        asked,
        *postings(release.transactions).arrays,
        group,
        sizes,
        *study.counts,
        release.count,
        max(study.secret.d, 1),
    )


def result_of(study: Study, attack: str, right: float, does: str, details: Figures | None = None) -> AttackResult:
    """Return what an attack achieves that is right so often; `does` says in a sentence what it knows and does."""
    release, population = study.release, study.population
    occurrences, claim = int(release.count.sum()), claimed(release)
    rate, sizes = right / max(occurrences, 1), release.group_sizes()[release.count_group]
    one, many = (
        ("occurrence of a sensitive item", "occurrences of sensitive items")
        if release.group_persons is None
        else ("sensitive item of a person", "sensitive items of persons")
    )
    guessed = f"1 {one}" if occurrences == 1 else f"{occurrences:,} {many}"
    told = compared(rate, claim, population.baseline, population.baseline_error)
    return AttackResult.of(
        attack,
        rate,
        claim=claim,
        chance=float((release.count**2 / sizes).sum()) / max(occurrences, 1),
        baseline=population.baseline,
        baseline_error=population.baseline_error,
        targets=occurrences,
        explanation=f"{does} Right for {{right}} of {guessed}. {told}",
        details=details or {},
    )


def by_release(study: Study) -> str:
    """Return what someone knows who has nothing but the release; released baskets do not say who is one person."""
    if study.release.group_persons is None:
        return "Knows only the release"
    return "Knows the release, and which of its baskets are one person's"


def hits(study: Study, scores: Callable[[Suspects], Floats]) -> float:
    """Return how many occurrences are guessed rightly by scores of the suspects, the likeliest holder the highest."""
    return sum(who.hits(scores(who)) for who in study.suspects)


def looks_of(study: Study) -> tuple[Floats, Floats]:
    """Return `looks` at the rows of a release."""
    published = study.release.transactions
    return looks(*published.csr, study.release.group_ptr, published.supports())


def by_looks(study: Study) -> Iterator[AttackResult]:
    """Guess the members that stand out in each group: by likeness to the others, by length, and by what is outside.

    Methods that gather similar transactions around a sensitive one make that one the centre of its group ("pivot").
    People with one uncommon item have more of everything, so the "longest" basket of a group is often the holder's. A
    method that looks for a holder's nearest relatives takes them from wherever they are, so that more of the rows that
    share an item with a holder are in the same group ("hub"; all three in docs/papers.md, attacks).
    """
    overlap, complete = looks_of(study)
    lengths = study.release.transactions.lengths().astype(np.float64)
    whom = "longest baskets" if study.release.group_persons is None else "persons with the most items"
    for attack, score, guess in (
        ("pivot", overlap, "that the members sharing most items with the others hold its sensitive items"),
        ("longest", lengths, f"the {whom}"),
        ("hub", complete, "the members whose items are hardly found outside it"),
    ):
        right = sum(who.hits(score[who.rows]) for who in study.suspects)
        yield result_of(study, attack, right, f"{by_release(study)}, and guesses in each group {guess}.")


def volume(study: Study) -> AttackResult:
    """Guess that the persons with the most transactions of each group are the holders.

    Only for releases that count persons; elsewhere everybody has one transaction.

    Examples
    --------
    >>> import covey
    >>> rows, names = [["a", "s"], ["b"], ["c"], ["d"]], ["ann", "ann", "bob", "cid"]
    >>> visits = covey.Baskets.of(rows, sensitive=["s"], persons=names)
    >>> volume(Study(covey.anonymize(visits, "degree(p=3)", seed=0), visits).people).success_rate
    1.0
    """
    visits = np.ones(study.release.n) if study.visits is None else study.visits.astype(np.float64)
    does = (
        "Knows the release and how many baskets each person has, and guesses the persons with the most baskets "
        "of each group."
    )
    return result_of(study, "volume", hits(study, lambda who: visits[who.rows]), does)


def strong(study: Study) -> AttackResult:
    """Attack every group with a model of who holds what, which was fitted without the person who is judged.

    That model alone (`covey.data.propensity`) achieves the baseline; inside the groups it achieves more, and the
    difference is what the release adds.
    """
    does = (
        "Knows the population: a model of who has what, fitted on everyone but the target, picks the most "
        "likely members of each group."
    )
    return result_of(study, "strong", study.population.hits, does)


def learned(study: Study) -> AttackResult:
    """Train naive Bayes on the release itself in several settings, guess inside the groups, and report the best.

    The groups' counts tell roughly which items go with a sensitive item: items that are frequent wherever it is
    counted. The attacker learns that from all groups together, starting from equal shares, and uses it to prefer one
    member of a group over another; the preferences make better training data, and so on for a few rounds (the
    deFinetti attack: Kifer, Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009). A real attacker cannot tell
    which setting is best, so the figure leans towards the attacker.
    """
    found = {setting: hits(study, scores_of(study.release, *setting)) for setting in SETTINGS}
    rounds, smoothing = best = max(found, key=found.__getitem__)
    does = (
        f"{by_release(study)}, learns from all groups together which items go with each sensitive item (naive "
        "Bayes, the best of six settings), and guesses the most likely members of each group."
    )
    return result_of(study, "learned", found[best], does, {"rounds": rounds, "smoothing": smoothing})


def scores_of(release: GroupedRelease, rounds: int, smoothing: float) -> Callable[[Suspects], Floats]:
    """Return how strongly naive Bayes, learned from the release alone, suspects each member."""
    csr, supports = release.transactions.csr, release.transactions.supports()

    def scores(who: Suspects) -> Floats:
        return learn_scores(*csr, supports, release.group_ptr, who.groups, who.count, rounds, smoothing)[who.rows]

    return scores


@kernel
def posteriors(
    sets: Ids,
    asked: Ints,
    item_ptr: Ints,
    item_rows: Ids,
    place: Ids,
    bits: Words,
    group: Ints,
    size: Ints,
    count_ptr: Ints,
    count_item: Ids,
    count: Ints | Floats,
    m: int,
) -> tuple[Ints, Floats, Floats]:
    """Return for each set of known items (likeliest sensitive item, its posterior, the posterior of `asked`).

    The posterior of s is the mean of (count of s in the group) / (size of the group) over the rows that hold
    all known items, looked up as by `list_holding`. ``asked[i]`` may be -1; ties go to the lowest id; the
    item is -1 when no row holds them all or no sensitive item is near. Precondition: rows of one group are
    adjacent. O(looking up + counts of the groups met) per set; equal sets that stand together count as one.
    """
    queries = len(sets)
    item, best, own = np.full(queries, -1, np.int64), np.zeros(queries), np.zeros(queries)
    weight, met = np.zeros(m), np.empty(m, np.int64)
    rows, found, kinds = np.empty(len(group), np.int32), np.int64(0), np.int64(0)
    for i in range(queries):
        if i > 0 and np.array_equal(sets[i], sets[i - 1]):
            item[i], best[i] = item[i - 1], best[i - 1]
            if asked[i] >= 0 and found > 0:
                own[i] = weight[asked[i]] / found
            continue
        for c in range(kinds):
            weight[met[c]] = 0
        kinds = np.int64(0)
        found = list_holding(item_ptr, item_rows, place, bits, sets[i], rows)
        start = np.int64(0)
        while start < found:
            here, stop = group[rows[start]], start + 1
            while stop < found and group[rows[stop]] == here:
                stop += 1
            for c in range(count_ptr[here], count_ptr[here + 1]):
                if weight[count_item[c]] == 0:
                    met[kinds] = count_item[c]
                    kinds += 1
                weight[count_item[c]] += (stop - start) * (count[c] / size[here])
            start = stop
        if found == 0:
            continue
        if asked[i] >= 0:
            own[i] = weight[asked[i]] / found
        for c in range(kinds):
            posterior = weight[met[c]] / found
            if posterior > best[i] or (posterior == best[i] and met[c] < item[i]):
                item[i], best[i] = met[c], posterior
    return item, best, own


@kernel
def looks(indptr: Ints, indices: Ids, group_ptr: Ints, supports: Ints) -> tuple[Floats, Floats]:
    """Return for each row (items shared with the others of its group, its completeness there). O(nnz).

    The first is summed over the others. Completeness is how many of the other rows with its items are in its group, as
    a mean of shares; items that nobody else holds are left out, and a row with no other items has 0.
    """
    held = np.zeros(len(supports), np.int64)
    overlap, complete = np.zeros(len(indptr) - 1), np.zeros(len(indptr) - 1)
    for g in range(len(group_ptr) - 1):
        first, last = indptr[group_ptr[g]], indptr[group_ptr[g + 1]]
        for e in range(first, last):
            held[indices[e]] += 1
        for row in range(group_ptr[g], group_ptr[g + 1]):
            shared = np.int64(0)
            for e in range(indptr[row], indptr[row + 1]):
                j = indices[e]
                overlap[row] += held[j] - 1
                if supports[j] > 1:
                    shared += 1
                    complete[row] += (held[j] - 1) / (supports[j] - 1)
            complete[row] /= max(shared, 1)
        for e in range(first, last):
            held[indices[e]] = 0
    return overlap, complete


@kernel
def log_odds(held: Floats, total: float, supports: Ints, n: int, smoothing: float, out: Floats) -> None:
    """Write for each item how much its presence speaks for a holder: a difference of log odds. O(d).

    ``held[j]`` is the expected number of holders with item j, out of `total` holders among n rows.
    """
    for j in range(len(supports)):
        inside = (held[j] + smoothing) / (total + 2 * smoothing)
        outside = (supports[j] - held[j] + smoothing) / (n - total + 2 * smoothing)
        out[j] = np.log(inside) - np.log1p(-inside) - np.log(outside) + np.log1p(-outside)


@kernel
def share_out(scores: Floats, count: int, weights: Floats) -> None:
    """Write to `weights` how a group's `count` holders are spread over it: by exp(score), at most 1."""
    top = scores.max()
    total = 0.0
    for i in range(len(scores)):
        weights[i] = np.exp(scores[i] - top)
        total += weights[i]
    for i in range(len(scores)):
        weights[i] = min(1.0, count * weights[i] / total)


@kernel
def learn_scores(
    indptr: Ints,
    indices: Ids,
    supports: Ints,
    group_ptr: Ints,
    groups: Ints,
    count: Ints,
    rounds: int,
    smoothing: float,
) -> Floats:
    """Return how strongly naive Bayes takes each row for a holder of one sensitive item, counted in `groups`.

    Starts from equal shares inside each group; each round learns how items speak for a holder and shares the
    counts out anew (Kifer 2009). Rows of other groups have 0. O(rounds · entries of the groups).
    """
    n, d = len(indptr) - 1, len(supports)
    score, weight = np.zeros(n), np.empty(n)
    odds = np.empty(d)
    for i in range(len(groups)):
        first, last = group_ptr[groups[i]], group_ptr[groups[i] + 1]
        weight[first:last] = count[i] / (last - first)
    for _ in range(rounds):
        held, total = np.zeros(d), 0.0
        for g in groups:
            for row in range(group_ptr[g], group_ptr[g + 1]):
                total += weight[row]  # below the sum of the counts where a share was limited to 1
                for f in range(indptr[row], indptr[row + 1]):
                    held[indices[f]] += weight[row]
        log_odds(held, total, supports, n, smoothing, odds)
        for i in range(len(groups)):
            first, last = group_ptr[groups[i]], group_ptr[groups[i] + 1]
            for row in range(first, last):
                score[row] = 0.0
                for f in range(indptr[row], indptr[row + 1]):
                    score[row] += odds[indices[f]]
            share_out(score[first:last], count[i], weight[first:last])
    return score
