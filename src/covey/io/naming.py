"""Names for codes: items are named after a column of the data as they are read."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from covey.data import Baskets
from covey.data.labels import plain
from covey.errors import InputError, NamedItems
from covey.io.rows import Coded

NO_COLUMN = "Names for codes are taken from a column only in data with a row per item."

#: The names of each code, the most common one first; that one is what the item is called.
Names = dict[str, list[str]]


def names_of(items: Coded, called: Coded, column: str, file: str | None) -> Names:
    """Return the names of items, from a column beside the codes."""
    held = (items.codes >= 0) & (called.codes >= 0)
    width = max(len(called.texts), 1)
    pairs, counts = np.unique(items.codes[held] * np.int64(width) + called.codes[held], return_counts=True)
    found: dict[str, Counter[str]] = {}
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        code, name = items.labels[pair // width], called.labels[pair % width].strip()
        if name:
            found.setdefault(code, Counter())[name] += count
    if len(held) and not found:
        raise InputError("the column is empty", file=file, column=column, remedy="Choose the one with names.")
    return {code: sorted(names, key=lambda name: (-names[name], name)) for code, names in found.items()}


def named(baskets: Baskets, found: Names) -> Baskets:
    """Return the same baskets under names, with the codes and all other names as aliases.

    Warns of codes without a name and of names that need their code to be distinguished.
    """
    codes, names = baskets.items, {code: called[0] for code, called in found.items()}
    called = _distinct(codes, names)
    labels = [called[code] for code in codes]
    first: dict[str, str] = {}
    for label, code in zip(labels, codes, strict=True):
        if first.setdefault(label, code) != code:
            problem = f"the codes {first[label]!r} and {code!r} would both be called {label!r}, and become one item"
            raise InputError(problem, remedy="Give them different names.")
    marked = [labels[place] for place in np.flatnonzero(baskets.sensitive)]
    renamed = Baskets.build(baskets.indptr.copy(), baskets.indices.copy(), labels, marked, baskets.person)
    lacking = tuple(code for code in codes if code not in names)
    shared = tuple(called[code] for code in codes if called[code] not in (code, names.get(code)))
    several = sum(len(found.get(code, ())) > 1 for code in codes)
    if lacking or shared or several:
        warnings.warn(NamedItems(len(codes), lacking, shared, several), stacklevel=3)
    return replace(renamed, names=baskets.names, aliases=_aliases(called, found))


def _distinct(codes: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return what each code is called; the code is added to names that several share, whatever their case and blanks.

    Examples
    --------
    >>> _distinct(["1", "2", "3", "4"], {"1": "mug", "2": "Mug", "3": "4"})
    {'1': 'mug (1)', '2': 'Mug (2)', '3': '4 (3)', '4': '4'}
    """
    owners: dict[str, set[str]] = {}
    for code in codes:
        for text in (code, names.get(code, code)):
            owners.setdefault(plain(text), set()).add(code)
    called = {code: names.get(code, code) for code in codes}
    return {
        code: name if name == code or len(owners[plain(name)]) == 1 else f"{name} ({code})"
        for code, name in called.items()
    }


def _aliases(called: Mapping[str, str], found: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the items that each code means, and those that a shared or less common name means."""
    names = {code: found[code][0] if code in found else code for code in called}
    alike: dict[str, list[str]] = {}
    for code, label in called.items():
        alike.setdefault(plain(names[code]), []).append(label)
    shared = {names[code]: alike[plain(names[code])] for code, label in called.items() if label != names[code]}
    aliases = shared | {code: [label, *shared.get(code, ())] for code, label in called.items() if label != code}
    for code, label in called.items():
        for other in found.get(code, ())[1:]:
            aliases[other] = [*aliases.get(other, ()), label]
    return {text: tuple(dict.fromkeys(labels)) for text, labels in aliases.items()}
