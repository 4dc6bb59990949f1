"""Disassociation by definition, on plain Python sets: slow, and without covey.

A release is (sizes of clusters, chunks as (first, last, [sets]), terms of each cluster).
"""

from collections import Counter
from itertools import combinations, pairwise, permutations, product


def rare_set(rows, k, m):
    """A set of at most m items that occurs in fewer than k of `rows`, or None."""
    support = Counter(
        subset for row in rows for size in range(1, min(m, len(row)) + 1) for subset in combinations(sorted(row), size)
    )
    return next((subset for subset, often in support.items() if often < k), None)


def split(rows, least, cluster, k):
    """Clusters as lists of row numbers: by frequent items, the most frequent first; the rest is cut evenly.

    Items are numbers.
    """

    def parts(numbers):
        if len(numbers) < cluster:
            return [numbers]
        support = Counter(item for row in numbers for item in rows[row])
        left, found = list(numbers), []
        for item in sorted(support, key=lambda item: (support[item], item), reverse=True):
            holders = [row for row in left if item in rows[row]]
            rest = len(left) - len(holders)
            if support[item] == len(numbers) or len(holders) < least or len(left) < cluster or 0 < rest < k:
                continue
            found += parts(holders)
            left = [row for row in left if item not in rows[row]]
        # Those who share an item stand side by side, by the most frequent one first.
        rank = {item: (-often, -item) for item, often in support.items() if often < len(numbers)}
        left.sort(key=lambda row: min((rank[item] for item in rows[row] if item in rank), default=(1, 0)))
        many = min(len(left) // max(cluster - 1, 1) + 1, len(left) // k)
        edges = [part * len(left) // many for part in range(many)] + [len(left)] if many else []
        return found + [left[a:b] for a, b in pairwise(edges)]

    return parts(list(range(len(rows)))) if rows else []


def deal(rows, k, m):
    """The chunk of each item that k rows hold: by falling support, the chunk that it is most often beside."""
    support = Counter(item for row in rows for item in row)
    chunks = []
    chosen = [item for item in support if support[item] >= k]
    for item in sorted(chosen, key=lambda item: (support[item], item), reverse=True):
        fitting = [
            (-sum(len(row & chunk) for row in rows if item in row), number)
            for number, chunk in enumerate(chunks)
            if rare_set([row & (chunk | {item}) for row in rows], k, m) is None
        ]
        if fitting:
            chunks[min(fitting)[1]].add(item)
        else:
            chunks.append({item})
    return {item: number for number, chunk in enumerate(chunks) for item in chunk}


def keeps(sizes, chunks, terms, k, m):
    """Whether the conditions for km-anonymity hold, word for word."""
    claims = [(first, last, frozenset().union(*sets)) for first, last, sets in chunks]
    claims += [(c, c, frozenset(named)) for c, named in enumerate(terms)]
    for (a, b, items), (c, d, others) in combinations(claims, 2):
        if a < c <= b < d or c < a <= d < b:
            return False
        if (a, b) == (c, d) and items & others:
            return False
    for number, (first, last, items) in enumerate(claims[: len(chunks)]):
        inside = [o for i, (c, d, o) in enumerate(claims) if i != number and first <= c and d <= last]
        if len(items) > 1 and any(items & others for others in inside):
            return False
        if rare_set(chunks[number][2], k, m) is not None:
            return False
        for item in items:
            narrower = [
                (c, d) for c, d, o in claims if item in o and first <= c and d <= last and (c, d) != (first, last)
            ]
            taken = {x for c, d in narrower for x in range(c, d + 1)}
            if len(chunks[number][2]) > sum(sizes[c] for c in range(first, last + 1) if c not in taken):
                return False
    for cluster, size in enumerate(sizes):
        covering = [c for c in chunks if c[0] <= cluster <= c[1]]
        if (covering or terms[cluster]) and size < k:
            return False
        own = [sets for first, last, sets in chunks if first == last == cluster]
        needed = size + k * max(min(m, len(own)) - 1, 0)
        if (covering or own) and not terms[cluster] and sum(map(len, own)) < needed:
            return False
    return True


def originals(sizes, chunks, terms, limit=60_000):
    """Every original that a release may be of, as lists of sets by record; None when there are more than `limit`.

    Records without an item are none, but in clusters of which nothing is published.
    """
    home = [cluster for cluster, size in enumerate(sizes) for _ in range(size)]
    narrowest = {}
    for first, last, items in sorted(
        [(f, last, frozenset().union(*sets)) for f, last, sets in chunks], key=lambda c: c[0] - c[1]
    ):
        for cluster in range(first, last + 1):
            narrowest |= {(cluster, item): (first, last) for item in items}
    narrowest |= {(cluster, item): None for cluster, named in enumerate(terms) for item in named}
    ways = []
    for first, last, sets in chunks:
        places = [r for r, cluster in enumerate(home) if first <= cluster <= last]
        fits = [
            chosen
            for chosen in permutations(places, len(sets))
            if all(narrowest[home[r], x] == (first, last) for r, s in zip(chosen, sets, strict=True) for x in s)
        ]
        ways.append([list(zip(chosen, sets, strict=True)) for chosen in fits])
    for cluster, named in enumerate(terms):
        places = [r for r, c in enumerate(home) if c == cluster]
        held = [chosen for size in range(1, len(places) + 1) for chosen in combinations(places, size)]
        ways += [[[(r, {item}) for r in chosen] for chosen in held] for item in sorted(named)]
    total = 1
    for way in ways:
        total *= len(way)
        if total > limit:
            return None
    used = {c for first, last, _ in chunks for c in range(first, last + 1)} | {c for c, t in enumerate(terms) if t}
    found = []
    for chosen in product(*ways):
        records = [set() for _ in home]
        for placed in chosen:
            for record, items in placed:
                records[record] |= items
        if all(record or home[r] not in used for r, record in enumerate(records)):
            found.append(records)
    return found


def top_sets(rows, top):
    """The most frequent sets of one to three items; of equally frequent ones the smaller, then by label."""
    support = Counter(s for row in rows for size in (1, 2, 3) for s in combinations(sorted(row), size))
    return set(sorted(support, key=lambda s: (-support[s], len(s), s))[:top])
