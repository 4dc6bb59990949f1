"""What exchanges between groups are judged by, in plain Python."""

from collections import Counter
from math import log


def deviance(rows, hidden, group, aim, weight):
    """The weighted deviance between ``aim[s][f]`` and what equal shares tell; None is not looked at."""
    sizes, total = Counter(group), 0.0
    for s, aims in enumerate(aim):
        counts = Counter(g for g, held in zip(group, hidden, strict=True) if s in held)
        for f, wanted in enumerate(aims):
            if wanted is None:
                continue
            told = sum(counts[g] / sizes[g] for g, row in zip(group, rows, strict=True) if f in row)
            total += weight[f] * ((wanted + 0.05) * log((wanted + 0.05) / (told + 0.05)) - wanted + told)
    return total
