"""Slow twins of the kernels that deal rows to shards and to centers; sets and loops, nothing from covey."""

from __future__ import annotations


def shard_copies(rows: list[list[int]], home: list[int], need: int) -> set[tuple[int, int, tuple[int, ...]]]:
    """(shard, row, items): what each shard gets of each row, from the first item that is at home there."""
    made = set()
    for r, row in enumerate(rows):
        for shard in {home[item] for item in row} - {-1}:
            begin = min(e for e, item in enumerate(row) if home[item] == shard)
            if len(row) - begin >= need:
                made.add((shard, r, tuple(row[begin:])))
    return made


def first_center(
    rows: list[list[int]],
    now: list[int],
    lot: list[int],
    lots: int,
    centers: list[list[int]],
    fill: list[int],
) -> list[int]:
    """The first center that each row holds and may take, or -1."""
    found = []
    for row, present, number in zip(rows, now, lot, strict=True):
        taken = -1
        for c, center in enumerate(centers):
            loss = present - len(center)
            may = loss < 0 or loss * lots + number < fill[c]
            if may and set(center) <= set(row):
                taken = c
                break
        found.append(taken)
    return found
