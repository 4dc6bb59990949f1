"""k-anonymity of sets in plain Python: every definition by trying everything."""

from collections import Counter
from itertools import combinations


def patterns(rows, weights, k, length):
    """All item sets of `length` that rows of total weight k or more hold, with their weight."""
    items = sorted(set().union(*rows)) if rows else []
    found = {}
    for candidate in combinations(items, length):
        weight = sum(w for row, w in zip(rows, weights, strict=True) if set(candidate) <= row)
        if weight >= k:
            found[frozenset(candidate)] = weight
    return found


def longest(rows, weights, k):
    """The patterns of the greatest length that has any; none is {}."""
    for length in range(max(map(len, rows), default=0), 0, -1):
        found = patterns(rows, weights, k, length)
        if found:
            return found
    return {}


def partners(row, item, rows, weights, k):
    """The other items of `row` that rows of weight k hold together with `item`."""
    return {x for x in row if x != item and held({x, item}, rows, weights) >= k}


def held(items, rows, weights):
    """Weight of the rows that hold all the items."""
    return sum(w for row, w in zip(rows, weights, strict=True) if items <= row)


def anonymity(rows):
    """How often the rarest set occurs; None when there is no row."""
    return min(Counter(map(frozenset, rows)).values(), default=None)


def assignable(published, original):
    """Whether each published set can be given to an original row of its own that holds it (augmenting paths)."""
    if len(published) != len(original):
        return False
    owner = [None] * len(original)

    def place(p, seen):
        for o, row in enumerate(original):
            if o not in seen and set(published[p]) <= set(row):
                seen.add(o)
                if owner[o] is None or place(owner[o], seen):
                    owner[o] = p
                    return True
        return False

    return all(place(p, set()) for p in range(len(published)))


def gcp(published, original):
    """Share of the original's items that is not published."""
    return 1 - sum(map(len, published)) / sum(map(len, original))


def split_top_down(rows, k):
    """What each row is published as: the split by one item that keeps most is taken while both parts have k rows."""

    def center(part):
        return frozenset.intersection(*(frozenset(rows[i]) for i in part))

    def kept(part):
        return len(part) * len(center(part))

    published, waiting = {}, [list(range(len(rows)))] if rows else []
    while waiting:
        part = waiting.pop()
        best = None
        for item in sorted(set().union(*(rows[i] for i in part))):
            inside = [i for i in part if item in rows[i]]
            outside = [i for i in part if item not in rows[i]]
            if min(len(inside), len(outside)) >= k:
                total = kept(inside) + kept(outside)
                if best is None or total > best[0]:
                    best = total, inside, outside
        if best is None:
            published.update({i: center(part) for i in part})
        else:
            waiting += best[1:]
    return [published[i] for i in range(len(rows))]
