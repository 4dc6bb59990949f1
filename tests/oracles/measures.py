"""Slow twins of the metrics, in plain Python.

A release is a list of groups; a group is (list of published baskets, {sensitive item: count}).
"""

from itertools import combinations
from math import log


def divergence(rows, hidden, release, s, items):
    """KL error of the distribution of `s` over all combinations of `items`."""
    total = sum(s in h for h in hidden)
    error = 0.0
    for size in range(len(items) + 1):
        for present in combinations(items, size):
            cell = set(present)
            actual = sum(s in h and set(items) & row == cell for row, h in zip(rows, hidden, strict=True))
            if not actual:
                continue
            estimated = sum(
                counts.get(s, 0) * sum(set(items) & basket == cell for basket in baskets) / len(baskets)
                for baskets, counts in release
            )
            error += actual / total * log(actual / estimated)
    return error


def containing(rows, items):
    """How many rows hold all items."""
    return sum(set(items) <= row for row in rows)


def risk(rows, known):
    """Mean of 1 / containing over all rows with enough items and all choices of known items."""
    cases = []
    for row in rows:
        chosen = [1 / containing(rows, items) for items in combinations(sorted(row), known)]
        if chosen:
            cases.append(sum(chosen) / len(chosen))
    return sum(cases) / len(cases) if cases else 0.0


def posterior(release, known, s):
    """How likely an attacker who knows these items holds `s` to be, from the groups alone."""
    matching = [counts.get(s, 0) / len(baskets) for baskets, counts in release for b in baskets if known <= b]
    return sum(matching) / len(matching) if matching else 0.0


def link(rows, hidden, release, known):
    """Mean probability of a sensitive item that is really held, before and after, over all cases."""
    before, after = [], []
    for row, h in zip(rows, hidden, strict=True):
        for s in h:
            cases = [set(items) for items in combinations(sorted(row), known)]
            if not cases:
                continue
            for items in cases:
                matching = [s in h2 for r2, h2 in zip(rows, hidden, strict=True) if items <= r2]
                before.append((sum(matching) / len(matching), len(cases)))
                after.append((posterior(release, items, s), len(cases)))
    weight = sum(1 / n for _, n in before)
    if not before:
        return 0.0, 0.0
    return tuple(sum(value / n for value, n in cases) / weight for cases in (before, after))


def top_itemsets(rows, hidden, top):
    """The most frequent itemsets with a sensitive item and at least one other, as (support, sorted labels).

    Order: support, then length, then the labels with sensitive ones first.
    """
    support = {}
    for row, h in zip(rows, hidden, strict=True):
        everything = [(0, s) for s in sorted(h)] + [(1, j) for j in sorted(row)]
        for size in range(2, len(everything) + 1):
            for chosen in combinations(everything, size):
                if chosen[0][0] == 0:
                    support[chosen] = support.get(chosen, 0) + 1
    order = sorted(support, key=lambda chosen: (-support[chosen], len(chosen), chosen))
    return [(support[chosen], tuple(label for _, label in chosen)) for chosen in order[:top]]


def estimated_support(release, itemset, secrets):
    """Support of an itemset when members are equally likely to hold each of their group's sensitive items."""
    total = 0.0
    for baskets, counts in release:
        expected = sum(set(itemset) - secrets <= basket for basket in baskets)
        for s in set(itemset) & secrets:
            expected *= counts.get(s, 0) / len(baskets)
        total += expected
    return total
