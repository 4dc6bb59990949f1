"""In which group each person may be: every assignment tried, in plain Python."""

from collections import Counter


def needs(rows, secrets, persons):
    """What each person has: baskets with how often, and of each sensitive item that they hold it."""
    found = {}
    for row, secret, person in zip(rows, secrets, persons, strict=True):
        has = found.setdefault(person, Counter())
        has["person"] = 1
        has["basket", frozenset(row)] += 1
        for item in secret:
            has["holder", item] = 1
    return found


def published(groups):
    """What each group states, from the needs of its persons."""
    return [sum(members, Counter()) for members in groups]


def assignments(people, groups):
    """All ways to deal `people`, in order, to groups such that everything published is used up, as tuples of groups."""
    left = [Counter(group) for group in groups]

    def deal(i):
        if i == len(people):
            yield ()
            return
        for g, group in enumerate(left):
            if all(group[what] >= much for what, much in people[i].items()):
                group.subtract(people[i])
                for rest in deal(i + 1):
                    yield (g, *rest)
                group.update(people[i])

    return deal(0)
