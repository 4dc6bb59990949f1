"""The search for longest patterns among a few rows, 64 of them a word.

See `reduction` for what keeps the search small. Here a node is a matrix of bits: one line for each item still allowed,
in ascending order, with a bit for each row that holds it. Before them stands the line `HEAVY`: which rows weigh more
than 1. Nodes lie on a stack: ``words`` are their lines, ``rows`` what the given number of each row is, ``item`` the
items. The matrix of a child has its rows moved together when that makes its lines much shorter.
"""

from __future__ import annotations

import numpy as np

from covey.arrays import Ids, Ints, Words
from covey.data.jit import FULL, NONE, ONE, kernel, larger, lowest, ones, stable_order
from covey.methods.pattern_ka.nodes import Stack

Found = tuple[Ids, Ints, Ids, int]
#: Lines, rows and items of all nodes; then of the child at hand: which rows, the lines and weights of its items.
Matrix = tuple[Words, Ids, Ids, Words, Ints, Ints]

HEAVY, LINES = 0, 1


@kernel
def new_matrix(d: int) -> Matrix:
    """Return room for nodes of `d` items."""
    words, rows, item = np.empty(1024, np.uint64), np.empty(256, np.int32), np.empty(256, np.int32)
    return words, rows, item, np.empty(64, np.uint64), np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)


@kernel
def fill_matrix(
    matrix: Matrix, stack: Stack, row: int, end: int, begin: int, last: int, weight: Ints, count: Ints
) -> Matrix:
    """Write the node with the rows `row` to `end` and the items `begin` to `last` of the stack as bits.

    `count` is all zero before and after. O(entries + words).
    """
    words, rows, item, mask, line, held = matrix
    start, stop, source, entry, items = stack[0], stack[1], stack[2], stack[3], stack[4]
    width = (end - row + 63) // 64
    words = larger(words, (LINES + last - begin) * width)
    rows, item, mask = larger(rows, end - row), larger(item, last - begin), larger(mask, width)
    words[: (LINES + last - begin) * width] = NONE
    for i in range(last - begin):
        item[i] = items[begin + i]
        count[item[i]] = (LINES + i) * width
    for r in range(end - row):
        rows[r] = source[row + r]
        at, bit = r >> 6, ONE << np.uint64(r & 63)
        if weight[rows[r]] > 1:
            words[HEAVY * width + at] |= bit
        for e in range(start[row + r], stop[row + r]):
            words[count[entry[e]] + at] |= bit
    for i in range(last - begin):
        count[item[i]] = 0
    return words, rows, item, mask, line, held


@kernel
def weigh_lines(
    words: Words, line: Ints, lines: int, mask: Words, heavy: int, width: int, rows: Ids, weight: Ints, held: Ints
) -> None:
    """Write to `held` the weight of the rows of each of the lines that are in the `mask`; few weigh more than 1.

    All lines in one call, and parts of arrays with a beginning of their own: that makes it several times as fast.
    O(lines · width).
    """
    own, more, some = mask[:width], words[heavy : heavy + width], NONE
    for w in range(width):
        some |= own[w] & more[w]
    for x in range(lines):
        held_by, total = words[line[x] : line[x] + width], np.int64(0)
        for w in range(width):
            total += np.int64(ones(held_by[w] & own[w]))
        for w in range(width if some != NONE else 0):
            left = held_by[w] & own[w] & more[w]
            while left != NONE:
                total += weight[rows[64 * w + lowest(left)]] - 1
                left &= left - ONE
        held[x] = total


@kernel
def keep_long_rows(words: Words, line: Ints, lines: int, mask: Words, width: int, need: int) -> bool:
    """Keep only rows in the `mask` that stand in `need` or more of the lines; return whether any was dropped.

    Each row has a counter, of which ``plane[p]`` holds bit p for 64 rows; it starts so that it runs over at `need`.
    """
    planes, dropped = 0, False
    while 1 << planes < need:
        planes += 1
    plane = np.empty(planes, np.uint64)
    for w in range(width):
        if mask[w] == NONE:
            continue
        for p in range(planes):
            plane[p] = FULL if ((1 << planes) - need) >> p & 1 else NONE
        over = NONE
        for x in range(lines):
            carry = words[line[x] + w] & mask[w]
            for p in range(planes):
                before = plane[p]
                plane[p] = before ^ carry
                carry &= before
            over |= carry
            if over == mask[w]:
                break
        dropped |= over != mask[w]
        mask[w] = over
    return dropped


@kernel
def take_item(matrix: Matrix, node: Ints, i: int, weight: Ints, k: int, need: int) -> tuple[int, int]:
    """List the items behind item i of the node that patterns with `need` more items can use, and mask the rows.

    Rows and items are dropped to a fixpoint. The items stand behind those of the node, their lines and weights in
    the matrix. Returns how many they are and the weight of the rows, (0, 0) when there are too few.
    O(rounds · lines · width).
    """
    words, rows, item, mask, line, held = matrix
    begin, last, off, width, row = node[0], node[1], node[2], node[3], node[4]
    own, lines, total = off + (LINES + i - begin) * width, last - i - 1, np.int64(0)
    mask[:width] = words[own : own + width]
    for x in range(lines):
        line[x], item[last + x] = own + (x + 1) * width, item[i + 1 + x]
    first = True
    while lines >= need:
        line[lines] = own
        weigh_lines(words, line, lines + 1, mask, off + HEAVY * width, width, rows[row:], weight, held)
        total, kept = held[lines], np.int64(0)
        for x in range(lines if total >= k else 0):
            held[kept], line[kept], item[last + kept] = held[x], line[x], item[last + x]
            kept += held[x] >= k
        settled, lines, first = kept == lines and not first, kept, False
        if settled or need == 1 or lines < need or not keep_long_rows(words, line, lines, mask, width, need):
            break
    return (lines, total) if lines >= need else (0, 0)


@kernel
def write_child(matrix: Matrix, node: Ints, lines: int, child: Ints) -> Matrix:
    """Write the masked rows of the lines at hand as a node behind `node`, and where it stands to `child`.

    Rows are moved together if that makes lines at most half as long. O(lines · (rows or width)).
    """
    words, rows, item, mask, line, held = matrix
    begin, last, off, width, row = node[0], node[1], node[2], node[3], node[4]
    count = np.int64(0)
    for w in range(width):
        count += np.int64(ones(mask[w]))
    short = (count + 63) // 64
    to, next_row = off + (LINES + last - begin) * width, row + 64 * width
    if 2 * short > width:
        words = larger(words, to + (LINES + lines) * width)
        for x in range(LINES + lines):
            start = off + x * width if x < LINES else line[x - LINES]
            for w in range(width):
                words[to + x * width + w] = words[start + w] & mask[w]
        child[0], child[1], child[2], child[3], child[4] = last, last + lines, to, width, row
        return words, rows, item, mask, line, held
    words, rows = larger(words, to + (LINES + lines) * short), larger(rows, next_row + 64 * short)
    write = next_row
    for w in range(width):
        left = mask[w]
        while left != NONE:
            rows[write] = 64 * w + lowest(left)
            write += 1
            left &= left - ONE
    for x in range(LINES + lines):
        start, word = off + x * width if x < LINES else line[x - LINES], NONE
        for q in range(count):
            place = rows[next_row + q]
            word |= (words[start + (place >> 6)] >> np.uint64(place & 63) & ONE) << np.uint64(q & 63)
            if q & 63 == 63 or q + 1 == count:
                words[to + x * short + (q >> 6)] = word
                word = NONE
    for q in range(next_row, write):
        rows[q] = rows[row + rows[q]]
    child[0], child[1], child[2], child[3], child[4] = last, last + lines, to, short, next_row
    return words, rows, item, mask, line, held


@kernel
def add_rows(found: Found, prefix: Ids, length: int, words: Words, a: int, mask: Words, width: int, rows: Ids) -> Found:
    """Append the pattern ``prefix[:length]``, held by the `rows` of line `a` in the `mask`. O(length + rows)."""
    pattern, ptr, tids, n = found
    pattern, ptr = larger(pattern, (n + 1) * length), larger(ptr, n + 2)
    write = ptr[n]
    tids = larger(tids, write + 64 * width)
    for i in range(length):
        pattern[n * length + i] = prefix[i]
    for w in range(width):
        left = words[a + w] & mask[w]
        while left != NONE:
            tids[write] = rows[64 * w + lowest(left)]
            write += 1
            left &= left - ONE
    ptr[n + 1] = write
    return pattern, ptr, tids, n + 1


@kernel
def add_pairs(
    found: Found, prefix: Ids, length: int, matrix: Matrix, lines: int, items: Ids, width: int, row: int
) -> Found:
    """Append the patterns of ``prefix[:length - 1]`` and one of the items each, by their first row.

    The rows are those of the lines at hand that are in the mask.
    """
    words, rows, _, mask, line, held = matrix
    for x in range(lines):
        w = 0
        while words[line[x] + w] & mask[w] == NONE:
            w += 1
        held[x] = 64 * w + lowest(words[line[x] + w] & mask[w])
    for x in stable_order(held[:lines]):
        prefix[length - 1] = items[x]
        found = add_rows(found, prefix, length, words, line[x], mask, width, rows[row:])
    return found


@kernel
def search_matrix(
    found: Found,
    matrix: Matrix,
    lines: tuple[int, int],
    size: int,
    weight: Ints,
    k: int,
    prefix: Ids,
    length: int,
    limits: tuple[int, int],
) -> tuple[Found, Matrix, int]:
    """Append all patterns of `length` items that begin with ``prefix[:size]`` and go on in the node of the matrix.

    `lines` are the number of its items and the width of its lines, `limits` the room and the patience that are left.
    Also returns how many words were read, or -1 when the search ended early, as `longest_patterns` does.
    """
    # Per depth: begin and end of the items, begin and width of the lines, begin of the rows, next item, size of prefix.
    frame = np.zeros((length - size + 1, 7), np.int64)
    frame[0, 1], frame[0, 3], frame[0, 6] = lines[0], lines[1], size
    depth, work = 0, np.int64(0)
    while depth >= 0:
        node = frame[depth]
        begin, last, off, width, row, i, size = node
        if i + length - size > last:
            depth -= 1
            continue
        if found[1][found[3]] + found[3] * length > limits[0] or work + (last - i) * width > limits[1]:
            return found, matrix, -1
        node[5] += 1
        words, rows, item, mask, line, held = matrix
        own = off + (LINES + i - begin) * width
        prefix[size] = item[i]
        need = length - size - 1
        if need == 0:
            mask[:width] = FULL
            found = add_rows(found, prefix, length, words, own, mask, width, rows[row:])
            continue
        work += (last - i) * width
        item = larger(item, 2 * last - i)
        matrix = words, rows, item, mask, line, held
        usable, total = take_item(matrix, node, i, weight, k, need)
        if need == 1:
            found = add_pairs(found, prefix, length, matrix, usable, item[last : last + usable], width, row)
            continue
        if usable == 0:
            continue
        longer, kept = size + 1, np.int64(0)
        for x in range(usable):
            if held[x] == total:
                prefix[longer] = item[last + x]
                longer += 1
                continue
            line[kept], item[last + kept] = line[x], item[last + x]
            kept += 1
        if longer >= length:
            prefix[size], prefix[length - 1] = prefix[length - 1], prefix[size]
            found = add_rows(found, prefix, length, words, own, mask, width, rows[row:])
            continue
        depth += 1
        matrix = write_child(matrix, node, kept, frame[depth])
        frame[depth, 5], frame[depth, 6] = last, longer
    return found, matrix, work
