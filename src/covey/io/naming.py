"""Names for codes: items are named after a column of the data as they are read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.data import Baskets
from covey.data.labels import plain
from covey.errors import InputError, NamedItems, ParameterError
from covey.io.baskets.columns import find

NO_COLUMN = "Names for codes are taken from a column only in data with a row per item."


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The names of each code, the most common one first; that one is what the item is called."""

    all: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> dict[str, str]:
        """What each code is called."""
        return {code: names[0] for code, names in self.all.items()}

    @classmethod
    def of_column(cls, table: pa.Table, items: Sequence[str], column: str, file: str | None) -> Naming:
        """Take the names from the column next to the codes.

        `items` is the column with the codes; it is empty where items do not have a row each.
        """
        if not items:
            raise ParameterError(NO_COLUMN)
        item = items[0]
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
        return cls(all={code: tuple(name for _, name in sorted(names)) for code, names in found.items()})

    def named(self, baskets: Baskets) -> Baskets:
        """Return the same baskets under names, with the codes and all other names as aliases.

        Warns of codes without a name and of names that need their code to be told apart.
        """
        codes, names = baskets.items, self.names
        called = _distinct(codes, names)
        labels = [called[code] for code in codes]
        _require_distinct(labels, baskets.items)
        marked = [labels[place] for place in np.flatnonzero(baskets.sensitive)]
        renamed = Baskets.build(baskets.indptr.copy(), baskets.indices.copy(), labels, marked, baskets.person)
        lacking = [code for code in codes if code not in names]
        shared = [called[code] for code in codes if called[code] not in (code, names.get(code))]
        several = sum(len(self.all.get(code, ())) > 1 for code in codes)
        if lacking or shared or several:
            warnings.warn(NamedItems(len(codes), tuple(lacking), tuple(shared), several), stacklevel=3)
        aliases = _aliases(called, names)
        for code, label in called.items():
            for other in self.all.get(code, ())[1:]:
                aliases[other] = tuple(dict.fromkeys((*aliases.get(other, ()), label)))
        return replace(renamed, names=baskets.names, aliases=aliases)


def _texts(column: Any) -> Any:
    kind = column.type
    return pc.cast(pc.cast(column, kind.value_type) if pa.types.is_dictionary(kind) else column, pa.large_string())


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
    return {
        code: code if code not in names or names[code] == code
        else names[code] if len(owners[plain(names[code])]) == 1 else f"{names[code]} ({code})"
        for code in codes
    }  # fmt: skip


def _require_distinct(labels: list[str], codes: Iterable[str]) -> None:
    known: dict[str, str] = {}
    for label, code in zip(labels, codes, strict=True):
        if known.setdefault(label, code) != code:
            raise InputError(
                f"the codes {known[label]!r} and {code!r} would both be called {label!r}, and become one item",
                remedy="Give them different names.",
            )


def _aliases(called: Mapping[str, str], names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the items that a code means, and those that a shared name means."""
    alike: dict[str, list[str]] = {}
    for code, label in called.items():
        alike.setdefault(plain(names.get(code, code)), []).append(label)
    found: dict[str, tuple[str, ...]] = {}
    for code, label in called.items():
        if label != names.get(code, code):
            found[names[code]] = tuple(alike[plain(names[code])])
    for code, label in called.items():
        if label != code:
            found[code] = (label, *(other for other in found.get(code, ()) if other != label))
    return found
