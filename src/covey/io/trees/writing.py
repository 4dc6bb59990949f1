"""Writing taxonomies and hierarchies as CSV that people edit and covey reads again."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from covey.data import Hierarchy, Taxonomy
from covey.errors import InputError
from covey.release.staging import write_whole


def write_taxonomy(tree: Taxonomy, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a taxonomy as CSV with the columns child and parent, in the order of a walk.

    A file that exists is replaced, whole, with `force` only.

    Examples
    --------
    >>> import tempfile, covey
    >>> tree = covey.Taxonomy.from_nested({"drinks": {"beer": ["ale", "stout"], "tea": {}}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     covey.write_taxonomy(tree, f"{folder}/tree.csv")
    ...     covey.read_taxonomy(f"{folder}/tree.csv").labels == tree.labels
    True
    """
    rows = [(tree.labels[node], tree.labels[int(tree.parent[node])]) for node in range(1, tree.size)]
    _write(path, [("child", "parent"), *(rows or [(tree.labels[0], "")])], ",", force)


def write_hierarchy(tree: Hierarchy, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a hierarchy with ``leaf;parent;…;*`` on each line; a file that exists is replaced with `force` only."""
    rows = []
    for leaf in range(tree.leaves):
        node, steps = leaf, [tree.labels[leaf]]
        while tree.parent[node] >= 0:
            node = int(tree.parent[node])
            steps.append(tree.labels[node])
        rows.append(tuple(steps))
    _write(path, rows, ";", force)


def _write(path: str | os.PathLike[str], rows: list[tuple[str, ...]], mark: str, force: bool) -> None:
    blank = next((label for row in rows for label in row if label != label.strip()), None)
    if blank is not None:
        raise InputError(
            f"the label {blank!r} begins or ends with spaces, which such a file cannot contain", remedy="Rename it."
        )
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows(rows)
    write_whole(Path(path), text.getvalue().encode(), force=force)
