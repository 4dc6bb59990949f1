"""A slow twin of `matched`'s groups, in plain Python: every free row in order becomes a centre."""

from math import exp, inf, log


def groups(rows, hidden, order, odds, miss, foreign, p, reach, lengthy, likely):
    """The groups of p rows, centres last, and the rows left over; `rows` are lists of item numbers."""
    place = {row: i for i, row in enumerate(order)}
    support = {}
    for row in rows:
        for j in row:
            support[j] = support.get(j, 0) + 1
    free, made = set(range(len(rows))), []
    for t in order:
        if t not in free:
            continue
        found = candidates(t, rows, order, place, support, free, p, reach)
        ranked = sorted(
            range(len(found)),
            key=lambda c: (-score(t, found[c], rows, odds, miss, foreign, lengthy, likely), c),
        )
        members, taken = [], set(hidden[t])
        for c in ranked:
            if len(members) < p - 1 and not taken & hidden[found[c]]:
                members.append(found[c])
                taken |= hidden[found[c]]
        if len(members) == p - 1 and keeps(free - {t, *members}, hidden, p):
            made.append([*members, t])
            free -= {t, *members}
    return made, free


def candidates(t, rows, order, place, support, free, p, reach):
    """Free rows with t's items, rarest first, then the next 4p free ones."""
    found = []
    for j in sorted(rows[t], key=lambda j: (support[j], j)):
        for v in order:
            if v in free and v != t and v not in found and j in rows[v] and len(found) < reach:
                found.append(v)
    later = [v for v in order[place[t] + 1 :] if v in free][: 4 * p]
    return found + [v for v in later if v not in found]


def score(t, v, rows, odds, miss, foreign, lengthy, likely):
    """How good a companion v is for t."""
    whole = max(sum(miss[j] for j in rows[t]), 1.0)
    common = sum(miss[j] if j in rows[t] else -foreign[j] for j in rows[v])
    chance = [1 / (1 + exp(-x)) for x in odds[t]]
    total = sum(chance)
    apart = sum(
        c / total * abs(a - b) for c, a, b in zip(chance, odds[t], odds[v], strict=True) if c >= 0.02 * total
    )
    length = abs(log((len(rows[v]) + 1) / (len(rows[t]) + 1)))
    return max(common / whole - lengthy * length - likely * apart, -inf)


def keeps(members, hidden, p):
    """Whether rows have the degree p as one group."""
    secrets = set().union(*(hidden[i] for i in members)) if members else set()
    return all(p * sum(s in hidden[i] for i in members) <= len(members) for s in secrets)
