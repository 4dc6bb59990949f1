"""What exchanges between groups are judged by, in plain Python."""

from collections import Counter
from math import log


def deviance(rows, levels, hidden, group, aim, weight):
    """The weighted deviance between ``aim[s][f]`` and what equal shares tell; row i also has ``levels[s][i]``."""
    sizes, total = Counter(group), 0.0
    for s, aims in enumerate(aim):
        counts = Counter(g for g, held in zip(group, hidden, strict=True) if s in held)
        for f, wanted in enumerate(aims):
            having = [g for g, row, level in zip(group, rows, levels[s], strict=True) if f in row or f == level]
            told = sum(counts[g] / sizes[g] for g in having)
            total += weight[s][f] * ((wanted + 0.05) * log((wanted + 0.05) / (told + 0.05)) - wanted + told)
    return total
