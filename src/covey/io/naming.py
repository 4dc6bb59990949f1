"""Names for codes: items are named after a column of the data as they are read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.data import Baskets
from covey.data.labels import plain
from covey.errors import InputError, NamedItems, ParameterError
from covey.io.columns import find

NO_COLUMN = "Names for codes are taken from a column only in data with a row per item."

#: The names of each code, the most common one first; that one is what the item is called.
Names = Mapping[str, Sequence[str]]


def names_of(table: pa.Table, item: str | None, column: str, file: str | None) -> Names:
    """Return the names that a column has beside the codes in the column `item`."""
    if item is None:
        raise ParameterError(NO_COLUMN)
    name = table.column_names[find(table.column_names, column, file)]

    def refused(problem: str) -> InputError:
        return InputError(problem, file=file, column=name, remedy="Choose the one with names.")

    if name == item:
        raise refused("the column holds the codes themselves")
    try:
        codes, called = (_texts(table.column(one)) for one in (item, name))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise refused("the column holds no text") from None
    pairs = pa.table({"code": codes, "name": pc.utf8_trim_whitespace(called)})
    counted = pairs.group_by(["code", "name"], use_threads=False).aggregate([([], "count_all")])
    found: dict[str, list[tuple[int, str]]] = {}
    for row in counted.to_pylist():
        if row["code"] is not None and row["name"]:
            found.setdefault(row["code"], []).append((-row["count_all"], row["name"]))
    if table.num_rows and not found:
        raise refused("the column is empty")
    return {code: [name for _, name in sorted(names)] for code, names in found.items()}


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    return pc.cast(pc.cast(column, kind.value_type) if pa.types.is_dictionary(kind) else column, pa.large_string())


def named(baskets: Baskets, found: Names) -> Baskets:
    """Return the same baskets under names, with the codes and all other names as aliases.

    Warns of codes without a name and of names that need their code to be told apart.
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
    lacking = [code for code in codes if code not in names]
    shared = [called[code] for code in codes if called[code] not in (code, names.get(code))]
    several = sum(len(found.get(code, ())) > 1 for code in codes)
    if lacking or shared or several:
        warnings.warn(NamedItems(len(codes), tuple(lacking), tuple(shared), several), stacklevel=3)
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
    alone = {code: name for code, name in names.items() if len(owners.get(plain(name), ())) <= 1}
    full = {code: name if name in (code, alone.get(code)) else f"{name} ({code})" for code, name in names.items()}
    return {code: full.get(code, code) for code in codes}


def _aliases(called: Mapping[str, str], found: Names) -> dict[str, tuple[str, ...]]:
    """Return the items that each code means, and those that a shared or less common name means."""
    alike: dict[str, list[str]] = {}
    names = {code: found[code][0] if code in found else code for code in called}
    for code, label in called.items():
        alike.setdefault(plain(names[code]), []).append(label)
    aliases: dict[str, tuple[str, ...]] = {
        names[code]: tuple(alike[plain(names[code])]) for code, label in called.items() if label != names[code]
    }
    for code, label in called.items():
        if label != code:
            aliases[code] = tuple(dict.fromkeys((label, *aliases.get(code, ()))))
    for code, label in called.items():
        for other in found.get(code, ())[1:]:
            aliases[other] = tuple(dict.fromkeys((*aliases.get(other, ()), label)))
    return aliases
