"""Records in plain Python: what k-km-anonymity asks, and who can be published as what. Slow and obvious."""

from collections import defaultdict
from itertools import combinations


def classes(records):
    """The items of the persons who are published with the same attributes; `records` are (attributes, items)."""
    found = defaultdict(list)
    for attributes, items in records:
        found[tuple(attributes)].append(set(items))
    return dict(found)


def keeps(records, k, m):
    """Whether k or more share each combination of attributes, and in it each set of up to m items that somebody has."""
    for members in classes(records).values():
        if len(members) < k:
            return False
        for person in members:
            for size in range(1, min(m, len(person)) + 1):
                for chosen in combinations(sorted(person), size):
                    if sum(set(chosen) <= other for other in members) < k:
                        return False
    return True


def cheapest(cost, level, run, runs):
    """The least sum of ``cost(level, run)`` over all ways to cut a run of neighbours into runs of a binary tree."""
    whole = cost(level, run)
    if level == 0:
        return whole
    halves = [half for half in (2 * run, 2 * run + 1) if half < runs[level - 1]]
    return min(whole, sum(cheapest(cost, level - 1, half, runs) for half in halves))


def keeps_degree(members, counts, p):
    """Whether in each group no secret is held by more than 1 in p; `members[g]` are persons, `counts[g][secret]`."""
    return all(p * count <= len(members[group]) for group, held in counts.items() for count in held.values())
