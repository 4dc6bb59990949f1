"""Trees grown from co-occurrence, in plain Python: which sets of items become nodes."""

from __future__ import annotations

from math import sqrt


def nodes(rows: list[set[int]], items: int, fanout: int) -> set[frozenset[int]]:
    """The leaves below every inner node of the tree."""
    level = [frozenset([item]) for item in range(items)]
    made: set[frozenset[int]] = set()
    fill = False
    while len(level) > 1:
        groups = grouped(rows, len(level), fanout, fill)
        if not fill and len(groups) == len(level):
            fill = True
            continue
        owner = {member: number for number, group in enumerate(groups) for member in group}
        level = [frozenset().union(*(level[member] for member in group)) for group in groups]
        made |= {node for node in level if len(node) > 1}
        rows = [{owner[node] for node in row} for row in rows]
        fill = True
    return made


def grouped(rows: list[set[int]], size: int, fanout: int, fill: bool) -> list[list[int]]:
    """The fullest node left with those that go best with it; then, if `fill`, with the fullest others."""
    support = [sum(node in row for row in rows) for node in range(size)]
    order = sorted(range(size), key=lambda node: (-support[node], node))
    free, groups = set(range(size)), []
    for seed in order:
        if seed not in free:
            continue
        free.remove(seed)
        shared = {node: sum(seed in row and node in row for row in rows) for node in free}
        near = sorted((node for node in free if shared[node]), key=lambda n: (-shared[n] / sqrt(support[n]), n))
        group = [seed, *near[: fanout - 1]]
        free -= set(group)
        while fill and free and len(group) < fanout:
            group.append(next(node for node in order if node in free))
            free.remove(group[-1])
        groups.append(group)
    return groups
