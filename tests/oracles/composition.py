"""Slow twin of the intersection of two releases, in plain Python.

A release is a list of groups; a group is (list of published baskets, {sensitive item: count}).
"""


def left(mine, theirs):
    """For each person how many are in the same two groups, given the group of each person in both releases."""
    pairs = list(zip(mine, theirs, strict=True))
    return [pairs.count(pair) for pair in pairs]


def share(release, basket, s):
    """The chance that somebody with this basket holds `s`: the mean over the groups of all who look the same."""
    found = [counts.get(s, 0) / len(baskets) for baskets, counts in release for other in baskets if other == basket]
    return sum(found) / len(found)


def named(first, second, holds):
    """Right guesses among as many people as hold it, the likeliest by both first, ties at random."""
    odds = [round(odd(a) * odd(b), 12) for a, b in zip(first, second, strict=True)]
    count = sum(holds)
    edge = sorted(odds, reverse=True)[count - 1]
    sure = [h for x, h in zip(odds, holds, strict=True) if x > edge]
    tied = [h for x, h in zip(odds, holds, strict=True) if x == edge]
    return sum(sure) + (count - len(sure)) * sum(tied) / len(tied)


def odd(chance):
    """A chance as odds."""
    return chance / max(1 - chance, 1e-12)
