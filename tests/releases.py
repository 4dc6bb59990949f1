"""Generated releases for tests of what is measured on them, as covey's and as plain Python objects."""

from hypothesis import assume, settings
from hypothesis import strategies as st

from strategies import baskets_of, transactions

#: A release is made for every example, so fewer do.
few = settings(max_examples=20)


@st.composite
def cases(draw, distinct=False, max_rows=24):
    """(baskets, rows, hidden, release, groups) with the release of one of the methods.

    With `distinct` every basket holds an item of its own, so that it is known which row is which.
    """
    import covey

    rows, hidden = draw(transactions(max_rows=max_rows))
    if distinct:
        rows = [row | {f"own{i:02}"} for i, row in enumerate(rows)]
    p = draw(st.integers(2, 4))
    held = {s: sum(s in h for h in hidden) for s in set().union(*hidden)}
    assume(held and set().union(*rows) and all(p * count <= len(rows) for count in held.values()))
    data = baskets_of(rows, hidden)
    method = draw(st.sampled_from(["cahd", "perm-mondrian", "anatomy"]))
    release = covey.anonymize(data, f"degree(p={p})", method, seed=draw(st.integers(0, 99)))
    return data, rows, hidden, release, groups_of(release)


def groups_of(release):
    """The release as a list of (published baskets, {sensitive item: count})."""
    groups = []
    for g in range(release.groups):
        start, stop = release.group_ptr[g : g + 2]
        baskets = [set(release.transactions.basket(row)) for row in range(start, stop)]
        counts = {
            release.sensitive_items[release.count_item[e]]: int(release.count[e])
            for e in range(len(release.count))
            if release.count_group[e] == g
        }
        groups.append((baskets, counts))
    return groups


def group_members(release, group):
    """The published baskets of one group."""
    return [release.transactions.basket(row) for row in range(*release.group_ptr[group : group + 2])]
