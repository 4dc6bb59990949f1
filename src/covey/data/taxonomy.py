"""Taxonomies: a rooted tree whose leaves are items (docs/papers.md, Liu & Wang 2010).

Nodes are numbered in the order of an Euler tour (a node before its children, children in label order), so that
the nodes below `x` are exactly ``x + 1 .. last[x]`` and "is `a` above `x`?" is two comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from covey.arrays import Floats, Ids, Ints, Mask
from covey.counting import counted, sizes
from covey.data.labels import require_text
from covey.data.tree import tour
from covey.errors import InputError
from covey.parameters import did_you_mean

#: Label of a root that the file does not name.
ROOT = "*"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Taxonomy:
    """A rooted tree of labels; use `from_pairs`, `from_paths`, `from_nested`, `flat` or `covey.read_taxonomy`.

    Examples
    --------
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "drinks"), ("tea", "drinks")])
    >>> tree
    Taxonomy(5 nodes, 3 leaves, 2 levels below 'drinks')
    >>> tree.is_ancestor(tree.node("beer"), tree.node("stout"))
    True
    """

    #: One distinct label per node, nodes in the order of an Euler tour; node 0 is the root.
    labels: tuple[str, ...]
    #: The parent of each node, -1 for the root.
    parent: Ids
    #: Whether the tree was made up from the data itself rather than given.
    derived: bool = False
    last: Ids = field(init=False)
    depth: Ids = field(init=False)
    leaves: Ints = field(init=False)
    child_ptr: Ints = field(init=False)
    child: Ids = field(init=False)
    _index: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        parent = np.ascontiguousarray(self.parent, np.int32)
        if not len(self.labels) or len(parent) != len(self.labels) or parent[0] != -1:
            raise InputError("a taxonomy needs one label and one parent per node, and a root first")
        if len(parent) > 1 and (parent[1:].min() < 0 or (parent[1:] >= np.arange(1, len(parent))).any()):
            raise InputError("the nodes of a taxonomy must stand behind their parents")
        last, depth, leaves, ptr, child = tour(parent)
        index = {label: i for i, label in enumerate(self.labels)}
        if len(index) != len(self.labels):
            raise InputError("the labels of a taxonomy must be distinct")
        require_text(self.labels, "label")
        arrays: dict[str, Any] = {
            "parent": parent,
            "last": last,
            "depth": depth,
            "leaves": leaves,
            "child_ptr": ptr,
            "child": child,
        }
        for name, array in arrays.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "_index", index)

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[str, str]],
        *,
        second_parent: str = "error",
        file: str | None = None,
        lines: Iterable[int] | None = None,
    ) -> Taxonomy:
        """Make a taxonomy from (child, parent) pairs; an empty parent names a root, and several get one above them.

        A child with a `second_parent` is an "error", or keeps the "first". `file` and `lines` are for messages.
        """
        above: dict[str, str] = {}
        seen: dict[str, int] = {}
        roots: dict[str, None] = {}
        for line, (child, parent) in zip(lines or count(1), pairs, strict=False):
            place: dict[str, Any] = {"file": file, "line": line if file else None}
            if not child:
                raise InputError("a child without a label", **place, remedy="Give every node a label.")
            if child == parent:
                raise InputError(
                    f"{child!r} is its own parent", **place, remedy="Qualify one of the two, as in 'beer/ale'."
                )
            if child in seen:
                if second_parent == "first":
                    continue
                if above.get(child, "") == parent:
                    raise InputError(
                        f"{child!r} is listed again (first on line {seen[child]})",
                        **place,
                        remedy="Keep one of the two lines.",
                    )
                raise InputError(
                    f"{child!r} has a second parent, {parent!r} (first {above.get(child, '')!r}, line {seen[child]})",
                    **place,
                    remedy="A taxonomy is a tree: keep one parent, or qualify the label by its path.",
                )
            seen[child] = line
            if parent:
                above[child] = parent
            else:
                roots[child] = None
        names = dict.fromkeys([*seen, *above.values()])
        roots |= dict.fromkeys(name for name in names if name not in above)
        _refuse_cycle(above, list(names), file)
        if not names:
            raise InputError("the taxonomy has no nodes", file=file, remedy="List child,parent lines.")
        return _assemble(above, list(names), list(roots))

    @classmethod
    def from_paths(
        cls, paths: Iterable[Sequence[str]], *, file: str | None = None, lines: Iterable[int] | None = None
    ) -> Taxonomy:
        """Make a taxonomy from one path per item, from the item up to the top.

        A node is known by its whole path, so a label may repeat under two parents; it is then published
        qualified by its path (``tops/…/label``). Items keep their label.
        """
        above: dict[tuple[str, ...], tuple[str, ...]] = {}
        items: dict[str, tuple[tuple[str, ...], int]] = {}
        for line, path in zip(lines or count(1), paths, strict=False):
            place: dict[str, Any] = {"file": file, "line": line if file else None}
            down = tuple(step for step in reversed(path) if step)
            if not path or not path[0] or not down:
                raise InputError("an item without a label", **place, remedy="Name the item of every line.")
            item = down[-1]
            if item in items:
                known, first = items[item]
                what = "is listed again" if known == down else "has a second parent"
                raise InputError(
                    f"the item {item!r} {what} (first on line {first})",
                    **place,
                    remedy="Keep one line per item, or qualify the item by its path in taxonomy and data.",
                )
            items[item] = (down, line)
            for stop in range(len(down), 1, -1):
                if down[:stop] in above:
                    break
                above[down[:stop]] = down[: stop - 1]
        if not items:
            raise InputError("the taxonomy has no items", file=file, remedy="List one item per line.")
        leaf_paths = {down for down, _ in items.values()}
        nodes = dict.fromkeys([*above, *above.values(), *leaf_paths])
        inner = {above[node] for node in above}
        for item, (down, line) in items.items():
            if down in inner:
                raise InputError(
                    f"the item {item!r} is above other items", file=file, line=line if file else None,
                    remedy="Only leaves can be items: rename the group.",
                )  # fmt: skip
        used: dict[str, int] = dict.fromkeys(items, 1)
        for node in nodes:
            if node not in leaf_paths:
                used[node[-1]] = used.get(node[-1], 0) + 1
        # Where a label is not enough, the whole path; at the top that is the label itself, unless an item has it.
        name = {
            n: n[-1] if n in leaf_paths or used[n[-1]] == 1 else _unused("/".join(n), items if len(n) == 1 else used)
            for n in nodes
        }
        roots = [name[n] for n in nodes if n not in above]
        return _assemble({name[c]: name[p] for c, p in above.items()}, list(name.values()), roots)

    @classmethod
    def from_nested(cls, tree: Any, *, file: str | None = None) -> Taxonomy:
        """Make a taxonomy from nested mappings and lists, such as ``{"drinks": {"beer": ["ale"], "tea": {}}}``.

        A node given as ``{"label": …, "children": […]}`` is understood too.
        """
        pairs: list[tuple[str, str]] = []
        todo: list[tuple[Any, str]] = [(tree, "")]
        while todo:
            value, parent = todo.pop()
            if isinstance(value, Mapping) and "label" in value and set(value) <= {"label", "children"}:
                label = value["label"]
                if isinstance(label, bool) or not isinstance(label, str | int):
                    raise _no_node(label, "label", file)
                pairs.append((str(label), parent))
                todo.append((value.get("children") or [], str(label)))
            elif isinstance(value, Mapping):
                for label, below in value.items():
                    pairs.append((str(label), parent))
                    todo.append((below, str(label)))
            elif isinstance(value, list | tuple):
                todo += [(element, parent) for element in value]
            elif isinstance(value, str | int) and not isinstance(value, bool):
                pairs.append((str(value), parent))
            elif value is not None:
                raise _no_node(value, "node", file)
        try:
            return cls.from_pairs(pairs)
        except InputError as error:  # lines are not worth naming
            raise InputError(error.problem, file=file, remedy=error.remedy) from None

    @classmethod
    def flat(cls, items: Iterable[str]) -> Taxonomy:
        """The taxonomy of someone who has none: every item directly under one root.

        Examples
        --------
        >>> Taxonomy.flat(["wine", "meat"])
        Taxonomy(3 nodes, 2 leaves, 1 level below '*')
        """
        names = list(items)
        return _assemble({}, names, names) if names else cls(labels=(ROOT,), parent=np.array([-1], np.int32))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @property
    def height(self) -> int:
        """Number of levels below the root."""
        return int(self.depth.max())

    def __repr__(self) -> str:
        size = sizes(nodes=self.size, leaves=self.leaves[0], levels=self.height)
        return f"Taxonomy({'derived, ' if self.derived else ''}{size} below {self.labels[0]!r})"

    def node(self, label: str) -> int:
        """The number of the node with this label."""
        if label not in self._index:
            near = did_you_mean(label, self.labels) if self.size <= 10_000 else ""
            raise InputError(f"the taxonomy has no node {label!r}", remedy=near.strip())
        return self._index[label]

    def __contains__(self, label: object) -> bool:
        return label in self._index

    def is_ancestor(self, above: int, below: int) -> bool:
        """Whether node `above` is `below` or stands above it; O(1)."""
        return bool(above <= below <= self.last[above])

    def children(self, node: int) -> Ids:
        """The children of a node, in label order."""
        return self.child[self.child_ptr[node] : self.child_ptr[node + 1]]

    def is_leaf(self) -> Mask:
        """Which nodes are leaves."""
        return np.asarray(self.last == np.arange(self.size))

    def loss(self) -> Floats:
        """IL_G of every node, (leaves(x) - 1) / (leaves(root) - 1): 0 for a leaf, 1 for the root."""
        return (self.leaves - 1) / max(int(self.leaves[0]) - 1, 1)

    def bind(self, items: Sequence[str]) -> Ids:
        """The leaf of each item; an item that is missing or not a leaf is an error that lists the first ones."""
        found = np.array([self._index.get(item, -1) for item in items], np.int32)
        missing = [items[int(i)] for i in np.flatnonzero(found < 0)]
        if missing:
            near = did_you_mean(missing[0], self.labels).strip() if self.size <= 10_000 else ""
            none = len(missing) == len(items)
            codes = " A taxonomy of codes does not fit items that were given names." if none else ""
            raise InputError(
                f"{len(missing):,} of {len(items):,} items are not in the taxonomy: {_some(missing)}",
                remedy=f"{near or 'Add them to the taxonomy, or leave them out of the data.'}{codes}",
            )
        inner = [items[int(i)] for i in np.flatnonzero(self.last[found] != found)] if len(found) else []
        if inner:
            raise InputError(
                f"{counted(len(inner), 'item')} above others in the taxonomy: {_some(inner)}",
                remedy="Only leaves can be items: rename the group, or add a leaf below it.",
            )
        return found

    def shape(self) -> dict[str, Any]:
        """Figures of the tree for people and JSON."""
        inner = self.last > np.arange(self.size)
        fanout = np.diff(self.child_ptr)[inner]
        leaf_depth = self.depth[~inner]
        return {
            "root": self.labels[0],
            "nodes": self.size,
            "leaves": int(self.leaves[0]),
            "levels": self.height,
            "nodes_by_depth": np.bincount(self.depth).tolist(),
            "leaf_depth": {"min": int(leaf_depth.min()), "max": int(leaf_depth.max())},
            "fanout": {
                "mean": float(fanout.mean()) if len(fanout) else 0.0,
                "max": int(fanout.max()) if len(fanout) else 0,
            },
            "derived": self.derived,
        }


def _no_node(value: Any, what: str, file: str | None) -> InputError:
    return InputError(
        f"{value!r} is where a {what} is expected",
        file=file,
        remedy='Nest objects and lists of labels, such as {"drinks": {"beer": ["ale"]}}.',
    )


def _some(labels: Sequence[str]) -> str:
    return ", ".join(repr(label) for label in labels[:5]) + (" …" if len(labels) > 5 else "")


def _unused(label: str, used: Mapping[str, Any]) -> str:
    while label in used:
        label += "*"
    return label


def _refuse_cycle(above: Mapping[str, str], names: Sequence[str], file: str | None) -> None:
    done: set[str] = set()
    for name in names:
        path: dict[str, None] = {}
        while name in above and name not in done:
            if name in path:
                cycle = list(path)[list(path).index(name) :]
                shown = " → ".join(repr(c) for c in [*cycle[:5], *(["…"] if len(cycle) > 5 else []), name])
                raise InputError(f"the taxonomy has a cycle: {shown}", file=file, remedy="Remove one of these lines.")
            path[name] = None
            name = above[name]
        done.update(path)


def _assemble(
    above: Mapping[str, str], names: Sequence[str], roots: Sequence[str], *, derived: bool = False
) -> Taxonomy:
    """The tree with these parents, in tour order; several roots get a common one."""
    below: dict[str, list[str]] = {}
    for child, parent in above.items():
        below.setdefault(parent, []).append(child)
    if len(roots) == 1 and (len(names) > 1 or below):
        root = roots[0]
    else:
        root = _unused(ROOT, dict.fromkeys(names))
        below[root] = list(roots)
    labels: list[str] = []
    parent_of: list[int] = []
    todo = [(root, -1)]
    while todo:
        label, parent_id = todo.pop()
        number = len(labels)
        labels.append(label)
        parent_of.append(parent_id)
        todo += [(child, number) for child in sorted(below.get(label, ()), reverse=True)]
    return Taxonomy(labels=tuple(labels), parent=np.array(parent_of, np.int32), derived=derived)
