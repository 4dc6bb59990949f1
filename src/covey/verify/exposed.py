"""Does a release whose promise treats all items alike publish one that had to be treated as sensitive?"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from covey.counting import counted
from covey.data import Taxonomy
from covey.data.labels import twins
from covey.verdict import Check


def check_exposed(
    published: Sequence[str], items: Sequence[str], sensitive: Collection[str], taxonomy: Taxonomy | None = None
) -> list[Check]:
    """That no `sensitive` one of the original's `items` is published, nor a label that stands for such items only.

    No check where nothing is sensitive.

    Examples
    --------
    >>> check_exposed(["wine"], ["test", "wine"], ["test"])[0].passed
    True
    """
    if not sensitive:
        return []
    exposed = [label for label, _ in twins(published, sensitive)]
    if taxonomy is not None:
        exposed += _broader(published, items, set(sensitive), taxonomy)
    named = counted(len(sensitive), "sensitive item")
    detail = f"{named} of the original left out"
    if exposed:
        detail = f"{exposed[0]!r} is, though this promise treats all items alike; promise one that protects them"
    return [Check(name="no sensitive item is published like any other", passed=not exposed, detail=detail)]


def _broader(published: Sequence[str], items: Sequence[str], sensitive: set[str], tree: Taxonomy) -> list[str]:
    """The labels that stand for sensitive items of the original and for no others."""
    there = np.zeros((2, tree.size + 1), np.int64)
    for item in items:
        if item in tree:
            there[:, tree.node(item) + 1] = 1, item in sensitive
    # In tour order what is below a node stands behind it, up to the last.
    every, secret = there.cumsum(axis=1)
    nodes = np.array([tree.node(label) for label in published if label in tree], np.int64)
    ends = tree.last[nodes] + 1
    wholly = secret[ends] - secret[nodes]
    found = (wholly > 0) & (wholly == every[ends] - every[nodes])
    return [tree.labels[node] for node in nodes[found]]
