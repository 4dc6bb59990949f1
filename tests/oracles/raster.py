"""The picture of a sparse matrix, cell by cell, in plain Python."""


def density(rows, d, row_order, column_order, cells):
    """How full each cell is: `rows` are sets of item ids, the orders are lists of ids."""
    n = len(rows)
    height, width = max(min(n, cells), 1), max(min(d, cells), 1)
    down = {row: place * height // n for place, row in enumerate(row_order)}
    across = {item: place * width // d for place, item in enumerate(column_order)}
    filled = [[0] * width for _ in range(height)]
    area = [[0] * width for _ in range(height)]
    for row in range(n):
        for item in range(d):
            filled[down[row]][across[item]] += item in rows[row]
            area[down[row]][across[item]] += 1
    return [[f / max(a, 1) for f, a in zip(*lines, strict=True)] for lines in zip(filled, area, strict=True)]


def bandwidth(rows, order):
    """Total bandwidth of A·Aᵀ with rows in this order, and the mean distance to the farthest row sharing an item."""
    placed = [rows[i] for i in order]
    far = [
        max((abs(i - j) for j, other in enumerate(placed) if row & other or i == j), default=0)
        for i, row in enumerate(placed)
    ]
    return {"total": 2 * max(far, default=0) + 1, "mean": sum(far) / max(len(far), 1)}
