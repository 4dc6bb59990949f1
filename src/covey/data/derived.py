"""Taxonomies made up for someone who has none: items that go together, or are called alike, share a group.

Such a tree is a proposal to be looked at and edited. One made from baskets says nothing about what the items mean and
depends on the data, so publishing along it tells something about which items go together; it is marked as derived.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse

from covey.data.baskets import Baskets
from covey.data.taxonomy import ROOT, Taxonomy, _assemble
from covey.errors import InputError
from covey.parameters import integer

_WORD = re.compile(r"[^\W\d_]{2,}")
#: Words that tell nothing about what something is.
_EMPTY = frozenset((
    "and", "or", "of", "the", "for", "with", "without", "in", "on", "to", "misc", "other", "assorted", "various", "no",
    "not", "all",
))  # fmt: skip


def derive_taxonomy(baskets: Baskets, *, fanout: int = 4) -> Taxonomy:
    """Group items by co-occurrence, `fanout` at a time, level by level up to one root.

    Each level takes the most frequent ungrouped item and joins it with those that share most transactions with it,
    relative to their supports (cosine).

    Groups are called by the commonest words of their items; the tree is marked as `derived`.

    Examples
    --------
    >>> data = Baskets.of([["pale ale", "stout ale"], ["pale ale", "stout ale"], ["tea", "milk"], ["tea", "milk"]])
    >>> tree = derive_taxonomy(data, fanout=2)
    >>> tree.labels[tree.parent[tree.node("stout ale")]]
    'ale'
    """
    integer("derive_taxonomy", "fanout", fanout, minimum=2)
    return _grown(baskets.items, baskets.to_scipy().astype(np.int32), fanout, derived=True)


def by_names(items: Sequence[str], *, fanout: int = 4) -> Taxonomy:
    """Group items by the words that their names share, rare words counting most.

    Examples
    --------
    >>> tree = by_names(["dark beer", "pale beer", "green tea", "black tea", "soap"], fanout=2)
    >>> tree.labels[tree.parent[tree.node("dark beer")]], tree.labels[tree.parent[tree.node("black tea")]]
    ('beer', 'tea')
    """
    integer("by_names", "fanout", fanout, minimum=2)
    words = [_words(item) for item in items]
    held = Counter(word for own in words for word in set(own))
    shared = [word for word, times in held.items() if times > 1]
    if not shared:
        raise InputError(
            "the names of the items share no words",
            remedy="Group them by codes or together (--by codes, --by together).",
        )
    place = {word: number for number, word in enumerate(shared)}
    at = [(place[word], item) for item, own in enumerate(words) for word in set(own) if word in place]
    weight = [1.0 / held[shared[word]] for word, _ in at]
    where = (np.array([word for word, _ in at]), np.array([item for _, item in at]))
    matrix = scipy.sparse.csc_array((np.sqrt(weight), where), shape=(len(shared), len(items)))
    return _grown(items, matrix, fanout, derived=False)


def by_codes(items: Sequence[str]) -> Taxonomy:
    """Group items by the beginnings of their codes, as far as these branch.

    Examples
    --------
    >>> by_codes(["1001", "1002", "1101", "2001"]).labels
    ('*', '1*', '100*', '1001', '1002', '1101', '2001')
    """
    above: dict[str, str] = {}
    todo = [("", sorted(set(items)))]
    while todo:
        prefix, codes = todo.pop()
        for letter in sorted({code[len(prefix) : len(prefix) + 1] for code in codes}):
            own = [code for code in codes if code[len(prefix) : len(prefix) + 1] == letter]
            longer = os.path.commonprefix(own)  # noqa: RUF071 - letter by letter is meant
            if len(own) == 1 or not letter:
                above |= dict.fromkeys(own, f"{prefix}*")
            elif len(own) == len(codes):
                todo.append((longer, own))
            else:
                label = f"{longer}*"
                above[label] = f"{prefix}*"
                todo.append((longer, own))
    names = dict.fromkeys([*above.values(), *above])
    groups = set(above.values())
    if any(item in groups for item in items):
        raise InputError(
            "an item has the same name as a group of codes", remedy="Group the items by names or together."
        )
    roots = [name for name in names if name not in above]
    made = _assemble(above, list(names), roots)
    return made if made.size > len(set(items)) + 1 else Taxonomy.flat(items)


def by_categories(items: Sequence[str], paths: Mapping[str, Sequence[str]]) -> Taxonomy:
    """Group items by categories that the data names, from the narrowest to the broadest.

    Examples
    --------
    >>> by_categories(["ale", "tea"], {"ale": ["beer", "drinks"], "tea": ["", "drinks"]}).labels
    ('drinks', 'beer', 'ale', 'tea')
    """
    return Taxonomy.from_paths([item, *(label if label != item else "" for label in paths[item])] for item in items)


#: Nodes for which it is counted at once how often all others stand with them.
AT_ONCE = 64


def _groups(matrix: Any, fanout: int, *, fill: bool) -> list[list[int]]:
    """Return the columns of a matrix in groups of `fanout`: the fullest one left, and what is most like it (cosine).

    If `fill`, groups are filled up with the fullest of the others.
    """
    rows, columns = matrix.tocsr(), matrix.T.tocsr()
    support = np.maximum(np.asarray(matrix.sum(axis=0)).ravel(), 1e-9)
    order, free = np.argsort(-support, kind="stable"), np.ones(len(support), np.bool_)
    rest, groups = iter(order.tolist()), []
    for start in range(0, len(order), AT_ONCE):
        seeds = order[start : start + AT_ONCE]
        seeds = seeds[free[seeds]]
        together = columns[seeds] @ rows
        for place, seed in enumerate(seeds.tolist()):
            if not free[seed]:
                continue
            free[seed] = False
            inside = slice(*together.indptr[place : place + 2])
            near, shared = together.indices[inside], together.data[inside]
            near, shared = near[free[near]], shared[free[near]]
            best = near[np.lexsort((near, -shared / np.sqrt(support[near])))]
            members = [seed, *best[: fanout - 1].tolist()]
            free[members] = False
            while fill and len(members) < fanout and (other := next(rest, None)) is not None:
                if free[other]:
                    members.append(other)
                    free[other] = False
            groups.append(members)
    return groups


def _grown(items: Sequence[str], matrix: Any, fanout: int, *, derived: bool) -> Taxonomy:
    """A tree over items, the columns of a matrix: alike ones in one group, alike groups in one, up to the root."""
    names, taken = list(items), set(items)
    leaves: dict[str, list[str]] = {item: [item] for item in items}
    above: dict[str, str] = {}
    fill = False  # at first only what goes together is joined
    while len(names) > 1:
        groups = _groups(matrix, fanout, fill=fill)
        if not fill and len(groups) == len(names):
            fill = True
            continue
        labels, owner = [], np.empty(len(names), np.int32)
        for number, members in enumerate(groups):
            owner[members] = number
            label = names[members[0]]
            if len(members) > 1:
                below = [leaf for i in members for leaf in leaves[names[i]]]
                label = _unused(ROOT, taken) if len(groups) == 1 else _called(below, taken)
                taken.add(label)
                leaves[label] = below
                above |= {names[i]: label for i in members}
            labels.append(label)
        once = np.ones(len(owner), matrix.dtype)
        matrix = matrix @ scipy.sparse.csc_array((once, (np.arange(len(owner)), owner)), (len(owner), len(groups)))
        matrix.data = np.minimum(matrix.data, 1)
        names, fill = labels, True
    return _assemble(above, list(leaves), names, derived=derived)


def _words(label: str) -> list[str]:
    """The words of a name without case and plural, which is all that grouping needs."""
    found = [word.casefold() for word in _WORD.findall(label) if word.casefold() not in _EMPTY]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]


@lru_cache(maxsize=1 << 16)
def _spellings(item: str) -> tuple[tuple[str, str], ...]:
    """Each word of a name as it is written and as `_words` has it; remembered, since every level asks again."""
    return tuple((word, plain) for word in dict.fromkeys(_WORD.findall(item)) for plain in _words(word))


def _called(items: Sequence[str], taken: set[str]) -> str:
    """What a group is called: the commonest words of its items or, if they share none, its first items.

    How many items are none of that is said, too, so that a name does not promise more than the group holds.

    Examples
    --------
    >>> _called(["pale ale", "stout ale"], set()), _called(["rye bread", "white bread", "dog biscuits"], set())
    ('ale', 'bread + 1 more')
    >>> _called(["tea", "soap", "lamp"], set())
    'tea, soap + 1 more'
    """
    spelled: dict[str, Counter[str]] = {}
    holding: dict[str, set[str]] = {}
    for item in items:
        for word, plain in _spellings(item):
            spelled.setdefault(plain, Counter())[word] += 1
            holding.setdefault(plain, set()).add(item)
    often = sorted(spelled, key=lambda word: (-spelled[word].total(), word))
    shared = [word for word in often if spelled[word].total() > 1]
    written = [min(spelled[word], key=lambda w: (-spelled[word][w], w)) for word in shared]
    for size in range(1, min(len(shared), 4) + 1):
        label = _with_rest(written[:size], len(items) - len(set().union(*map(holding.__getitem__, shared[:size]))))
        if label not in taken:
            return label
    return _unused(_with_rest(items[:2], len(items) - 2), taken)


def _with_rest(names: Sequence[str], rest: int) -> str:
    return ", ".join(names) + (f" + {rest:,} more" if rest > 0 else "")


def _unused(label: str, taken: set[str]) -> str:
    number, made = 2, label
    while made in taken:
        made, number = f"{label} ({number})", number + 1
    return made
