"""Slow twins of band order and CAHD, written from the definitions with plain Python collections."""


def band_order(rows: list[set[str]]) -> list[int]:
    """Reverse Cuthill-McKee on the explicit graph of rows that share an item."""
    n = len(rows)
    support: dict[str, int] = {}
    for row in rows:
        for item in row:
            support[item] = support.get(item, 0) + 1
    degree = [sum(support[item] for item in row) for row in rows]
    rank = {row: i for i, row in enumerate(sorted(range(n), key=lambda i: (degree[i], i)))}
    neighbours = [sorted((j for j in range(n) if j != i and rows[i] & rows[j]), key=rank.__getitem__) for i in range(n)]

    def levels(start: int) -> list[list[int]]:
        seen, level, out = {start}, [start], []
        while level:
            out.append(level)
            following = []
            for row in level:
                for other in neighbours[row]:
                    if other not in seen:
                        seen.add(other)
                        following.append(other)
            level = following
        return out

    placed: list[int] = []
    for start in sorted(range(n), key=rank.__getitem__):
        if start in placed:
            continue
        shape = levels(start)
        candidate_shape = shape
        for _ in range(8):
            candidate = min(candidate_shape[-1], key=rank.__getitem__)
            candidate_shape = levels(candidate)
            if len(candidate_shape) <= len(shape):
                break
            start, shape = candidate, candidate_shape
        placed += [row for level in levels(start) for row in level]
    return placed[::-1]


def groups(rows: list[set[str]], secrets: list[set[str]], p: int, alpha: int) -> list[list[int]]:
    """CAHD on rows already in band order (Fig. 8 of the paper), with the rest placed as covey places it."""
    n = len(rows)
    free = list(range(n))
    made: list[list[int]] = []
    for t in range(n):
        if not secrets[t] or t not in free:
            continue
        taken = set(secrets[t])
        candidates: list[int] = []
        here = free.index(t)
        for side in (free[:here][::-1], free[here + 1 :]):
            found = 0
            for u in side:
                if found == alpha * p:
                    break
                if not secrets[u] & taken:
                    taken |= secrets[u]
                    candidates.append(u)
                    found += 1
        if len(candidates) < p - 1:
            continue
        candidates.sort(key=lambda u: (-len(rows[u] & rows[t]), abs(u - t), u > t))
        group = [t, *candidates[: p - 1]]
        left = [u for u in free if u not in group]
        held: dict[str, int] = {}
        for u in left:
            for s in secrets[u]:
                held[s] = held.get(s, 0) + 1
        if all(p * count <= len(left) for count in held.values()):
            made.append(group)
            free = left
    if len(free) >= p or not made:
        return [*made, free] if free else made
    homes = []
    for t in free:
        near = [u for u in range(max(0, t - alpha * p), min(n, t + alpha * p + 1)) if u not in free]
        best = min(near, key=lambda u: (-len(rows[u] & rows[t]), abs(u - t), u > t))
        homes.append((t, next(g for g in made if best in g)))
    for t, group in homes:
        group.append(t)
    return made


def gray_order(rows: list[set[str]], items: list[str]) -> list[int]:
    """Rows by their place among all sets in the order of a Gray code; `items` from the most frequent on."""

    def place(row: set[str]) -> int:
        number, parity = 0, 0
        for item in items:
            parity ^= item in row
            number = 2 * number + parity
        return number

    return sorted(range(len(rows)), key=lambda i: place(rows[i]))


def nearest(rows: list[set[str]], secrets: list[set[str]], p: int, order: list[int]) -> list[list[int]]:
    """Sensitive rows in `order` with the rows that are most like them (Jaccard); the rest as covey places it."""
    free, made = set(range(len(rows))), []
    for t in order:
        if t not in free or not secrets[t]:
            continue
        alike = [u for u in free - {t} if rows[u] & rows[t]]
        near = sorted(alike, key=lambda u: (-(10**6 * len(rows[u] & rows[t]) // len(rows[u] | rows[t])), u))
        group = [t]
        for u in near:
            if len(group) < p and not any(secrets[u] & secrets[v] for v in group):
                group.append(u)
        left = [u for u in free if u not in group]
        held: dict[str, int] = {}
        for u in left:
            for s in secrets[u]:
                held[s] = held.get(s, 0) + 1
        if len(group) == p and all(p * count <= len(left) for count in held.values()):
            made.append(group)
            free -= set(group)
    if len(free) >= p or not made:
        return [*made, sorted(free)] if free else made
    made[-1] += sorted(free)
    return made
