"""Slow twins of PermMondrian and Anatomy, written from the definitions."""


def keeps(members, hidden, p):
    """Whether a group of rows has the degree p."""
    secrets = set().union(*(hidden[i] for i in members)) if members else set()
    return all(p * sum(s in hidden[i] for i in members) <= len(members) for s in secrets)


def split(members, rows, hidden, p, both):
    """The two halves of the best allowed split, or None."""
    best = None
    secrets = set().union(*(hidden[i] for i in members))
    for item in sorted(set().union(*(rows[i] for i in members))):
        inside = [i for i in members if item in rows[i]]
        outside = [i for i in members if item not in rows[i]]
        if not outside or not keeps(inside, hidden, p) or not keeps(outside, hidden, p):
            continue
        if both and not (any(hidden[i] for i in inside) and any(hidden[i] for i in outside)):
            continue
        even = sum(min(sum(s in hidden[i] for i in inside), sum(s in hidden[i] for i in outside)) for s in secrets)
        score = (even, min(len(inside), len(outside)))
        if best is None or score > best[0]:
            best = (score, inside, outside)
    return best and best[1:]


def perm_mondrian(rows, hidden, p, both):
    """The groups that cannot be split any more."""
    waiting, done = [list(range(len(rows)))], []
    while waiting:
        members = waiting.pop()
        halves = split(members, rows, hidden, p, both) if any(hidden[i] for i in members) else None
        if halves:
            waiting += halves
        else:
            done.append(members)
    return done


def anatomy(hidden, p):
    """Groups of rows already in random order: each sensitive row takes the next free ones, wrapping round."""
    free = list(range(len(hidden)))
    made = []
    for t in range(len(hidden)):
        if not hidden[t] or t not in free:
            continue
        here = free.index(t)
        group, taken = [t], set(hidden[t])
        for u in free[here + 1 :] + free[:here]:
            if len(group) < p and not hidden[u] & taken:
                group.append(u)
                taken |= hidden[u]
        left = [u for u in free if u not in group]
        if len(group) == p and keeps(left, hidden, p):
            made.append(group)
            free = left
    if len(free) >= p or not made:
        return [*made, free] if free else made
    for i, u in enumerate(free):
        made[i % len(made)].append(u)
    return made
