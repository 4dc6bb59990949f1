"""Anatomy for baskets: groups drawn at random, whatever their items (Ghinita et al. 2008, section V).

A rival to measure against: it shows what is lost when similarity plays no part. Data flow: random order → each
sensitive transaction takes the next ones without a common sensitive item, O(p · n) → publication. Oracle:
`tests/oracles/rivals.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets
from covey.data.csr import take_rows
from covey.data.jit import kernel
from covey.guarantees.degree import Degree
from covey.methods.base import Groups, GroupsBaskets
from covey.methods.remaining import Left, Rows, all_left, conflicts, mark, ring, unlink, withdraw
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy(GroupsBaskets):
    """Random groups with at most one occurrence of each sensitive item.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> Anatomy(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by anatomy: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "anatomy"

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`, drawn from the seed."""
        progress("grouping", 0.0)
        secret = data.only(data.sensitive)
        order = shuffled_rows(data.n, self.seed)
        return Groups.of(order, *random_groups(take_rows(*secret.csr, order), secret.d, promise.p))


def shuffled_rows(n: int, seed: int | None) -> Ints:
    """A random order of n rows, from another stream than the publication's shuffle with the same seed."""
    return np.random.default_rng(None if seed is None else [seed, 1]).permutation(n)


#: A group's search gives up after this many times p rows that conflict with it, so that a long run of rows
#: that share one sensitive item cannot make the whole quadratic.
PATIENCE = 64


@kernel
def fill_group(t: int, p: int, following: Ints, left: Left, found: Ints) -> int:
    """Write to `found` row `t` and the next p - 1 ungrouped rows without a common sensitive item.

    ``following`` links the ungrouped rows in a ring. Returns how many rows were found. O(p) rows unless rows conflict.
    """
    n = len(following) - 1
    found[0] = t
    count, steps, u = np.int64(1), np.int64(0), following[t]
    mark(t, t, left)
    while count < p and steps < PATIENCE * p and u != t:
        if u < n:
            if not conflicts(u, t, left):
                mark(u, t, left)
                found[count] = u
                count += 1
            steps += 1
        u = following[u]
    return int(count)


@kernel
def random_groups(secret: Rows, m: int, p: int) -> tuple[Ints, int]:
    """Return the group of each row and the number of groups, given the sensitive items of rows in random order.

    Each sensitive row in turn takes the next p - 1 rows without a common sensitive item, unless the rows left
    could then no longer keep the degree. What is left over becomes one group; fewer than p rows hold no
    sensitive item and are dealt out to the groups. Precondition: p · count <= n for every sensitive item.
    O(p · n) unless rows conflict.
    """
    n = len(secret[0]) - 1
    group, left, found, groups = np.full(n, -1, np.int64), all_left(secret, m), np.empty(p, np.int64), np.int64(0)
    previous, following = ring(n)
    for t in range(n):
        if left.ptr[t] == left.ptr[t + 1] or group[t] >= 0:
            continue
        if fill_group(t, p, following, left, found) < p or not withdraw(found, p, left):
            continue
        unlink(found, previous, following)
        group[found] = groups
        groups += 1
    rest = np.flatnonzero(group < 0)
    if len(rest) >= p or groups == 0:
        group[rest] = groups
        return group, int(groups + (1 if len(rest) else 0))
    group[rest] = np.arange(len(rest)) % groups
    return group, int(groups)


def random_groups_within(ptr: Ints, secret: Rows, m: int, p: int) -> tuple[Ints, int]:
    """Return groups as `random_groups` does, made separately inside each range of rows ``ptr[i]:ptr[i + 1]``.

    Precondition: every range keeps the degree p by itself. O(p · n), plus O(m) for each range.
    """
    group, groups = np.empty(len(secret[0]) - 1, np.int64), 0
    for first, last in pairwise(ptr.tolist()):
        inside, made = random_groups((secret[0][first : last + 1], secret[1]), m, p)
        group[first:last] = inside + groups
        groups += made
    return group, groups
