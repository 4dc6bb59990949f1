"""Slow twins of what is counted by person."""

from fractions import Fraction
from itertools import combinations, product


def unions(rows, persons):
    """What each person's rows hold together, by person."""
    held = {}
    for row, person in zip(rows, persons, strict=True):
        held.setdefault(person, set()).update(row)
    return held


def degree(groups):
    """Lowest (persons) / (persons who hold an item) over groups of (person, sensitive items); None without any."""
    lowest = None
    for group in groups:
        held = unions([secret for _, secret in group], [person for person, _ in group])
        for item in set().union(*held.values()):
            value = Fraction(len(held), sum(item in secret for secret in held.values()))
            lowest = value if lowest is None else min(lowest, value)
    return lowest


def risk(rows, persons, known):
    """Mean over persons of 1 / (persons whose rows together hold all of `known` items drawn from theirs)."""
    held = unions(rows, persons).values()
    able = [items for items in held if len(items) >= known]
    total = Fraction(0)
    for items in able:
        drawn = [set(chosen) for chosen in combinations(sorted(items), known)]
        total += sum(Fraction(1, sum(chosen <= other for other in held)) for chosen in drawn) / len(drawn)
    return total / len(able) if able else Fraction(0)


def possible(size, persons, counts):
    """Whether `size` rows can be those of `persons` persons so that every (rows, holders) of `counts` can be true.

    By dealing the rows to the persons in every way, and putting an item into every choice of rows.
    """
    for dealt in product(range(persons), repeat=size):
        if len(set(dealt)) == persons and all(
            any(len({dealt[row] for row in rows}) == holders for rows in combinations(range(size), count))
            for count, holders in counts
        ):
            return True
    return False
