"""Slow twins of what a grouped release promises and answers."""

from fractions import Fraction
from itertools import combinations
from math import comb


def degree(groups: list[list[set[str]]]) -> Fraction | None:
    """Lowest |G| / f over groups of sensitive sets; None when nothing sensitive occurs."""
    lowest = None
    for group in groups:
        for s in set().union(*group) if group else set():
            value = Fraction(len(group), sum(s in row for row in group))
            lowest = value if lowest is None else min(lowest, value)
    return lowest


def answers(groups: list[tuple[list[bool], int]]) -> tuple[Fraction, Fraction, int, int]:
    """Mean, variance, minimum and maximum of a count under the permutation model, by enumeration.

    Each group is (which members match the predicate, how many of its members hold the sensitive item).
    """
    mean, variance, low, high = Fraction(0), Fraction(0), 0, 0
    for matches, holders in groups:
        counts = [sum(matches[i] for i in chosen) for chosen in combinations(range(len(matches)), holders)]
        ways = comb(len(matches), holders)
        first = Fraction(sum(counts), ways)
        mean += first
        variance += Fraction(sum(c * c for c in counts), ways) - first * first
        low += min(counts)
        high += max(counts)
    return mean, variance, low, high
