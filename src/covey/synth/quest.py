"""Synthetic baskets in the manner of IBM Quest: random patterns, corrupted and packed into transactions.

R. Agrawal and R. Srikant, "Fast algorithms for mining association rules", VLDB 1994, in the part
"Generation of synthetic data"; the data sets known as T10I4D100K and the like come from such a generator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.arrays import Floats, Ids, Ints, offsets_of
from covey.data import Baskets
from covey.errors import ParameterError
from covey.parameters import integer, number
from covey.progress import Progress, silent
from covey.synth.draw import alias_table, draw_patterns, fill_from_patterns

# Enough rows to make the step back to Python free, few enough for a steady progress bar.
CHUNK = 65_536

# At most so many entries beyond the target lengths are allowed for in a chunk.
ROOM = 1 << 27

# The paper draws corruption levels from a normal distribution of this variance.
CORRUPTION_VARIANCE = 0.1

# Item ids are 32 bits wide.
MOST_ITEMS = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """The itemsets from which transactions are made ("potentially large itemsets" in the paper)."""

    #: Pattern i holds ``members[starts[i]:starts[i + 1]]``.
    starts: Ints
    #: Positions in `items`.
    members: Ids
    #: The ascending items that occur in any pattern.
    items: Ints
    #: How often each pattern is drawn; they sum to 1.
    weights: Floats
    #: The corruption level of each pattern, from 0 to 1.
    levels: Floats

    @property
    def longest(self) -> int:
        """Number of items in the longest pattern."""
        return int(np.diff(self.starts).max())


def quest(
    *,
    transactions: int = 10_000,
    items: int = 1_000,
    mean_length: float = 10.0,
    patterns: int = 1_000,
    pattern_length: float = 4.0,
    correlation: float = 0.5,
    corruption: float = 0.5,
    seed: int | None = None,
    progress: Progress = silent,
) -> Baskets:
    """Generate baskets after the IBM Quest generator (Agrawal and Srikant, VLDB 1994).

    First the patterns are made. Their sizes are Poisson; a fraction of the items of each, drawn from an
    exponential distribution with mean `correlation` and cut off at 1, is taken from the pattern before it and
    the rest at random. Each has an exponential weight and a corruption level. Then each transaction gets a
    Poisson size and is filled with patterns drawn by weight. A pattern loses random items as long as a
    uniform number is below its corruption level. One that does not fit any more is put in all the same in
    half of the cases, and otherwise kept for the next transaction; either way the transaction is closed.

    Parameters
    ----------
    transactions, items, patterns : int
        How many there are: the paper's ``|D|``, N and ``|L|``. Items that end up in no transaction are not listed.
    mean_length, pattern_length : float
        Mean size of a transaction (``|T|``) and of a pattern (``|I|``), from 1 to `items`.
    correlation : float
        Mean fraction of a pattern that comes from the one before it, from 0 to 1.
    corruption : float
        Mean of the corruption levels, from 0 to 1. Levels are normal with variance 0.1, cut off at 0 and 1.
    seed : int, optional
        With the same seed, a longer run begins with the transactions of a shorter one.

    Notes
    -----
    Where the paper is silent: sizes are 1 + Poisson(mean - 1), so none is 0 and the mean is exact. A pattern
    never loses its last item. The first pattern of a transaction always goes in, however long it is. An item
    that the transaction already holds takes no room: only new items count, both for whether a pattern fits
    and for whether the transaction is full, so collisions do not shorten transactions. The realised mean is within a
    few percent of `mean_length` when that is at least twice `pattern_length`, and too long when patterns are longer
    than transactions. When 100 patterns in a row bring nothing new, the transaction is closed as it is.

    Examples
    --------
    >>> baskets = quest(transactions=1_000, items=50, patterns=20, mean_length=6, seed=7)
    >>> baskets.n, baskets.d <= 50, int(baskets.lengths().min()) >= 1
    (1000, True, True)
    >>> baskets == quest(transactions=1_000, items=50, patterns=20, mean_length=6, seed=7)
    True
    """
    transactions = integer("quest", "transactions", transactions, minimum=1)
    items = integer("quest", "items", items, minimum=1)
    if items > MOST_ITEMS:
        raise ParameterError(f"The 'items' parameter of quest must be an integer <= {MOST_ITEMS}. Got {items} instead.")
    patterns = integer("quest", "patterns", patterns, minimum=1)
    mean_length = number("quest", "mean_length", mean_length, minimum=1, maximum=items)
    pattern_length = number("quest", "pattern_length", pattern_length, minimum=1, maximum=items)
    correlation = number("quest", "correlation", correlation, minimum=0, maximum=1)
    corruption = number("quest", "corruption", corruption, minimum=0, maximum=1)
    if seed is not None:
        seed = integer("quest", "seed", seed, minimum=0)

    # Three streams, so that transactions depend neither on the chunks nor on their number.
    for_patterns, for_sizes, for_rows = np.random.default_rng(seed).spawn(3)
    table = draw_table(for_patterns, items, patterns, pattern_length, correlation, corruption)
    indptr, indices = fill(for_sizes, for_rows, table, transactions, mean_length, progress)
    baskets = Baskets.build(indptr, indices, [str(item) for item in table.items.tolist()])
    return baskets.only(baskets.supports() > 0)


def draw_table(
    rng: np.random.Generator, items: int, patterns: int, pattern_length: float, correlation: float, corruption: float
) -> Patterns:
    """Draw the patterns with their weights and corruption levels."""
    sizes = np.minimum(1 + rng.poisson(pattern_length - 1, patterns), items)
    fractions = np.minimum(rng.exponential(correlation, patterns), 1.0)
    shared = np.rint(fractions * sizes).astype(np.int64)
    shared[0] = 0
    np.minimum(shared[1:], sizes[:-1], out=shared[1:])
    members = draw_patterns(rng, sizes, shared, items, np.zeros(items, np.int32))
    used, positions = np.unique(members, return_inverse=True)
    weights = rng.exponential(1.0, patterns)
    return Patterns(
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]),
        members=positions.astype(np.int32),
        items=used,
        weights=weights / weights.sum(),
        levels=rng.normal(corruption, math.sqrt(CORRUPTION_VARIANCE), patterns).clip(0.0, 1.0),
    )


def fill(
    for_sizes: np.random.Generator,
    for_rows: np.random.Generator,
    table: Patterns,
    transactions: int,
    mean_length: float,
    progress: Progress = silent,
) -> tuple[Ints, Ids]:
    """Fill transactions with patterns; return their offsets and their distinct, unsorted entries."""
    keep, alias = alias_table(table.weights)
    held = np.zeros(len(table.items), np.int64)
    hand, waiting = np.empty(table.longest, np.int32), np.zeros(1, np.int64)
    lengths, parts = np.zeros(transactions, np.int64), []
    step = max(min(CHUNK, ROOM // table.longest), 1)
    for begin in range(0, transactions, step):
        progress("generate", begin / transactions)
        chunk = lengths[begin : begin + step]
        sizes = np.minimum(1 + for_sizes.poisson(mean_length - 1, len(chunk)), len(table.items))
        # Memory beyond the last entry is never touched, so generous room costs nothing.
        indices = np.empty(int(sizes.sum()) + len(sizes) * table.longest, np.int32)
        entries = fill_from_patterns(
            for_rows,
            table.starts,
            table.members,
            table.levels,
            keep,
            alias,
            sizes,
            held,
            hand,
            waiting,
            begin,
            chunk,
            indices,
        )
        parts.append(indices[:entries].copy())
    progress("generate", 1.0)
    return offsets_of(lengths), np.concatenate(parts)
