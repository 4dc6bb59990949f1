"""A slow twin of `matched`'s groups, in plain Python: every free row in turn becomes a centre."""

from math import exp, inf, log


def groups(rows, hidden, odds, miss, foreign, p, reach, span, lengthy, likely):
    """The groups of p rows, centres last, and the rows left over; `rows` are lists of item numbers."""
    order = range(len(rows))
    support = {}
    for row in rows:
        for j in row:
            support[j] = support.get(j, 0) + 1
    free, tried, made = set(range(len(rows))), set(), []
    secrets = sorted(set().union(*hidden))
    while len(free) >= p:
        held = {s: sum(s in hidden[i] for i in free) for s in secrets}
        most = max(held.values())
        if p * most > len(free) - p:  # each further group needs a holder
            wanted = [i for s in secrets if held[s] == most for i in order if s in hidden[i]]
        else:
            wanted = order
        t = next((i for i in wanted if i in free and i not in tried), None)
        if t is None:
            break
        tried.add(t)
        found = candidates(t, rows, hidden, support, free, p, reach, span)
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


def candidates(t, rows, hidden, support, free, p, reach, span):
    """Free rows before t + span with t's items, or short ones if it has none; then the next, 4p of them plain."""
    found = []
    for j in sorted(rows[t], key=lambda j: (support[j], j)):
        for v in range(min(len(rows), t + span)):
            if v in free and v != t and v not in found and j in rows[v] and len(found) < reach:
                found.append(v)
    if not rows[t]:
        found = [v for v in sorted(range(len(rows)), key=lambda v: len(rows[v])) if rows[v] and v in free][:reach]
    plain = holding = 0
    for v in range(t + 1, len(rows)):
        if v not in free or plain == 4 * p:
            continue
        if not hidden[v]:
            plain += 1
        elif holding == 4 * p or hidden[v] & hidden[t]:
            continue
        else:
            holding += 1
        if v not in found:
            found.append(v)
    return found


def score(t, v, rows, odds, miss, foreign, lengthy, likely):
    """How good a companion v is for t."""
    whole = max(sum(miss[j] for j in rows[t]), 1.0)
    common = sum(miss[j] if j in rows[t] else -foreign[j] for j in rows[v])
    chance = [1 / (1 + exp(-x)) for x in odds[t]]
    total = sum(chance)
    apart = sum(c / total * abs(a - b) for c, a, b in zip(chance, odds[t], odds[v], strict=True) if c >= 0.02 * total)
    length = abs(log((len(rows[v]) + 1) / (len(rows[t]) + 1)))
    return max(common / whole - lengthy * length - likely * apart, -inf)


def keeps(members, hidden, p):
    """Whether rows have the degree p as one group."""
    secrets = set().union(*(hidden[i] for i in members)) if members else set()
    return all(p * sum(s in hidden[i] for i in members) <= len(members) for s in secrets)
