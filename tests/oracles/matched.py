"""A slow twin of `matched`'s groups, in plain Python: every free holder in turn gathers a group."""

from math import log


def groups(rows, hidden, centres, odds, typical, miss, foreign, seen, p, reach, lengthy, likely, alike):
    """The groups of p rows, centres last, and the rows left over; `rows` are lists of item numbers.

    `seen` are the items that candidates are known to have before they are looked at closely.
    """
    order = range(len(rows))
    free, tried, made = set(order), set(), []
    listed = len(rows)  # lists name rows that had no group when there were so many
    lists = {j: [v for v in order if j in rows[v]] for j in set().union(*rows)} | {None: list(order)}
    secrets = sorted(set().union(*hidden))
    told = ((odds, likely), (typical, alike))
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
        if 2 * len(free) < listed:
            lists = {j: [v for v in of if v in free] for j, of in lists.items()}
            listed = len(free)
        width = 8 * p if rows[t] else max(8 * p, reach)
        members = []
        while len(members) < p - 1 and width <= max(512 * p, reach):
            able = [v for v in free if v != t and not hidden[v] & hidden[t]]
            found = candidates(t, rows, lists, able, seen, reach, width)
            rough = {v: -score(t, v, known, rows, hidden, miss, foreign, lengthy, told) for v, known in found.items()}
            best = sorted(range(len(found)), key=lambda c: (list(rough.values())[c], c))[: 8 * p]
            near = [list(found)[c] for c in sorted(best)]
            exact = {v: -score(t, v, rows[v], rows, hidden, miss, foreign, lengthy, told) for v in near}
            members, taken = [], set(hidden[t])
            for v in sorted(near, key=exact.get):
                if len(members) < p - 1 and not taken & hidden[v]:
                    members.append(v)
                    taken |= hidden[v]
            width *= 4
        if len(members) == p - 1 and keeps(free - {t, *members}, hidden, p):
            made.append([*members, t])
            free -= {t, *members}
    return made, free


def candidates(t, rows, lists, able, seen, reach, width):
    """Rows that may join t, with those of t's items that each is known to have, in the order in which they are met."""
    found, left = {}, reach
    for j in sorted(rows[t], key=lambda j: (len(lists[j]), j)):
        near = nearest(lists[j], t, left)
        left -= len(near)
        for v in near:
            if v in able:
                found.setdefault(v, set()).add(j)
    for v in nearest(lists[None], t, width):
        if v in able:
            found.setdefault(v, set())
    return {v: {j for j in rows[t] if j in rows[v] and (j in seen or j in known)} for v, known in found.items()}


def nearest(rows, t, width):
    """`width` rows of an ascending list around t's place in it."""
    first = max(min(sum(v < t for v in rows) - width // 2, len(rows) - width), 0)
    return rows[first : first + width]


def score(t, v, known, rows, hidden, miss, foreign, lengthy, told):
    """How good a companion v is for t: like it, and near it in what is told of the items that t holds."""
    whole = max(sum(miss[j] for j in rows[t]), 1.0)
    found = (sum(miss[j] + foreign[j] for j in rows[t] if j in known) - sum(foreign[j] for j in rows[v])) / whole
    found -= lengthy * abs(log(len(rows[v]) + 1) - log(len(rows[t]) + 1))
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
