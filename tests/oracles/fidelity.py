"""Could this grouped release have been made from that original? By exhaustive assignment; tiny data only."""

from collections import Counter
from itertools import permutations


def possible(
    original: list[tuple[frozenset[str], frozenset[str]]],
    groups: list[tuple[list[frozenset[str]], dict[str, int]]],
) -> bool:
    """Whether some assignment of the original rows to the published ones explains every group's counts."""
    published = [(g, row) for g, (rows, _) in enumerate(groups) for row in rows]
    if Counter(row for _, row in published) != Counter(row for row, _ in original):
        return False
    for order in permutations(range(len(original))):
        if any(original[i][0] != row for i, (_, row) in zip(order, published, strict=True)):
            continue
        counts: list[Counter[str]] = [Counter() for _ in groups]
        for i, (g, _) in zip(order, published, strict=True):
            counts[g].update(original[i][1])
        if all(dict(counts[g]) == groups[g][1] for g in range(len(groups))):
            return True
    return False
