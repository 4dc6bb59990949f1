"""The IBM Quest generator in plain Python, one rule after the other, with lists and sets.

Every function that draws takes its source of uniform numbers, so that it can run on a stream of its own or,
number by number, on that of another implementation.
"""

from itertools import pairwise


def draw_patterns(sizes, shared, items, uniform):
    """Patterns of the given sizes, `shared[i]` items of each taken from the one before it."""
    patterns = []
    for size, common in zip(sizes, shared, strict=True):
        rest = list(patterns[-1]) if patterns else []
        pattern = []
        for j in range(common):
            other = j + int(uniform() * (len(rest) - j))
            rest[j], rest[other] = rest[other], rest[j]
            pattern.append(rest[j])
        while len(pattern) < size:
            item = int(uniform() * items)
            if item not in pattern:
                pattern.append(item)
        patterns.append(pattern)
    return patterns


def corrupted(pattern, level, uniform):
    """Drop random items while a uniform number is below the level, but never the last one."""
    left = list(pattern)
    while len(left) > 1 and uniform() < level:
        gone = int(uniform() * len(left))
        left[gone] = left[-1]
        left.pop()
    return left


def fill(patterns, levels, sizes, pick, uniform):
    """Transactions of the given target sizes; `pick` returns the number of the next pattern."""
    transactions, on_hand = [], None
    for target in sizes:
        basket, fruitless = [], 0
        while len(basket) < target and fruitless < 100:
            if on_hand is None:
                i = pick()
                on_hand = corrupted(patterns[i], levels[i], uniform)
            fresh = [item for item in on_hand if item not in basket]
            too_long = len(fresh) > target - len(basket)
            if too_long and basket and uniform() < 0.5:
                break
            basket += fresh
            on_hand = None
            fruitless = 0 if fresh else fruitless + 1
        transactions.append(basket)
    return transactions


def overlap(patterns):
    """Mean share of a pattern that also stands in the one before it."""
    shares = [len(set(a) & set(b)) / len(b) for a, b in pairwise(patterns)]
    return sum(shares) / len(shares)
