"""The compiled loops that draw synthetic baskets; they take a NumPy generator and call only its `random`.

Using `random` alone keeps the stream of numbers the same with and without compilation.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.data.jit import kernel

# A basket that this many patterns or goods in a row could not extend is closed short of its target.
PATIENCE = 100


@kernel
def alias_table(weights: Floats) -> tuple[Floats, Ints]:
    """Return the (keep, alias) arrays from which `pick` draws a position in proportion to its weight.

    Precondition: weights are finite, not negative, and not all zero. O(len(weights)). Vose, "A linear
    algorithm for generating random numbers with a given distribution", 1991.
    """
    size = len(weights)
    keep = weights * (size / weights.sum())
    alias = np.arange(size)
    # One array holds both stacks: the poor grow from the left, the rich from the right.
    stack = np.empty(size, np.int64)
    poor, rich = np.int64(0), np.int64(size)
    for i in range(size):
        if keep[i] < 1.0:
            stack[poor] = i
            poor += 1
        else:
            rich -= 1
            stack[rich] = i
    while poor > 0 and rich < size:
        poor -= 1
        taker, giver = stack[poor], stack[rich]
        alias[taker] = giver
        keep[giver] -= 1.0 - keep[taker]
        if keep[giver] < 1.0:
            rich += 1
            stack[poor] = giver
            poor += 1
    # Only rounding leaves columns on a stack, and all but full ones.
    for s in range(poor):
        keep[stack[s]] = 1.0
    for s in range(rich, size):
        keep[stack[s]] = 1.0
    return keep, alias


@kernel
def pick(rng: np.random.Generator, keep: Floats, alias: Ints) -> int:
    """Return a position drawn by the weights behind an alias table, from one uniform number. O(1)."""
    point = rng.random() * len(keep)
    column = int(point)
    return column if point - column < keep[column] else int(alias[column])


@kernel
def draw_patterns(rng: np.random.Generator, sizes: Ints, shared: Ints, items: int, seen: Ids) -> Ints:
    """Return the members of all patterns, one pattern after the other, distinct within a pattern.

    Pattern i takes ``shared[i]`` random members from pattern i - 1 and the others from ``range(items)``.

    Precondition: ``shared[i] <= min(sizes[i - 1], sizes[i]) <= items``, ``shared[0] == 0``, `seen` is zero
    and has `items` entries. Expected O(members) while patterns are small beside `items`. Agrawal and
    Srikant, "Fast algorithms for mining association rules", 1994, "Generation of synthetic data".
    """
    members = np.empty(sizes.sum(), np.int64)
    previous = np.empty(sizes.max(), np.int64)
    write = np.int64(0)
    for i in range(len(sizes)):
        for j in range(shared[i]):
            # The first j of `previous` are already taken: a shuffle that stops after shared[i] steps.
            other = j + int(rng.random() * (sizes[i - 1] - j))
            previous[j], previous[other] = previous[other], previous[j]
            members[write + j] = previous[j]
            seen[previous[j]] = i + 1
        for j in range(shared[i], sizes[i]):
            item = int(rng.random() * items)
            while seen[item] == i + 1:
                item = int(rng.random() * items)
            members[write + j] = item
            seen[item] = i + 1
        for j in range(sizes[i]):
            previous[j] = members[write + j]
        write += sizes[i]
    return members


@kernel
def corrupt(rng: np.random.Generator, pattern: Ids, level: float, hand: Ids) -> int:
    """Copy `pattern` to `hand`, dropping random members while uniform < `level`; return how many are left.

    The last member always stays. O(members).
    """
    left = len(pattern)
    for j in range(left):
        hand[j] = pattern[j]
    while left > 1 and rng.random() < level:
        gone = int(rng.random() * left)
        left -= 1
        hand[gone] = hand[left]
    return left


@kernel
def fill_from_patterns(
    rng: np.random.Generator,
    starts: Ints,
    members: Ids,
    levels: Floats,
    keep: Floats,
    alias: Ints,
    sizes: Ints,
    held: Ints,
    hand: Ids,
    waiting: Ints,
    row: int,
    lengths: Ints,
    indices: Ids,
) -> int:
    """Write baskets of the given target sizes, of which the first is number `row`; return the number of entries.

    Pattern i is ``members[starts[i]:starts[i + 1]]``. ``hand[:waiting[0]]`` is a pattern that the previous
    basket left over, and on return the one that the next call has to begin with. ``held[item]`` is one more
    than the last row that holds the item.

    Precondition: no target exceeds the number of different members; `hand` has room for the longest pattern, and
    `indices` for that and the target of every basket. O(entries written). Agrawal and Srikant 1994, "Generation of
    synthetic data".
    """
    on_hand = waiting[0]
    write = np.int64(0)
    for k in range(len(sizes)):
        target, begin = sizes[k], write
        fruitless = 0
        while write - begin < target and fruitless < PATIENCE:
            if on_hand == 0:
                i = pick(rng, keep, alias)
                on_hand = corrupt(rng, members[starts[i] : starts[i + 1]], levels[i], hand)
            fresh = np.int64(0)
            for j in range(on_hand):
                if held[hand[j]] != row + 1:
                    fresh += 1
            if fresh > target - (write - begin) and write > begin and rng.random() < 0.5:
                break
            for j in range(on_hand):
                if held[hand[j]] != row + 1:
                    held[hand[j]] = row + 1
                    indices[write] = hand[j]
                    write += 1
            on_hand = 0
            fruitless = 0 if fresh else fruitless + 1
        row += 1
        lengths[k] = write - begin
    waiting[0] = on_hand
    return write


@kernel
def fill_shop(
    rng: np.random.Generator,
    who: Ints,
    partner: Ints,
    sizes: Ints,
    keep: Floats,
    alias: Ints,
    rates: Floats,
    starts: Ints,
    goods: Ids,
    chances: Floats,
    held: Ints,
    row: int,
    lengths: Ints,
    indices: Ids,
) -> int:
    """Write the baskets of a shop, of which the first is number `row`; return the number of entries.

    A basket has the profiles `who` and `partner`. Occasion o arises with ``rates[who, o]`` and brings each of
    ``goods[starts[o]:starts[o + 1]]`` with its chance; then come as many everyday goods as `sizes` says, two
    out of three from the alias table of `who` and the others from that of `partner`.

    Precondition: the tables have one row per profile; `held` starts at zero; `indices` has room for all `goods` beside
    the everyday ones of every basket. O(rows * occasions + entries).
    """
    write = np.int64(0)
    for k in range(len(sizes)):
        begin = write
        row += 1
        for o in range(len(starts) - 1):
            if rng.random() < rates[who[k], o]:
                for j in range(starts[o], starts[o + 1]):
                    if rng.random() < chances[j] and held[goods[j]] != row:
                        held[goods[j]] = row
                        indices[write] = goods[j]
                        write += 1
        wanted, fruitless = sizes[k], 0
        while wanted > 0 and fruitless < PATIENCE:
            profile = who[k] if rng.random() < 2 / 3 else partner[k]
            good = pick(rng, keep[profile], alias[profile])
            fruitless += 1
            if held[good] != row:
                held[good] = row
                indices[write] = good
                write += 1
                wanted -= 1
                fruitless = 0
        lengths[k] = write - begin
    return write


@kernel
def fill_viewers(
    rng: np.random.Generator,
    indptr: Ints,
    taste: Ints,
    keep: Floats,
    alias: Ints,
    focus: float,
    held: Ints,
    indices: Ids,
    begin: int,
    end: int,
) -> None:
    """Write the titles of the people from `begin` to `end`, distinct in each.

    Row 0 of the alias tables is what is popular with all, row ``taste[i]`` what person i is inclined to. A title that a
    person has already is drawn again from all, and after `PATIENCE` vain draws the next free one is taken.

    Precondition: `held` starts at -1; nobody has more titles than there are. Expected O(entries) while people have few
    of all titles.
    """
    for i in range(begin, end):
        for at in range(indptr[i], indptr[i + 1]):
            table = taste[i] if rng.random() < focus else np.int64(0)
            title = pick(rng, keep[table], alias[table])
            vain = 0
            while held[title] == i:
                vain += 1
                if vain < PATIENCE:
                    title = pick(rng, keep[0], alias[0])
                else:
                    title = (title + 1) % len(held)
            held[title] = i
            indices[at] = title
