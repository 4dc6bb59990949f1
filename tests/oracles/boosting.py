"""Gradient boosting with symmetric trees, one plain loop per step, as `covey.measure.boosting` defines it."""

from __future__ import annotations

from math import exp, log


def gain_of(rows, pulls, leaves, ridge):
    """What leaves gain: the sum of slope² / (curvature + ridge) over them."""
    total = {}
    for i in rows:
        slope, bend = total.get(leaves[i], (0.0, 0.0))
        total[leaves[i]] = (slope + pulls[i][0], bend + pulls[i][1])
    return sum(slope * slope / (bend + ridge) for slope, bend in total.values())


def grow(codes, share, trees, depth, rate, ridge, bins):
    """The questions of each tree with their gains, and the log odds that all trees give each row."""
    n, mean = len(codes), sum(share) / len(share)
    start = log(mean / (1 - mean))
    odds, asked = [start] * n, []
    for _ in range(trees):
        likely = [1 / (1 + exp(-o)) for o in odds]
        pulls = [(y - p, p * (1 - p)) for y, p in zip(share, likely, strict=True)]
        leaf = [()] * n
        for _ in range(depth):
            choices = []
            for f in range(len(codes[0])):
                for b in range(bins - 1):
                    split = [(*at, row[f] > b) for at, row in zip(leaf, codes, strict=True)]
                    choices.append((gain_of(range(n), pulls, split, ridge), f, b))
            best = max(gain for gain, _, _ in choices)
            if best <= 1e-12:  # nothing is to be gained, so a question that all answer with no will do
                choices.append((best, 0, bins - 1))
            asked.append([(f, b) for gain, f, b in choices if gain >= best * (1 - 1e-9) - 1e-12])
            _, f, b = next(choice for choice in choices if choice[1:] == asked[-1][0])
            leaf = [(*at, row[f] > b) for at, row in zip(leaf, codes, strict=True)]
        for at in set(leaf):
            members = [i for i in range(n) if leaf[i] == at]
            step = rate * sum(pulls[i][0] for i in members) / (sum(pulls[i][1] for i in members) + ridge)
            for i in members:
                odds[i] += step
    return asked, [o - start for o in odds]
