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
