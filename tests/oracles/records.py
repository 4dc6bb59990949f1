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


def dealt_at_most(fits):
    """How many persons can get a record of their own, `fits[person]` being the records that fit: augmenting paths."""
    taken = {}

    def place(person, seen):
        for record in fits[person]:
            if record not in seen:
                seen.add(record)
                if record not in taken or place(taken[record], seen):
                    taken[record] = person
                    return True
        return False

    return sum(place(person, set()) for person in range(len(fits)))


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


def meaning_lost(published, persons, fits, below, height_loss):
    """The share of items lost: a label counts for the mean number of items below it of those whom its class fits.

    `published` are (attributes, labels), `persons` (attributes, items); ``fits(cell, attributes)`` and ``below(label,
    item)`` say who could be in a class and what stands for what; ``height_loss(label)`` is the loss of one label.
    """
    entries = sum(len(items) for _, items in persons)
    kept = 0.0
    for cell, labels in published:
        able = [items for attributes, items in persons if fits(cell, attributes)]
        for label in labels:
            held = [sum(below(label, item) for item in items) for items in able]
            held = [count for count in held if count]
            kept += (1 - height_loss(label)) * (sum(held) / len(held) if held else 1)
    return max(entries - kept, 0) / max(entries, 1)
