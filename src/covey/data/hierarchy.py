"""Generalization hierarchies of one categorical column: a rooted tree whose leaves are the column's values.

Nodes are numbered so that the leaves come first, in the order of a walk of the tree; every node then covers an
unbroken range of leaves, and the lowest common ancestor of a set is that of its first and last leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

import numpy as np

from covey.arrays import Floats, Ids
from covey.counting import counted
from covey.data.labels import require_text
from covey.errors import InputError

ROOT = "*"
MISSING = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy:
    """A rooted tree over the values of a column.

    Use `Hierarchy.from_paths`, `Hierarchy.from_parents` or `Hierarchy.flat` rather than the constructor.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([["cat", "pet", "*"], ["dog", "pet", "*"], ["cow", "*"]])
    >>> tree
    Hierarchy(3 leaves, 5 nodes)
    >>> tree.labels[tree.common_ancestor(0, 1)], tree.labels[tree.common_ancestor(0, 2)]
    ('pet', '*')
    """

    #: One per node; the leaves first, in the order of a walk, the root last.
    labels: tuple[str, ...]
    #: How many nodes are leaves.
    leaves: int
    #: Parent of each node, -1 for the root.
    parent: Ids
    #: The range of leaves under each node, both ends included.
    first: Ids
    last: Ids

    def __repr__(self) -> str:
        return f"Hierarchy({counted(self.leaves, 'leaf')}, {counted(len(self.labels), 'node')})"

    @classmethod
    def flat(cls, values: Iterable[str]) -> Hierarchy:
        """All values directly under the root, in label order."""
        return cls.from_parents(dict.fromkeys(sorted(set(values)), ROOT))

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[str]], *, lines: Iterable[int] | None = None) -> Hierarchy:
        """One path per leaf, from the leaf to the root; repeated labels in a row count once.

        `lines` says on which line of a file each path stands, for messages; without it they are counted from 1.
        Two nodes may not share a label unless they are the same node, since values are published by label.
        """
        parents: dict[str, str] = {}
        leaves: dict[str, None] = {}
        for number, path in zip(lines or count(1), paths, strict=False):
            steps = [label for i, label in enumerate(path) if i == 0 or label != path[i - 1]]
            if not steps or any(label == MISSING for label in steps):
                raise InputError(
                    "an empty label in a hierarchy", line=number, remedy="Write leaf;parent;…;* on each line."
                )
            if steps[-1] != ROOT:
                steps.append(ROOT)
            leaves[steps[0]] = None
            for child, parent in pairwise(steps):
                if parents.setdefault(child, parent) != parent:
                    raise InputError(
                        f"{child!r} is under {parents[child]!r} and under {parent!r}",
                        line=number,
                        remedy="Give every node of the hierarchy one parent and a label of its own.",
                    )
        inner = [leaf for leaf in leaves if leaf in set(parents.values())]
        if inner:
            raise InputError(
                f"{inner[0]!r} is both a leaf and a group of other values",
                remedy="Rename the group, so that a published label means one thing.",
            )
        return cls.from_parents(parents)

    @classmethod
    def from_parents(cls, parents: Mapping[str, str]) -> Hierarchy:
        """From child → parent; nodes without a parent hang under the root ``*``."""
        children: dict[str, list[str]] = {}
        for child, parent in parents.items():
            if child == ROOT:
                raise InputError(f"the root {ROOT!r} has a parent, {parent!r}", remedy="Drop that line.")
            children.setdefault(parent, []).append(child)
        tops = [node for node in children if node not in parents and node != ROOT]
        if tops == list(children) and len(tops) == 1:
            root = tops[0]
        else:
            root = ROOT
            children.setdefault(ROOT, []).extend(tops)
        walk = _walk(children, root)
        leaves = [node for node in walk if node not in children]
        inner = [node for node in walk if node in children and node != root]
        reached = set(walk)
        for node in parents:
            if node not in reached:
                raise InputError(f"{node!r} is its own ancestor", remedy="Break the cycle in the hierarchy.")
        order = [*leaves, *inner, root]
        require_text(order, "label")
        number = {label: i for i, label in enumerate(order)}
        parent_of = np.full(len(order), -1, np.int32)
        for node, below in children.items():
            for child in below:
                parent_of[number[child]] = number[node]
        first = np.arange(len(order), dtype=np.int32)
        last = first.copy()
        first[len(leaves) :] = len(leaves)
        last[len(leaves) :] = -1
        # A walk meets children after their parent, so backwards every node is complete before it is passed on.
        for node in reversed(walk[1:]):
            i, up = number[node], parent_of[number[node]]
            first[up], last[up] = min(first[up], first[i]), max(last[up], last[i])
        return cls(tuple(order), len(leaves), parent_of, first, last)

    def with_leaf(self, label: str) -> Hierarchy:
        """The same tree with one more leaf directly under the root, last in the walk."""
        m = self.leaves
        root = len(self.labels)
        parent = np.where(self.parent >= m, self.parent + 1, self.parent)
        first = self.first.copy()
        last = self.last.copy()
        last[-1] = m
        return Hierarchy(
            (*self.labels[:m], label, *self.labels[m:]),
            m + 1,
            np.insert(parent, m, root).astype(np.int32),
            np.insert(first, m, m).astype(np.int32),
            np.insert(last, m, m).astype(np.int32),
        )

    def common_ancestor(self, low: int, high: int) -> int:
        """The lowest node that covers the leaves from `low` to `high`."""
        node = low
        while self.last[node] < high:
            node = int(self.parent[node])
        return node

    def losses(self) -> Floats:
        """What publishing each node loses: leaves under it / all leaves, 0 for a leaf (PatternKa 2020, eq. 6)."""
        covered = (self.last - self.first + 1).astype(np.float64)
        return np.where(np.arange(len(self.labels)) < self.leaves, 0.0, covered / max(self.leaves, 1))


def _walk(children: Mapping[str, list[str]], root: str) -> list[str]:
    """All nodes below and with `root`, each before its children; a node met twice is an error."""
    order: list[str] = []
    seen = {root}
    stack = [root]
    while stack:
        node = stack.pop()
        order.append(node)
        for child in reversed(children.get(node, [])):
            if child in seen:
                raise InputError(f"{child!r} has two parents", remedy="Give every node one parent.")
            seen.add(child)
            stack.append(child)
    return order
