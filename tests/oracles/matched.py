"""A slow twin of `matched`'s groups, in plain Python: every free holder in turn gathers a group."""

from math import log


def groups(rows, hidden, centres, odds, typical, miss, foreign, p, reach, lengthy, likely, alike):
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
            wanted = centres
        t = next((i for i in wanted if i in free and i not in tried), None)
        if t is None:
            break
        tried.add(t)
        found = candidates(t, rows, hidden, support, free, p, reach)
        ranked = sorted(
            range(len(found)),
            key=lambda c: (
                -score(t, found[c], rows, hidden, miss, foreign, lengthy, ((odds, likely), (typical, alike))),
                c,
            ),
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


def candidates(t, rows, hidden, support, free, p, reach):
    """Free rows with t's items, or short ones if it has none; then the next, 4p of them plain."""
    found = []
    for j in sorted(rows[t], key=lambda j: (support[j], j)):
        for v in range(len(rows)):
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


def score(t, v, rows, hidden, miss, foreign, lengthy, told):
    """How good a companion v is for t: like it, and near it in what is told of the items that t holds."""
    whole = max(sum(miss[j] for j in rows[t]), 1.0)
    found = sum(miss[j] if j in rows[t] else -foreign[j] for j in rows[v]) / whole
    found -= lengthy * abs(log((len(rows[v]) + 1) / (len(rows[t]) + 1)))
    # One after the other, as the kernel does it: so ties are ties in both.
    for what, weight in told:
        for s in sorted(hidden[t]):
            found -= weight / len(hidden[t]) * abs(what[t][s] - what[v][s])
    return found


def typicality(rows, hidden, group, secrets):
    """Of the other rows with a row's items, the share that is in groups with each secret, as the mean of its items."""
    told = []
    for i, row in enumerate(rows):
        line = []
        for s in secrets:
            counting = {group[v] for v in range(len(rows)) if s in hidden[v]}
            shares = []
            for j in row:
                others = [v for v in range(len(rows)) if v != i and j in rows[v]]
                if others:
                    shares.append(sum(group[v] in counting for v in others) / len(others))
            line.append(log(sum(shares) / max(len(shares), 1) + 0.01))
        told.append(line)
    return told


def keeps(members, hidden, p):
    """Whether rows have the degree p as one group."""
    secrets = set().union(*(hidden[i] for i in members)) if members else set()
    return all(p * sum(s in hidden[i] for i in members) <= len(members) for s in secrets)
