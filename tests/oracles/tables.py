"""Tables in plain Python: losses of groups, longest frequent patterns, optimal cuts, covering rows, guesses."""

from collections import Counter
from itertools import combinations


def span_loss(values, column):
    """Loss of publishing a collection of values of one column as one.

    A column is ("numbers", lowest, highest) or ("tree", paths) with paths = {leaf: [leaf, parent, ..., root]}.
    None is the missing value: alone it loses nothing, mixed with others everything.
    """
    distinct = set(values)
    if len(distinct) == 1:
        return 0.0
    if column[0] == "numbers":
        if None in distinct:
            return 1.0
        _, lowest, highest = column
        return (max(distinct) - min(distinct)) / (highest - lowest)
    paths = column[1]
    shared = [node for node in paths[next(iter(distinct))] if all(node in paths[v] for v in distinct)]
    below = [leaf for leaf in paths if shared[0] in paths[leaf]]
    return len(below) / len(paths)


def group_loss(rows, columns):
    """Summed loss over the columns of a group of rows."""
    return sum(span_loss([row[a] for row in rows], column) for a, column in enumerate(columns))


def gcp(groups, columns):
    """Global certainty penalty of a partition into groups of rows."""
    n = sum(map(len, groups))
    return sum(len(g) * group_loss(g, columns) for g in groups) / (n * len(columns))


def best_line_loss(rows, columns, k):
    """Least Σ |g| · loss(g) over all cuts of the line of rows into groups of at least k."""
    best = {0: 0.0}
    for stop in range(1, len(rows) + 1):
        options = [
            best[begin] + (stop - begin) * group_loss(rows[begin:stop], columns)
            for begin in range(stop - k + 1)
            if begin in best
        ]
        if options:
            best[stop] = min(options)
    return best[len(rows)]


def longest_pattern(rows, k):
    """Length of the longest set of (column, item) pairs that at least k rows share; -1 without k rows."""
    if len(rows) < k:
        return -1
    q = len(rows[0])
    for length in range(q, -1, -1):
        for columns in combinations(range(q), length):
            counts = Counter(tuple(row[a] for a in columns) for row in rows)
            if max(counts.values()) >= k:
                return length
    return -1


def shared_length(rows):
    """In how many columns all rows agree."""
    return sum(len({row[a] for row in rows}) == 1 for a in range(len(rows[0])))


def smallest_class(rows):
    """The k of a table: how often its rarest row occurs."""
    return min(Counter(map(tuple, rows)).values())


def lowest_diversity(rows, secrets, frequency):
    """The l of a table with one secret per row."""
    classes = {}
    for row, secret in zip(rows, secrets, strict=True):
        classes.setdefault(tuple(row), []).append(secret)
    if frequency:
        return min(len(c) / max(Counter(c).values()) for c in classes.values())
    return min(len(set(c)) for c in classes.values())


def matched(candidates, capacity):
    """Most rows that can be given a cell each: row i may take any of candidates[i], cell c capacity[c] rows."""
    taken = {c: [] for c in range(len(capacity))}

    def place(row, seen):
        for cell in candidates[row]:
            if cell in seen:
                continue
            seen.add(cell)
            if len(taken[cell]) < capacity[cell]:
                taken[cell].append(row)
                return True
            for i, other in enumerate(taken[cell]):
                if place(other, seen):
                    taken[cell][i] = row
                    return True
        return False

    return sum(place(row, set()) for row in range(len(candidates)))


def guesses(looks, secrets):
    """By what the rows look like: share guessed right, share certain, and the largest share of a value."""
    right = certain = 0
    shares = []
    for look in set(looks):
        counted = Counter(secret for other, secret in zip(looks, secrets, strict=True) if other == look)
        right += max(counted.values())
        certain += counted.total() if len(counted) == 1 else 0
        shares.append(max(counted.values()) / counted.total())
    return right / len(looks), certain / len(looks), max(shares)


def groups_as_written(items, k):
    """Algorithm 2 of PatternKa for the longest patterns: the rows C_p of each, as sets of row numbers.

    `items` are the rows that are left, by number, each a tuple with one item per column.
    """
    length = longest_pattern(list(items.values()), k)
    found = []
    for columns in combinations(range(len(next(iter(items.values())))), length):
        for value in {tuple(row[a] for a in columns) for row in items.values()}:
            raw = [i for i, row in items.items() if tuple(row[a] for a in columns) == value]
            if len(raw) < k:
                continue
            score = {}
            for i in raw:
                score[i] = 1
                for a in range(len(items[i])):
                    score[i] *= sum(items[other][a] == items[i][a] for other in raw)
            threshold = sorted(score.values())[k - 1]
            found.append({i for i in raw if score[i] <= threshold})
    return found
