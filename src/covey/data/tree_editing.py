"""Edits of a taxonomy: a node is renamed, moved below another, or merged into one; each gives a new tree."""

from __future__ import annotations

from covey.data.taxonomy import Taxonomy
from covey.errors import InputError

#: What can be done to a node.
EDITS = ("rename", "move", "merge")


def edited(tree: Taxonomy, edit: str, label: str, target: str) -> Taxonomy:
    """The tree after one edit.

    Parameters
    ----------
    edit : {"rename", "move", "merge"}
        What to do: give the node `label` the name `target`, hang it below `target`, or hang what is below it there
        instead, so that it is gone.
    label, target : str
        The node, and the name or the other node. Items cannot be renamed or merged, since the data calls them so.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"*": {"beer": ["ale"], "brew": ["stout"], "tea": {}}})
    >>> edited(tree, "merge", "brew", "beer").labels
    ('*', 'beer', 'ale', 'stout', 'tea')
    """
    target = target.strip()
    node = tree.node(label)
    above = {tree.labels[i]: tree.labels[int(tree.parent[i])] for i in range(1, tree.size)}
    if edit not in EDITS:
        raise InputError(f"a node cannot be {edit!r}", remedy=f"There are {', '.join(EDITS)}.")
    if edit != "move" and tree.last[node] == node:
        raise InputError(f"{label!r} is an item; the data uses this name", remedy="Move it instead.")
    if edit == "rename":
        if not target or target in tree:
            raise InputError(f"the name {target!r} is {'empty' if not target else 'taken'}", remedy="Choose another.")
        name = {label: target}
        pairs = [(name.get(child, child), name.get(parent, parent)) for child, parent in above.items()]
        return Taxonomy.from_pairs(pairs)
    where = tree.node(target)
    if node == 0:
        raise InputError(f"{label!r} is the root", remedy="Move or merge what is below it.")
    if tree.is_ancestor(node, where):
        what = "the node itself" if where == node else f"below {label!r}"
        raise InputError(
            f"{target!r} is {what}: the tree would have a cycle", remedy="Choose a node that is not below it."
        )
    if tree.last[where] == where:
        raise InputError(f"{target!r} is an item, and items have nothing below them", remedy="Choose a group.")
    if edit == "move":
        above[label] = target
    else:
        above = {child: target if parent == label else parent for child, parent in above.items() if child != label}
    # A group that nothing is below any more would be taken for an item.
    items = {tree.labels[i] for i in range(tree.size) if tree.last[i] == i}
    while True:
        used = set(above.values())
        empty = [child for child in above if child not in used and child not in items]
        if not empty:
            return Taxonomy.from_pairs(above.items())
        for child in empty:
            del above[child]
