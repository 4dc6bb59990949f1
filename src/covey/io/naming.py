"""Names for codes: items are renamed as they are read, so that everything after it shows names."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.counting import counted
from covey.data import Baskets
from covey.data.amounts import item_of
from covey.data.labels import plain
from covey.errors import InputError, NamedItems, ParameterError
from covey.io.baskets.columns import find
from covey.io.files import whole_text
from covey.io.trees.lines import nothing, split_lines

NO_COLUMN = "Names for codes are taken from a column only in data with a row per item."
_SHAPE = "Write a code and its name on each line, separated by a comma, and a name that contains commas in quotes."


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What codes are called.

    Attributes
    ----------
    names : mapping of str to str
        The name of each code, also of codes that the data lacks.
    source : str or None
        The file they are from, for messages.
    several : int
        How many codes have several names, of which the commonest is used.
    """

    names: Mapping[str, str]
    source: str | None = None
    several: int = 0

    @classmethod
    def of(cls, spec: Any, encoding: str = "utf-8") -> Naming:
        """Names from a file with two columns, or a mapping; a header is a code that the data lacks.

        Examples
        --------
        >>> Naming.of({"B20": "HIV", "E11": ""}).names
        {'B20': 'HIV'}
        """
        if isinstance(spec, Mapping):
            given = {str(code): "" if name is None else str(name).strip() for code, name in spec.items()}
            return cls(names={code: name for code, name in given.items() if name})
        if not isinstance(spec, str | os.PathLike):
            raise ParameterError(f"Names for codes come from a file or a mapping. Got {type(spec).__name__} instead.")
        return _of_file(spec, encoding)

    @classmethod
    def chosen(cls, names: Any, column: str | None, encoding: str) -> Naming | None:
        """The names of a file or mapping; None where there is none, or a column that is still to be read."""
        if names is not None and column is not None:
            raise ParameterError("Names for codes come from a file or from a column, not from both.")
        return None if names is None else cls.of(names, encoding)

    @classmethod
    def of_column(cls, table: pa.Table, items: Sequence[str], column: str, file: str | None) -> Naming:
        """Names from a column beside the one with the codes; of several names, a code gets the commonest.

        `items` is the column with the codes, or nothing where items do not have a row each.
        """
        if not items:
            raise ParameterError(NO_COLUMN)
        item = items[0]
        name = table.column_names[find(table.column_names, column, file)]
        if name == item:
            raise InputError(
                "the column holds the codes themselves", file=file, column=name, remedy="Choose the one with names."
            )
        try:
            codes, called = (_texts(table.column(one)) for one in (item, name))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise InputError(
                "the column holds no text", file=file, column=name, remedy="Choose the one with names."
            ) from None
        pairs = pa.table({"code": codes, "name": pc.utf8_trim_whitespace(called)})
        counted = pairs.group_by(["code", "name"], use_threads=False).aggregate([([], "count_all")])
        found: dict[str, list[tuple[int, str]]] = {}
        for row in counted.to_pylist():
            if row["code"] is not None and row["name"]:
                found.setdefault(row["code"], []).append((-row["count_all"], row["name"]))
        several = sum(len(names) > 1 for names in found.values())
        return cls(names={code: min(names)[1] for code, names in found.items()}, source=file, several=several)

    def named(self, baskets: Baskets, *, amounts: bool = False, codes_stay: bool = False) -> Baskets:
        """The same baskets under names, codes being aliases; tells which keep their code, and which names need theirs.

        Parameters
        ----------
        baskets : Baskets
            Whose items are codes.
        amounts : bool
            Whether items are told apart by quantity, ``beer×1``, and names are of ``beer``.
        codes_stay : bool
            Whether items keep their codes, names being aliases and what they are called where people see them.
        """
        parts = [item_of(label) if amounts else label for label in baskets.items]
        codes = list(dict.fromkeys(parts))
        self._require_some(codes)
        called = _distinct(codes, self.names)
        labels = [called[code] + label[len(code) :] for code, label in zip(parts, baskets.items, strict=True)]
        _require_distinct(labels, baskets.items)
        marked = [labels[place] for place in np.flatnonzero(baskets.sensitive)]
        renamed = Baskets.build(baskets.indptr.copy(), baskets.indices.copy(), labels, marked, baskets.person)
        lacking = [code for code in codes if code not in self.names]
        shared = [called[code] for code in codes if called[code] not in (code, self.names.get(code))]
        if lacking or shared or self.several:
            warnings.warn(NamedItems(len(codes), lacking, shared, self.several), stacklevel=3)
        if codes_stay:
            shown = {**called, **dict(zip(baskets.items, labels, strict=True))}
            return replace(baskets, aliases=_meanings(called, self.names), called=shown)
        return replace(renamed, names=baskets.names, aliases=_aliases(called, self.names))

    def _require_some(self, codes: list[str]) -> None:
        if codes and not any(code in self.names for code in codes):
            swapped = set(self.names.values()).intersection(codes)
            raise InputError(
                f"no item of the data has a name here; items are, for example, {', '.join(map(repr, codes[:3]))}",
                file=self.source,
                remedy="The codes must come first, then the names." if swapped else _SHAPE,
            )


def _of_file(spec: str | os.PathLike[str], encoding: str) -> Naming:
    file = os.fspath(spec)
    lines = split_lines(whole_text(spec, encoding), spec)
    if not lines.cells:
        raise nothing(spec, "names", _SHAPE)
    names: dict[str, str] = {}
    for number, row in zip(lines.numbers, lines.cells, strict=True):
        if len(row) != 2:
            cells = counted(len(row), "cell")
            raise InputError(f"{cells} instead of a code and a name", file=file, line=number, remedy=_SHAPE)
        code, name = row
        if not code:
            raise InputError(f"the name {name!r} has no code", file=file, line=number, remedy=_SHAPE)
        if name and names.setdefault(code, name) != name:
            raise InputError(
                f"the code {code!r} is called {name!r} here and {names[code]!r} before",
                file=file,
                line=number,
                remedy="Give each code one name.",
            )
    return Naming(names=names, source=file)


def _texts(column: Any) -> Any:
    kind = column.type
    return pc.cast(pc.cast(column, kind.value_type) if pa.types.is_dictionary(kind) else column, pa.large_string())


def _distinct(codes: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """What each code is called; the code follows names that are not its own alone, whatever their case and blanks.

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


def _meanings(called: Mapping[str, str], names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The codes that a name means: its own, or all that share it.

    Examples
    --------
    >>> _meanings({"1": "mug (1)", "2": "mug (2)", "3": "tea", "4": "4"}, {"1": "mug", "2": "mug", "3": "tea"})
    {'mug (1)': ('1',), 'mug (2)': ('2',), 'tea': ('3',), 'mug': ('1', '2')}
    """
    found: dict[str, tuple[str, ...]] = {label: (code,) for code, label in called.items() if label != code}
    for code in called:
        name = names.get(code, code)
        if name != code and found.get(name) != (code,):
            found[name] = (*found.get(name, ()), code)
    return found


def _aliases(called: Mapping[str, str], names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The items that a code means, and those that a name means which several have."""
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
