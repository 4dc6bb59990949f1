"""Taxonomies in a worker: proposing one, looking at a node of it, and editing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.data import Taxonomy
from covey.data.tree_editing import edited
from covey.io.suggested_trees import suggest_taxonomy
from covey.io.trees import read_taxonomy, write_taxonomy
from covey.report.taxonomy_view import node_supports
from covey.web.work.items import supports_of
from covey.web.work.originals import read

#: Children of a node that are shown at once.
CHILDREN = 200


def suggest_tree(source: Mapping[str, Any], by: str, out: str) -> None:
    """Propose a taxonomy of the items and write it."""
    write_taxonomy(suggest_taxonomy(read({**source, "sensitive": []}), by or None), out, force=True)


def edit_tree(path: str, edit: str, label: str, target: str, out: str) -> None:
    """Write the taxonomy after one edit."""
    write_taxonomy(edited(read_taxonomy(path), edit, label, target), out, force=True)


def tree_node(path: str, folder: str, label: str) -> dict[str, Any]:
    """A node of a taxonomy with its path from the root and its children, the most frequent first; "" is the root."""
    tree = read_taxonomy(path)
    node = tree.node(label) if label else 0
    supports = node_supports(tree, supports_of(folder))
    children = sorted(tree.children(node).tolist(), key=lambda child: (-int(supports[child]), child))
    above, at = [], int(tree.parent[node])
    while at >= 0:
        above.append(tree.labels[at])
        at = int(tree.parent[at])
    inner = [tree.labels[i] for i in range(tree.size) if tree.last[i] > i]
    return {
        **_shown(tree, node, supports),
        "above": above[::-1],
        "children": [_shown(tree, child, supports) for child in children[:CHILDREN]],
        "more": max(len(children) - CHILDREN, 0),
        "groups": inner[:2_000],
        "levels": tree.shape()["nodes_by_depth"],
    }


def _shown(tree: Taxonomy, node: int, supports: Any) -> dict[str, Any]:
    inner = bool(tree.last[node] > node)
    return {
        "label": tree.labels[node],
        "items": int(tree.leaves[node]) if inner else 0,
        "support": int(supports[node]),
    }
