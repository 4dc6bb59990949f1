"""The search for all longest frequent patterns: the stack of nodes and the list of what was found.

See `patterns` for what keeps the search small, `pattern_root` for where it begins and `pattern_nodes` for the nodes;
those of few rows are searched in `pattern_bits`. What was found is (items of the patterns one after the other, offsets
of their rows, rows, number of patterns).
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.data.jit import kernel, larger
from covey.methods.pattern_ka.bits import fill_matrix, new_matrix, search_matrix
from covey.methods.pattern_ka.nodes import Stack, behind_occurrences, list_items, list_occurrences, project
from covey.methods.pattern_ka.root import Root, plant, rows_behind, rows_holding

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
def count_leaves(stack: Stack, held: Ids, row: int, end: int, k: int, count: Ints) -> tuple[int, int]:
    """Count the items of the rows `row` to `end`, whose entries are in `held`, in `count`, all zero before.

    Returns the number of entries and how many items reach k. O(entries).
    """
    start, stop, heft = stack[0], stack[1], stack[8]
    read, reached = np.int64(0), np.int64(0)
    for r in range(row, end):
        w, behind = heft[r], held[start[r] : stop[r]]
        read += len(behind)
        for e in range(len(behind)):
            counted = count[behind[e]] + ROW + w
            count[behind[e]] = counted
            reached += counted & WEIGHT >= k and counted & WEIGHT < k + w
    return read, reached


@kernel
def list_leaves(
    found: Found, stack: Stack, held: Ids, row: int, end: int, k: int, count: Ints, prefix: Ids, length: int
) -> int:
    """Append the patterns of ``prefix[:length - 1]`` and one of the items of `count_leaves`; return how many there are.

    Precondition: there is room for them. Nothing grows here, which makes it several times as fast. O(entries).
    """
    start, stop, source = stack[0], stack[1], stack[2]
    pattern, ptr, tids, n = found
    for r in range(row, end):
        behind = held[start[r] : stop[r]]
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
def add_leaves(
    found: Found, stack: Stack, held: Ids, row: int, end: int, k: int, count: Ints, prefix: Ids, length: int
) -> Found:
    """Append the patterns of ``prefix[:length - 1]`` and one item of the rows `row` to `end`.

    Their entries are in `held`. `count` is all zero before and after. O(entries).
    """
    start, stop = stack[0], stack[1]
    pattern, ptr, tids, n = found
    read, reached = count_leaves(stack, held, row, end, k, count)
    if reached > 0:
        pattern, ptr = larger(pattern, (n + reached) * length), larger(ptr, n + reached + 1)
        tids = larger(tids, ptr[n] + read)
        n = list_leaves((pattern, ptr, tids, n), stack, held, row, end, k, count, prefix, length)
    if 4 * read > len(count):
        count[:] = 0
    else:
        for r in range(row, end):
            for e in range(start[r], stop[r]):
                count[held[e]] = 0
    return pattern, ptr, tids, n


@kernel
def new_stack(d: int) -> Stack:
    """Return an empty stack for nodes of `d` items."""
    start, stop, heft = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    source, entry = np.empty(1024, np.int32), np.empty(4096, np.int32)
    item, first = np.empty(2 * d + 64, np.int32), np.zeros(2 * d + 65, np.int64)
    in_row, at = np.empty(4096, np.int32), np.empty(4096, np.int64)
    return start, stop, source, entry, item, first, in_row, at, heft


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


def longest_patterns(
    ptr: Ints, entries: Ids, weight: Ints, bound: Ints, k: int, length: int, room: int, patience: int
) -> tuple[Found, int]:
    """Return all patterns of `length` items that rows of weight >= k hold, with the rows of each: see `search_root`."""
    return search_root(plant(ptr, entries, weight, len(bound)), weight, bound, k, length, room, patience)


@kernel
def search_root(
    root: Root, weight: Ints, bound: Ints, k: int, length: int, room: int, patience: int
) -> tuple[Found, int]:
    """Return all patterns of `length` items that rows of weight >= k hold, with the rows of each.

    Precondition: no pattern is longer than `length` (if one is, then parts of it are found instead), and none that
    begins with item j is longer than ``bound[j]``. Each pattern ends with the item that it was branched at, unless all
    rows hold it (see `pattern_longer`).

    The search ends early when the items and rows listed are more than `room`, or the entries (or `WORDS` of bits for
    each) read more than `patience`. Also returns the item up to which it came: all patterns that begin before it are
    found. That is the number of items when the search was completed.
    """
    common, d = root[5], len(bound)
    found = (np.empty(64, np.int32), np.zeros(64, np.int64), np.empty(64, np.int32), np.int64(0))
    count = np.zeros(d, np.int64)
    prefix = np.empty(max(d, length) + 1, np.int32)
    prefix[: len(common)] = common
    # Per depth: next item and end of the items, end of the rows and of the entries, length of the prefix.
    frame = np.zeros((length + 1, 5), np.int64)
    if weight.sum() < k:
        return found, d
    if len(common) >= length:
        return add_pattern(found, prefix, length, np.arange(len(weight)).astype(np.int32)), d
    frame[0, 1], frame[0, 4] = len(root[1]), len(common)
    stack, depth, work, matrix = new_stack(d), 0, np.int64(0), new_matrix(d)
    while depth >= 0:
        i, last, end, free, size = frame[depth]
        if i + length - size > last:
            depth -= 1
            continue
        if found[1][found[3]] + found[3] * length > room or work > patience:
            # With items that all rows hold, patterns do not begin with the item at hand.
            return found, 0 if len(common) else np.int64(root[1][frame[0, 0] - (depth > 0)])
        frame[depth, 0] += 1
        top, first, held = (last, stack[5], stack[3]) if depth else (np.int64(0), root[2], root[0])
        o, p = first[i], first[i + 1]
        prefix[size] = stack[4][i] if depth else root[1][i]
        if depth == 0 and size + bound[prefix[size]] < length:
            continue
        need = length - size - 1
        if need == 0:
            rows = stack[2][stack[6][o:p]] if depth else rows_holding(root, o, p)
            found = add_pattern(found, prefix, length, rows)
            continue
        stack, row = with_rows(stack, end + 2 * (p - o)), end
        if depth:
            end, behind = behind_occurrences(stack, o, p, row, need)
        else:
            end, behind = rows_behind(root, o, p, stack, row, need)
        work += behind
        if need == 1:
            found = add_leaves(found, stack, held, row, end, k, count, prefix, length)
            continue
        stack = with_entries(stack, free + behind, top + d, stack[5][top] + behind)
        rows, used, total = project(stack, held, row, end, k, need, count, free)
        if rows == end:
            continue
        inner, longer = list_items(stack, end, rows, total, count, top, prefix, size + 1)
        if longer >= length:
            prefix[size], prefix[length - 1] = prefix[length - 1], prefix[size]
            found = add_pattern(found, prefix, length, stack[2][end:rows])
            continue
        if few_enough(stack, end, rows, top, inner):
            matrix = fill_matrix(matrix, stack, end, rows, top, inner, weight, count)
            lines, left = (inner - top, (rows - end + 63) // 64), (room, WORDS * (patience - work))
            found, matrix, read = search_matrix(found, matrix, lines, longer, weight, k, prefix, length, left)
            if read < 0:
                return found, 0 if len(common) else np.int64(root[1][frame[0, 0] - 1])
            work += read // WORDS
            continue
        list_occurrences(stack, end, rows, count, top, inner, stack[5][top])
        depth += 1
        frame[depth] = (top, inner, rows, used, longer)
    return found, d
