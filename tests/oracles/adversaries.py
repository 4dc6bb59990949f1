"""Slow twins of the attackers, in plain Python.

A release is a list of groups; a group is (list of published baskets, {sensitive item: count}).
"""

from math import exp, log


def pivot_scores(release):
    """For each group the number of items that each member shares with the others."""
    return [
        [sum(len(a & b) for j, b in enumerate(baskets) if j != i) for i, a in enumerate(baskets)]
        for baskets, _ in release
    ]


def hub_scores(release):
    """For each group and member: of the others that hold each of its items, which share is in the group, on average."""
    everybody = [b for baskets, _ in release for b in baskets]
    support = {j: sum(j in b for b in everybody) for b in everybody for j in b}
    scores = []
    for baskets, _ in release:
        shares = [
            [(sum(j in b for b in baskets) - 1) / (support[j] - 1) for j in basket if support[j] > 1]
            for basket in baskets
        ]
        scores.append([sum(s) / len(s) if s else 0.0 for s in shares])
    return scores


def expected_hits(scores, held, count):
    """Right guesses among the `count` best members, on average over all ways to break ties."""
    if count == 0:
        return 0.0
    edge = sorted(scores, reverse=True)[count - 1]
    sure = [h for x, h in zip(scores, held, strict=True) if x > edge]
    tied = [h for x, h in zip(scores, held, strict=True) if x == edge]
    return sum(sure) + (count - len(sure)) * sum(tied) / len(tied)


def learned_scores(release, s, rounds, smoothing):
    """For each group the log odds that naive Bayes gives each member; None for groups without `s`."""
    n = sum(len(baskets) for baskets, _ in release)
    items = sorted(set().union(*(b for baskets, _ in release for b in baskets)))
    support = {j: sum(j in b for baskets, _ in release for b in baskets) for j in items}
    weight = [[counts.get(s, 0) / len(baskets)] * len(baskets) for baskets, counts in release]
    scores = []
    for _ in range(rounds):
        odds = {}
        total = sum(w for ws in weight for w in ws)
        for j in items:
            held = sum(
                w
                for (baskets, _), ws in zip(release, weight, strict=True)
                for b, w in zip(baskets, ws, strict=True)
                if j in b
            )
            inside = (held + smoothing) / (total + 2 * smoothing)
            outside = (support[j] - held + smoothing) / (n - total + 2 * smoothing)
            odds[j] = log(inside / (1 - inside)) - log(outside / (1 - outside))
        scores = []
        for g, (baskets, counts) in enumerate(release):
            if s not in counts:
                scores.append(None)
                continue
            of_group = [sum(odds[j] for j in sorted(b)) for b in baskets]
            scores.append(of_group)
            shares = [exp(x - max(of_group)) for x in of_group]
            weight[g] = [min(1.0, counts[s] * share / sum(shares)) for share in shares]
    return scores


def best_posterior(release, known):
    """The largest posterior of any sensitive item for somebody of whom these items are known."""
    matching = [(counts, len(baskets)) for baskets, counts in release for b in baskets if known <= b]
    secrets = set().union(*(counts for counts, _ in matching)) if matching else set()
    means = [sum(counts.get(s, 0) / size for counts, size in matching) / len(matching) for s in secrets]
    return max(means, default=0.0)
