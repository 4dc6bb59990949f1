"""Checking taxonomies and hierarchies before they are used."""

from __future__ import annotations

import os
from typing import Any

from covey.errors import InputError
from covey.web.work.items import labels_of
from covey.web.work.reading import renamed


def check_taxonomy(path: str, name: str, folder: str) -> dict[str, Any]:
    """Check a taxonomy and say how it fits the items."""
    from covey.io import read_taxonomy

    with renamed({"path": path, "name": name}):
        tree = read_taxonomy(path)
    leaf = tree.is_leaf()
    known = labels_of(folder)
    missing = [item for item in known if item not in tree]
    if len(missing) == len(known):
        raise InputError(
            "has none of the items of the data",
            file=name,
            remedy=f"Its column child must hold items as the data writes them, such as {known[0]!r}.",
        )
    inner = [item for item in known if item in tree and not leaf[tree.node(item)]]
    return {**tree.shape(), "missing": missing[:20], "missing_count": len(missing), "not_leaves": inner[:20]}


def check_hierarchy(path: str, name: str) -> dict[str, Any]:
    """Check the hierarchy of one column."""
    from covey.io.trees.hierarchy import read_hierarchy

    with renamed({"path": path, "name": name}):
        tree = read_hierarchy(os.fspath(path))
    return {"values": tree.leaves}
