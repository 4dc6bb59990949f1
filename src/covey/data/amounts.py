"""Items in classes of amounts, ``beer×1`` and ``beer×2-5``: which labels are of one item, and an item as one again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from covey.data.baskets import Baskets

SIGN = "×"
_CLASS = re.compile(rf"(.+){SIGN}[0-9]+(?:-[0-9]+|\+)?", re.DOTALL)


def item_of(label: str) -> str:
    """The item that a label is an amount of; the label itself if it is none.

    Examples
    --------
    >>> item_of("beer×2-5"), item_of("beer×6+"), item_of("beer")
    ('beer', 'beer', 'beer')
    """
    found = _CLASS.fullmatch(label)
    return label if found is None else found[1]


def classes(labels: Iterable[str]) -> dict[str, list[str]]:
    """The items that occur in classes of amounts, each with the labels of them.

    Examples
    --------
    >>> classes(["ale×1", "ale×2-5", "tea"])
    {'ale': ['ale×1', 'ale×2-5']}
    """
    found: dict[str, list[str]] = {}
    for label in labels:
        if (item := item_of(label)) != label:
            found.setdefault(item, []).append(label)
    return found


def as_one(baskets: Baskets, items: Collection[str]) -> Baskets:
    """The same baskets with all amounts of these items under one label each, sensitive if any of them was.

    Examples
    --------
    >>> as_one(Baskets.of([["ale×1", "tea×1"], ["ale×2-5"]]), {"ale"}).items
    ('ale', 'tea×1')
    """
    names = [item if (item := item_of(label)) in items else label for label in baskets.items]
    labels = {name: place for place, name in enumerate(dict.fromkeys(names))}
    number = np.array([labels[name] for name in names], np.int32)
    marked = {names[place] for place in np.flatnonzero(baskets.sensitive)}
    made = Baskets.build(baskets.indptr.copy(), number[baskets.indices], list(labels), marked, baskets.person)
    return replace(made, names=baskets.names, aliases=baskets.aliases)


def whole(baskets: Baskets, items: Collection[str]) -> Baskets:
    """The same baskets; those of `items` that it has in classes of amounts alone are one item each."""
    split = {*classes(baskets.items)}.intersection(items) - {*baskets.items}
    return as_one(baskets, split) if split else baskets
