"""The search for all longest frequent patterns: the stack of nodes and the list of what was found.

See `reduction` for what keeps the search small, and `nodes` for the nodes; those of few rows are searched in `bits`.
What was found is (items of the patterns one after the other, offsets
of their rows, rows, number of patterns).
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel, larger
from covey.methods.pattern_ka.bits import fill_matrix, new_matrix, search_matrix
from covey.methods.pattern_ka.nodes import Stack, behind_occurrences, list_items, list_occurrences, project

Found = tuple[Ids, Ints, Ids, int]

#: How many words of bits are read in the time that one entry takes to be read and copied; and the most words of a
#: node, so that they stay near the processor. `WORDS` count as one entry in what a search may read: chosen so that the
#: lengths of complete journey (K = 50) are searched whole while dense data such as chess stays bounded.
DENSE, MOST_WORDS, WORDS = 16, 1 << 18, 4
#: Counts of an item: weight of the rows that hold it below, how many they are above.
ROWS, ROW, WEIGHT = 32, 1 << 32, (1 << 32) - 1


@kernel
def add_pattern(found: Found, prefix: Ids, length: int, rows: Ids) -> Found:
    """Append the pattern ``prefix[:length]``, held by the `rows`. O(length + rows)."""
    pattern, ptr, tids, n = found
    pattern = larger(pattern, (n + 1) * length)
    ptr = larger(ptr, n + 2)
    tids = larger(tids, ptr[n] + len(rows))
    for i in range(length):
        pattern[n * length + i] = prefix[i]
    for x in range(len(rows)):
        tids[ptr[n] + x] = rows[x]
    ptr[n + 1] = ptr[n] + len(rows)
    return pattern, ptr, tids, n + 1


@kernel
def count_leaves(stack: Stack, row: int, end: int, k: int, count: Ints) -> tuple[int, int]:
    """Count the items of the rows `row` to `end` in `count`, all zero before.

    Returns the number of entries and how many items reach k. O(entries).
    """
    start, stop, entry, heft = stack[0], stack[1], stack[3], stack[8]
    read, reached = np.int64(0), np.int64(0)
    for r in range(row, end):
        w, behind = heft[r], entry[start[r] : stop[r]]
        read += len(behind)
        for e in range(len(behind)):
            counted = count[behind[e]] + ROW + w
            count[behind[e]] = counted
            reached += counted & WEIGHT >= k and counted & WEIGHT < k + w
    return read, reached


@kernel
def list_leaves(found: Found, stack: Stack, row: int, end: int, k: int, count: Ints, prefix: Ids, length: int) -> int:
    """Append the patterns of ``prefix[:length - 1]`` and one of the items of `count_leaves`; return how many there are.

    Precondition: there is room for them. Nothing grows here, which makes it several times as fast. O(entries).
    """
    start, stop, source, entry = stack[0], stack[1], stack[2], stack[3]
    pattern, ptr, tids, n = found
    for r in range(row, end):
        behind = entry[start[r] : stop[r]]
        for e in range(len(behind)):
            j = behind[e]
            place = count[j]
            if place >= 0:
                if place & WEIGHT < k:
                    continue
                # First seen: its rows get places; from here on the count is minus the next of them, less one.
                for i in range(length - 1):
                    pattern[n * length + i] = prefix[i]
                pattern[n * length + length - 1] = j
                ptr[n + 1] = ptr[n] + (place >> ROWS)
                place = -ptr[n] - 1
                n += 1
            tids[-place - 1] = source[r]
            count[j] = place - 1
    return n


@kernel
def add_leaves(found: Found, stack: Stack, row: int, end: int, k: int, count: Ints, prefix: Ids, length: int) -> Found:
    """Append the patterns of ``prefix[:length - 1]`` and one item of the rows `row` to `end`. O(entries).

    `count` is all zero before and after.
    """
    start, stop, entry = stack[0], stack[1], stack[3]
    pattern, ptr, tids, n = found
    read, reached = count_leaves(stack, row, end, k, count)
    if reached > 0:
        pattern, ptr = larger(pattern, (n + reached) * length), larger(ptr, n + reached + 1)
        tids = larger(tids, ptr[n] + read)
        n = list_leaves((pattern, ptr, tids, n), stack, row, end, k, count, prefix, length)
    if 4 * read > len(count):
        count[:] = 0
    else:
        for r in range(row, end):
            for e in range(start[r], stop[r]):
                count[entry[e]] = 0
    return pattern, ptr, tids, n


@kernel
def new_stack(ptr: Ints, entries: Ids, weight: Ints, d: int) -> Stack:
    """Return a stack with these rows of `d` items, whose items are not listed yet."""
    start, stop, heft, source = ptr[:-1].copy(), ptr[1:].copy(), weight.copy(), np.arange(len(weight)).astype(np.int32)
    item, first = np.empty(2 * d + 64, np.int32), np.zeros(2 * d + 65, np.int64)
    in_row, at = np.empty(len(entries), np.int32), np.empty(len(entries), np.int64)
    return start, stop, source, entries.copy(), item, first, in_row, at, heft


@kernel
def with_rows(stack: Stack, rows: int) -> Stack:
    """Return the stack with room for so many rows in all."""
    start, stop, source, entry, item, first, in_row, at, heft = stack
    start, stop, source, heft = larger(start, rows), larger(stop, rows), larger(source, rows), larger(heft, rows)
    return start, stop, source, entry, item, first, in_row, at, heft


@kernel
def with_entries(stack: Stack, entries: int, items: int, occurrences: int) -> Stack:
    """Return the stack with room for so many entries, items and occurrences in all."""
    start, stop, source, entry, item, first, in_row, at, heft = stack
    entry = larger(entry, entries)
    item, first = larger(item, items), larger(first, items + 1)
    in_row, at = larger(in_row, occurrences), larger(at, occurrences)
    return start, stop, source, entry, item, first, in_row, at, heft


@kernel
def few_enough(stack: Stack, row: int, end: int, begin: int, last: int) -> bool:
    """Return whether the node is searched faster as a matrix of bits: its lines are short for what its rows hold."""
    squares = np.int64(0)
    for r in range(row, end):
        held = stack[1][r] - stack[0][r]
        squares += held * held
    words = (last - begin) * ((end - row + 63) // 64)
    return words <= MOST_WORDS and (last - begin) * words <= DENSE * squares


@kernel
def longest_patterns(
    ptr: Ints, entries: Ids, weight: Ints, bound: Ints, k: int, length: int, room: int, patience: int
) -> tuple[Found, int]:
    """Return all patterns of `length` items that rows of weight >= k hold, with the rows of each.

    Precondition: no pattern is longer than `length` (if one is, then parts of it are found instead), and none that
    begins with item j is longer than ``bound[j]``. Each pattern ends with the item that it was branched at, unless all
    rows hold it.

    The search ends early when the items and rows listed are more than `room`, or the entries (or `WORDS` of bits for
    each) read more than `patience`. Also returns the item up to which it came: all patterns that begin before it are
    found. That is the number of items when the search was completed.
    """
    d, n, total = len(bound), len(weight), weight.sum()
    found = (np.empty(64, np.int32), np.zeros(64, np.int64), np.empty(64, np.int32), np.int64(0))
    if total < k:
        return found, d
    count, prefix, zero = np.zeros(d, np.int64), np.empty(max(d, length) + 1, np.int32), np.int64(0)
    stack, matrix, work = new_stack(ptr, entries, weight, d), new_matrix(d), np.int64(0)
    for r in range(n):
        for e in range(ptr[r], ptr[r + 1]):
            count[entries[e]] += weight[r]
    items, common = list_items(stack, zero, n, total, count, zero, prefix, zero)
    if common >= length:
        return add_pattern(found, prefix, length, stack[2][:n]), d
    list_occurrences(stack, zero, n, count, zero, items, zero)
    # Per depth: next item and end of the items, end of the rows and of the entries, length of the prefix.
    frame, depth = np.zeros((length + 1, 5), np.int64), 0
    frame[0] = (0, items, n, len(entries), common)
    while depth >= 0:
        i, last, end, free, size = frame[depth]
        if i + length - size > last:
            depth -= 1
            continue
        if found[1][found[3]] + found[3] * length > room or work > patience:
            # With items that all rows hold, patterns do not begin with the item at hand.
            return found, 0 if common else np.int64(stack[4][frame[0, 0] - (depth > 0)])
        frame[depth, 0] += 1
        o, p = stack[5][i], stack[5][i + 1]
        prefix[size] = stack[4][i]
        if depth == 0 and size + bound[prefix[size]] < length:
            continue
        need = length - size - 1
        if need == 0:
            found = add_pattern(found, prefix, length, stack[2][stack[6][o:p]])
            continue
        stack = with_rows(stack, end + 2 * (p - o))
        rows, behind = behind_occurrences(stack, o, p, end, need)
        work += behind
        if need == 1:
            found = add_leaves(found, stack, end, rows, k, count, prefix, length)
            continue
        stack = with_entries(stack, free + behind, last + d, stack[5][last] + behind)
        below, used, total = project(stack, end, rows, k, need, count, free)
        if below == rows:
            continue
        inner, longer = list_items(stack, rows, below, total, count, last, prefix, size + 1)
        if longer >= length:
            prefix[size], prefix[length - 1] = prefix[length - 1], prefix[size]
            found = add_pattern(found, prefix, length, stack[2][rows:below])
            continue
        if few_enough(stack, rows, below, last, inner):
            matrix = fill_matrix(matrix, stack, rows, below, last, inner, weight, count)
            lines, spare = (inner - last, (below - rows + 63) // 64), (room, WORDS * (patience - work))
            found, matrix, read = search_matrix(found, matrix, lines, longer, weight, k, prefix, length, spare)
            if read < 0:
                return found, 0 if common else np.int64(stack[4][frame[0, 0] - 1])
            work += read // WORDS
            continue
        list_occurrences(stack, rows, below, count, last, inner, stack[5][last])
        depth += 1
        frame[depth] = (last, inner, below, used, longer)
    return found, d
