"""Cleaning rows at the door: what is missing, which rows count, spellings that mean the same; nothing goes unsaid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Mask
from covey.data.kinds import MISSING_CHOICES, MISSING_MARKERS
from covey.data.labels import plain
from covey.errors import CleanedRows, InputError, ParameterError
from covey.io.baskets.columns import find
from covey.io.rows.conditions import condition
from covey.parameters import choice

#: What a missing item is called when it is kept.
UNKNOWN = "(missing)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What is to be done with rows before anything is made of them."""

    #: What becomes of rows without a value in a column that is used; None leaves that to the kind of data.
    missing: str | None = None
    #: Texts that mean that a value is missing, whatever their case; besides nothing at all.
    markers: tuple[str, ...] = ()
    #: The condition that rows must fulfil; the others are left out.
    where: str | None = None
    #: Whether spellings that differ only in case, blanks or composed letters become one, the commonest; persons who are
    #: spelled so are the same.
    fold_case: bool = False

    @classmethod
    def of(
        cls,
        missing: str | None = None,
        missing_marker: Sequence[str] | str | None = None,
        where: str | None = None,
        fold_case: bool | None = None,
    ) -> Cleaning:
        """The same from reading options, of which None are not given.

        Markers count as soon as something is said about missing values; then the usual ones do unless others are named.
        """
        if missing is not None:
            choice("read", "missing", missing, MISSING_CHOICES)
        named = [missing_marker] if isinstance(missing_marker, str) else missing_marker
        markers = tuple(named) if named else MISSING_MARKERS if missing is not None or where is not None else ()
        return cls(missing=missing, markers=markers, where=where, fold_case=bool(fold_case))

    def cleaned(
        self, table: pa.Table, used: Callable[[pa.Table], Used], file: str | None
    ) -> tuple[pa.Table, CleanedRows | None]:
        """The rows that are left, and what was left out or changed, if anything."""
        keeps = None if self.where is None else condition(self.where)
        table = self._without_markers(table)
        rows, why, spelled = table.num_rows, dict[str, int](), dict[str, int]()
        if keeps is not None:
            try:
                kept = keeps(lambda name: _coded(table, name, file))
            except InputError as error:
                raise InputError(error.problem, file=file, column=error.column, remedy=error.remedy) from None
            table = table.filter(pa.array(kept))
            why |= {f"not meeting {self.where}": rows - table.num_rows} if table.num_rows < rows else {}
        part = used(table)
        table = self._filled(table, part, file, why)
        if not table.num_rows:
            lost = ", ".join(f"{count:,} {reason}" for reason, count in why.items()) or "there were none"
            raise InputError(f"none of {rows:,} rows is left: {lost}", file=file, remedy="Check --where and --missing.")
        if self.fold_case:
            table = _folded(table, part.labels, spelled)
            table = _folded(table, part.persons, spelled, persons=True)
        told = CleanedRows(rows, table.num_rows, why, spelled, part.persons) if why or spelled else None
        return table, told

    def _without_markers(self, table: pa.Table) -> pa.Table:
        """The table in which texts that mean that nothing is known are null."""
        meant = {"", *(marker.strip().casefold() for marker in self.markers)}
        for place, name in enumerate(table.column_names):
            column = table.column(place)
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            if pa.types.is_floating(kind):
                table = table.set_column(place, name, pc.if_else(pc.is_nan(column), None, column))
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                continue
            codes, labels = _codes(column)
            empty = np.array([label is None or label.strip().casefold() in meant for label in labels] or [True])
            if empty.any():
                table = table.set_column(place, name, _recoded(codes, labels, empty[codes]))
        return table

    def _filled(self, table: pa.Table, used: Used, file: str | None, why: dict[str, int]) -> pa.Table:
        """The table without rows that lack a value they need, or with such values filled in."""
        todo = self.missing or used.otherwise
        rows, lacking = np.zeros(table.num_rows, np.bool_), {}
        for name in used.needed:
            here = np.asarray(table.column(name).is_null().to_numpy())
            if here.any() and not (todo == "keep" and name in used.labels):
                lacking[name] = here
                rows |= here
        if todo == "keep":
            for name in (name for name in lacking if name in used.ids):
                raise _lacks(lacking, name, table.num_rows, file, "Rows without it cannot be kept: --missing drop.")
            return _named_unknown(table, used.labels) if used.named_unknown else table
        if not lacking:
            return table
        if todo != "drop":
            name = min(lacking, key=lambda one: int(lacking[one].argmax()))
            raise _lacks(lacking, name, table.num_rows, file, "Fill it in, or leave such rows out with --missing drop.")
        why |= {f"without '{name}'": int(here.sum()) for name, here in lacking.items()}
        return table.filter(pa.array(~rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a kind of data does with columns."""

    #: Columns in which a cell must not be missing.
    needed: tuple[str, ...]
    #: Those of them with names of things, which spellings are of, and which may be unknown.
    labels: tuple[str, ...] = ()
    #: Columns with names of persons, which are never published.
    persons: tuple[str, ...] = ()
    #: What becomes of rows that lack a value when nobody has said so.
    otherwise: str = "error"
    #: Whether a missing value that is kept needs a name, because nothing is no value.
    named_unknown: bool = True

    @property
    def ids(self) -> tuple[str, ...]:
        """Columns that say which rows belong together, so that an unknown value means nothing."""
        return tuple(name for name in self.needed if name not in self.labels)


def _lacks(lacking: dict[str, Mask], name: str, rows: int, file: str | None, remedy: str) -> InputError:
    here = lacking[name]
    more = [f"{int(mask.sum()):,} in '{other}'" for other, mask in lacking.items() if other != name]
    also = f" (and {', '.join(more)})" if more else ""
    return InputError(
        f"the cell is empty in {int(here.sum()):,} of {rows:,} rows, first in row {int(here.argmax()) + 1:,}{also}",
        file=file,
        column=name,
        remedy=remedy,
    )


def _codes(column: Any) -> tuple[Any, list[Any]]:
    """Which of its distinct values stands in each row of a column, and these; null is one of them."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(whole.type):
        whole = whole.cast(whole.type.value_type)
    coded = whole.dictionary_encode(null_encoding="encode")
    return coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist()


def _recoded(codes: Any, labels: Sequence[str | None], empty: Mask) -> pa.Array:
    known = pa.array([label or "" for label in labels], pa.large_string())
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=empty), known)


def _coded(table: pa.Table, wanted: str, file: str | None) -> tuple[Any, list[str | None]]:
    """A column for a condition: its values as texts, dates as 2011-12-09."""
    name = table.column_names[find(table.column_names, wanted, file)]
    if pa.types.is_nested(table.column(name).type):
        raise ParameterError(f"The column '{name}' holds lists, which no condition can be about.")
    codes, values = _codes(table.column(name))
    return codes, [None if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    if isinstance(value, float) and value == int(value) and abs(value) < 2**53:
        return str(int(value))
    return str(value).strip()


def _named_unknown(table: pa.Table, labels: Sequence[str]) -> pa.Table:
    for name in labels:
        place = table.column_names.index(name)
        if table.column(place).null_count:
            texts = pc.cast(table.column(place), pa.large_string())
            table = table.set_column(place, name, pc.fill_null(texts, UNKNOWN))
    return table


def _folded(table: pa.Table, names: Sequence[str], spelled: dict[str, int], *, persons: bool = False) -> pa.Table:
    """The table in which spellings that differ only in what people overlook are one, the commonest.

    The name of a person does not depend on who else is there, so that other files have the same.
    """
    for name in names:
        place = table.column_names.index(name)
        codes, labels = _codes(table.column(place))
        if not all(label is None or isinstance(label, str) for label in labels):
            continue
        counts = np.bincount(codes, minlength=len(labels))
        best: dict[str, str] = {}
        for at in sorted(range(len(labels)), key=lambda at: (-counts[at], labels[at] or "")):
            if labels[at] is not None:
                best.setdefault(key := plain(labels[at]), key if persons else labels[at])
        folded = [None if label is None else best[plain(label)] for label in labels]
        if persons:  # a blank names nobody
            folded = [label or None for label in folded]
        if folded == labels:
            continue
        places = {label: number for number, label in enumerate(dict.fromkeys(folded))}
        again = sum(label is not None for label in folded) - sum(label is not None for label in places)
        if again:
            spelled[name] = again
        empty = np.array([label is None for label in folded])[codes]
        rename = np.array([places[label] for label in folded], np.int32)
        table = table.set_column(place, name, _recoded(rename[codes], list(places), empty))
    return table
