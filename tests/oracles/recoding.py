"""Slow twins for taxonomies, threats, cuts and their checks: plain Python over sets, nothing from covey.

A tree is ``{node: [children]}`` with every leaf present as a key with an empty list, and a root.
"""

import math
from itertools import combinations


def parents(tree):
    return {child: node for node, below in tree.items() for child in below}


def ancestors(tree, node):
    up, out = parents(tree), [node]
    while out[-1] in up:
        out.append(up[out[-1]])
    return out


def leaves(tree, node):
    return {node} if not tree[node] else set().union(*(leaves(tree, c) for c in tree[node]))


def extended(tree, row):
    return frozenset(a for item in row for a in ancestors(tree, item))


def unrelated(tree, nodes):
    return all(a not in ancestors(tree, b) and b not in ancestors(tree, a) for a, b in combinations(nodes, 2))


def minimal_threats(rows, tree, k, m):
    rows = [extended(tree, row) for row in rows]
    nodes = sorted({x for row in rows for x in row})
    found = []
    for size in range(1, min(m, max(map(len, rows), default=1)) + 1):
        for group in combinations(nodes, size):
            if any(set(small) <= set(group) for small in found) or not unrelated(tree, group):
                continue
            if 0 < sum(set(group) <= row for row in rows) < k:
                found.append(group)
    return sorted(found, key=lambda t: (len(t), t))


def rare_sets(rows, k, m):
    """All sets of at most m labels that occur in fewer than k rows."""
    counts = {}
    for row in rows:
        for size in range(1, min(m, len(row)) + 1):
            for group in combinations(sorted(row), size):
                counts[group] = counts.get(group, 0) + 1
    return {group: count for group, count in counts.items() if count < k}


def moles(rows, private, k, p, h):
    """Minimal sets of at most p items that are too rare or give a private item away."""
    items = sorted({x for row in rows for x in row})
    found = []
    for size in range(1, min(p, len(items)) + 1):
        for group in combinations(items, size):
            holders = [s for row, s in zip(rows, private, strict=True) if set(group) <= set(row)]
            if not holders or any(set(small) <= set(group) for small in found):
                continue
            most = max((sum(x in s for s in holders) for x in set().union(*holders)), default=0)
            if len(holders) < k or most > h * len(holders) + 1e-9:
                found.append(group)
    return found


def suppress_moles(rows, private, k, p, h):
    found, gone = moles(rows, private, k, p, h), set()
    support = {x: sum(x in row for row in rows) for row in rows for x in row}
    while found:
        count = {x: sum(x in mole for mole in found) for mole in found for x in mole}
        worst = max(sorted(count), key=lambda x: (count[x] / support[x], x))
        gone.add(worst)
        found = [mole for mole in found if worst not in mole]
    return gone


def cheapest_suppression(rows, k, m):
    """Occurrences that go with the cheapest choice of items whose removal leaves no rare set."""
    rare = [set(group) for group in rare_sets(rows, k, m)]
    items = sorted({x for group in rare for x in group})
    price = {x: sum(x in row for row in rows) for x in items}
    best = math.inf
    for size in range(len(items) + 1):
        for gone in combinations(items, size):
            if all(group & set(gone) for group in rare):
                best = min(best, sum(price[x] for x in gone))
    return best


def loss_of(tree, root, node):
    return (len(leaves(tree, node)) - 1) / max(len(leaves(tree, root)) - 1, 1)


def occurrences(rows, tree, node):
    below = leaves(tree, node)
    return sum(len(set(row) & below) for row in rows)


def scenario(rows, tree, root, cut, threats):
    """The inner loop: (cost of the cut with its suppression scenario, the labels suppressed)."""

    def price(x):
        return occurrences(rows, tree, x) * (1 - loss_of(tree, root, x))

    relevant = [set(t) for t in threats if set(t) <= set(cut)]
    kept = []
    for x in sorted(cut, key=lambda x: (-price(x), x)):
        if not any(t <= {*kept, x} for t in relevant):
            kept.append(x)
    gone = [x for x in cut if x not in kept]
    cost = sum(occurrences(rows, tree, x) * loss_of(tree, root, x) for x in cut) + sum(map(price, gone))
    return cost, {x for x in gone if occurrences(rows, tree, x)}


def hghs(rows, tree, root, k, m, allowed=None, start=None):
    """The outer loop: every cut on the way with its cost and suppressed labels."""
    threats = minimal_threats(rows, tree, k, m)
    cut = [root] if start is None else list(start)
    path = [(cut, *scenario(rows, tree, root, cut, threats))]
    while True:
        options = []
        for x in cut:
            if tree[x] and (allowed is None or x in allowed):
                child = [y for y in cut if y != x] + tree[x]
                options.append((child, *scenario(rows, tree, root, child, threats)))
        if not options or min(o[1] for o in options) >= path[-1][1] - 1e-9:
            return path
        path.append(min(options, key=lambda o: o[1]))
        cut = path[-1][0]


def _choices(chains):
    if not chains:
        return [()]
    rest = _choices(chains[1:])
    return [(a, *r) for a in chains[0] for r in rest]


def longest(rows):
    return max((len(r) for r in rows), default=1) or 1
