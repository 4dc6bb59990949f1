"""The search for all longest frequent patterns: the stack of nodes and the list of what was found.

See `patterns` for what keeps the search small and `pattern_nodes` for the nodes; those of few rows are searched in
`pattern_bits`. The arrays of the stack travel as one tuple: (start, stop, source) per row, (entry,) per entry, (item,
first) per item of a node, (in_row, at) per occurrence of an item. What was found is (items of the patterns one after
the other, offsets of their rows, rows, number of patterns).
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints
from covey.kernels.methods.growing import larger
from covey.kernels.methods.pattern_bits import fill_matrix, new_matrix, search_matrix
from covey.kernels.methods.pattern_nodes import Stack, list_items, list_occurrences, project
from covey.kernels.shared.jit import kernel

Found = tuple[Ids, Ints, Ids, int]

#: How many words of bits are read in the time that one entry takes to be read and copied; and the most words of a
#: node, so that they stay near the processor. `WORDS` count as one entry in what a search may read: chosen so that the
#: lengths of complete journey (K = 50) are searched whole while dense data such as chess stays bounded.
DENSE, MOST_WORDS, WORDS = 16, 1 << 18, 4


@kernel
def add_pattern(found: Found, prefix: Ids, length: int, rows: Ids, source: Ids) -> Found:
    """Append the pattern ``prefix[:length]``, held by the rows ``source[rows]``. O(length + rows)."""
    pattern, ptr, tids, n = found
    pattern = larger(pattern, (n + 1) * length)
    ptr = larger(ptr, n + 2)
    tids = larger(tids, ptr[n] + len(rows))
    for i in range(length):
        pattern[n * length + i] = prefix[i]
    for x in range(len(rows)):
        tids[ptr[n] + x] = source[rows[x]]
    ptr[n + 1] = ptr[n] + len(rows)
    return pattern, ptr, tids, n + 1


@kernel
def add_leaves(
    found: Found,
    stack: Stack,
    o: int,
    p: int,
    weight: Ints,
    k: int,
    count: Ints,
    rows_of: Ints,
    prefix: Ids,
    length: int,
) -> Found:
    """Append the patterns of ``prefix[:length - 1]`` and one item behind the occurrences o to p.

    `count` and `rows_of` are all zero before and after. O(entries behind the occurrences).
    """
    stop, source, entry, in_row, at = stack[1], stack[2], stack[3], stack[6], stack[7]
    pattern, ptr, tids, n = found
    before, read, top = n, np.int64(0), np.int64(0)
    for x in range(o, p):
        r = in_row[x]
        w, behind = weight[source[r]], entry[at[x] + 1 : stop[r]]
        read += len(behind) + 1
        for e in range(len(behind)):
            held = count[behind[e]] + w
            count[behind[e]] = held
            top = max(top, held)
    if top >= k:
        for x in range(o, p):
            for e in range(at[x] + 1, stop[in_row[x]]):
                if count[entry[e]] >= k:
                    rows_of[entry[e]] += 1
        for x in range(o, p):
            r = in_row[x]
            for e in range(at[x] + 1, stop[r]):
                j = entry[e]
                if count[j] < k:
                    continue
                if rows_of[j] > 0:
                    # First seen: make room for its rows; from here on rows_of is minus the next place, less one.
                    pattern = larger(pattern, (n + 1) * length)
                    ptr = larger(ptr, n + 2)
                    tids = larger(tids, ptr[n] + rows_of[j])
                    for i in range(length - 1):
                        pattern[n * length + i] = prefix[i]
                    pattern[n * length + length - 1] = j
                    ptr[n + 1] = ptr[n] + rows_of[j]
                    rows_of[j] = -ptr[n] - 1
                    n += 1
                tids[-rows_of[j] - 1] = source[r]
                rows_of[j] -= 1
    for q in range(before, n):
        rows_of[pattern[q * length + length - 1]] = 0
    if 4 * read > len(count):
        count[:] = 0
        return pattern, ptr, tids, n
    for x in range(o, p):
        for e in range(at[x] + 1, stop[in_row[x]]):
            count[entry[e]] = 0
    return pattern, ptr, tids, n


@kernel
def new_stack(ptr: Ints, entries: Ids, d: int) -> Stack:
    """Return a stack that holds the given rows as its root, without the list of items. O(nnz + d)."""
    n = len(ptr) - 1
    start, stop = np.empty(2 * n + 64, np.int64), np.empty(2 * n + 64, np.int64)
    start[:n] = ptr[:-1]
    stop[:n] = ptr[1:]
    source = np.empty(2 * n + 64, np.int32)
    source[:n] = np.arange(n)
    entry = np.empty(2 * len(entries) + 64, np.int32)
    entry[: len(entries)] = entries
    item, first = np.empty(2 * d + 64, np.int32), np.empty(2 * d + 65, np.int64)
    in_row, at = np.empty(2 * len(entries) + 64, np.int32), np.empty(2 * len(entries) + 64, np.int64)
    return start, stop, source, entry, item, first, in_row, at


@kernel
def with_room(stack: Stack, rows: int, entries: int, items: int, occurrences: int) -> Stack:
    """Return the stack with room for so many rows, entries, items and occurrences in all."""
    start, stop, source, entry, item, first, in_row, at = stack
    start, stop, source = larger(start, rows), larger(stop, rows), larger(source, rows)
    entry = larger(entry, entries)
    item, first = larger(item, items), larger(first, items + 1)
    in_row, at = larger(in_row, occurrences), larger(at, occurrences)
    return start, stop, source, entry, item, first, in_row, at


@kernel
def entries_behind(stop: Ints, in_row: Ids, at: Ints, o: int, p: int) -> int:
    """Return how many entries lie behind the occurrences o to p in their rows."""
    behind = np.int64(0)
    for x in range(o, p):
        behind += stop[in_row[x]] - at[x] - 1
    return behind


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

    Precondition: rows are ascending; no pattern is longer than `length` (if one is, then parts of it are found
    instead), and none that begins with item j is longer than ``bound[j]``. Each pattern ends with the item that it was
    branched at, unless all rows hold it (see `pattern_longer`).

    The search ends early when the items and rows listed are more than `room`, or the entries (or `WORDS` of bits for
    each) read more than `patience`. Also returns the item up to which it came: all patterns that begin before it are
    found. That is the number of items when the search was completed.
    """
    n, d = len(ptr) - 1, len(bound)
    found = (np.empty(64, np.int32), np.zeros(64, np.int64), np.empty(64, np.int32), np.int64(0))
    count, rows_of = np.zeros(d, np.int64), np.zeros(d, np.int64)
    prefix = np.empty(max(d, length) + 1, np.int32)
    # Per depth: next item and end of the items, end of the rows and of the entries, length of the prefix.
    frame = np.zeros((length + 1, 5), np.int64)
    total = np.int64(0)
    for r in range(n):
        total += weight[r]
        for e in range(ptr[r], ptr[r + 1]):
            count[entries[e]] += weight[r]
    if total < k:
        return found, d
    stack = new_stack(ptr, entries, d)
    last, size = list_items(stack, 0, n, total, count, 0, prefix, 0)
    list_occurrences(stack, 0, n, count, 0, last, 0)
    if size >= length:
        return add_pattern(found, prefix, length, np.arange(n).astype(np.int32), stack[2]), d
    frame[0] = (0, last, n, len(entries), size)
    depth, work, matrix = 0, np.int64(0), new_matrix(d)
    while depth >= 0:
        i, last, end, free, size = frame[depth]
        if i + length - size > last:
            depth -= 1
            continue
        if found[1][found[3]] + found[3] * length > room or work > patience:
            # With items that all rows hold, patterns do not begin with the item at hand.
            return found, 0 if frame[0, 4] > 0 else np.int64(stack[4][frame[0, 0] - (depth > 0)])
        frame[depth, 0] += 1
        first, in_row, at = stack[5], stack[6], stack[7]
        o, p = first[i], first[i + 1]
        prefix[size] = stack[4][i]
        if depth == 0 and size + bound[stack[4][i]] < length:
            continue
        need = length - size - 1
        if need == 0:
            found = add_pattern(found, prefix, length, in_row[o:p], stack[2])
            continue
        behind = entries_behind(stack[1], in_row, at, o, p)
        work += behind
        if need == 1:
            found = add_leaves(found, stack, o, p, weight, k, count, rows_of, prefix, length)
            continue
        stack = with_room(stack, end + p - o, free + behind, last + d, first[last] + behind)
        rows, used, held = project(stack, o, p, weight, k, need, count, end, free)
        if rows == end:
            continue
        inner, longer = list_items(stack, end, rows, held, count, last, prefix, size + 1)
        if longer >= length:
            prefix[size], prefix[length - 1] = prefix[length - 1], prefix[size]
            found = add_pattern(found, prefix, length, np.arange(end, rows).astype(np.int32), stack[2])
            continue
        if few_enough(stack, end, rows, last, inner):
            matrix = fill_matrix(matrix, stack, end, rows, last, inner, weight, count)
            lines, left = (inner - last, (rows - end + 63) // 64), (room, WORDS * (patience - work))
            found, matrix, read = search_matrix(found, matrix, lines, longer, weight, k, prefix, length, left)
            if read < 0:
                return found, 0 if frame[0, 4] > 0 else np.int64(stack[4][frame[0, 0] - 1])
            work += read // WORDS
            continue
        list_occurrences(stack, end, rows, count, last, inner, stack[5][last])
        depth += 1
        frame[depth] = (last, inner, rows, used, longer)
    return found, d
