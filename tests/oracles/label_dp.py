"""label-dp in plain Python: what a transaction adds to the sums, the sums, and the exact likelihood ratio."""

from collections import Counter
from fractions import Fraction
from math import sqrt

GRID = 65536
STARTS = (0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24, 33, 48, 65)


def cell_of(items, scores, cells):
    """The cell whose scores add up to the most over some items, the first of equals; `scores` by item and cell."""
    totals = [sum(scores.get((item, cell), 0) for item in items) for cell in range(cells)]
    return totals.index(max(totals))


def vector(items, supports, cell):
    """What a transaction adds to the sums, by part and name; `supports` has the frequent items with their supports."""
    rarity = {item: int(2**20 / sqrt(supports[item])) for item in items if item in supports}
    added = {("total", ""): GRID, ("cell", str(cell)): GRID}
    for item, one in rarity.items():
        added["item", item] = GRID if len(rarity) <= 2 else min(2 * GRID * one // sum(rarity.values()), GRID)
    start = max(start for start in STARTS if start <= len(items))
    added["length", str(start)] = GRID
    return added


def sums_of(vectors):
    """The sums over transactions."""
    total = Counter()
    for one in vectors:
        total.update(one)
    return total


def log_ratio(published, scales, sums, others):
    """ln P(published | sums) - ln P(published | others), exactly; all by part and name, scales by part."""
    return sum(
        Fraction(abs(value - others.get(key, 0)) - abs(value - sums.get(key, 0)), scales[key[0]])
        for key, value in published.items()
    )
