"""Rows without a value: which texts mean that one is missing, and what becomes of such rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Mask
from covey.data.kinds import MISSING_CHOICES, MISSING_MARKERS
from covey.errors import InputError
from covey.parameters import choice

#: What a missing item is called when it is kept.
UNKNOWN = "(missing)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a kind of data does with columns."""

    #: Columns in which a cell must not be missing.
    needed: tuple[str, ...]
    #: Those of them with names of things, which may be unknown.
    labels: tuple[str, ...] = ()
    #: What becomes of rows that lack a value when nobody has said so.
    otherwise: str = "error"
    #: Whether a missing value that is kept needs a name, because nothing is no value.
    named_unknown: bool = True

    @property
    def ids(self) -> tuple[str, ...]:
        """Columns that say which rows belong together, so that an unknown value means nothing."""
        return tuple(name for name in self.needed if name not in self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What is to be done with rows that lack a value."""

    #: What becomes of rows without a value in a column that is used; None leaves that to the kind of data.
    missing: str | None = None
    #: Texts that mean that a value is missing, whatever their case; besides nothing at all.
    markers: tuple[str, ...] = ()

    @classmethod
    def of(cls, missing: str | None, missing_marker: Sequence[str] | str | None, *, usual: bool = False) -> Cleaning:
        """The same from reading options, of which None are not given.

        The usual markers count, unless others are named, if `usual` or as soon as something is said about missing
        values.
        """
        if missing is not None:
            choice("read", "missing", missing, MISSING_CHOICES)
        named = [missing_marker] if isinstance(missing_marker, str) else missing_marker
        return cls(
            missing=missing,
            markers=tuple(named) if named else MISSING_MARKERS if usual or missing is not None else (),
        )

    def without_markers(self, table: pa.Table) -> pa.Table:
        """The table in which texts that mean that nothing is known are null."""
        meant = {"", *(marker.strip().casefold() for marker in self.markers)}
        for place, name in enumerate(table.column_names):
            column = table.column(place).combine_chunks()
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            if pa.types.is_floating(column.type):
                table = table.set_column(place, name, pc.if_else(pc.is_nan(column), None, column))
            if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                continue
            coded = column.dictionary_encode(null_encoding="encode")
            codes, labels = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist()
            empty = np.array([label is None or label.strip().casefold() in meant for label in labels] or [True])
            if empty.any():
                table = table.set_column(place, name, _recoded(codes, labels, empty[codes]))
        return table

    def filled(self, table: pa.Table, used: Used, file: str | None, why: dict[str, int]) -> pa.Table:
        """The table without rows that lack a value they need, or with such values named; `why` collects reasons."""
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


def _recoded(codes: Ids, labels: Sequence[str | None], empty: Mask) -> pa.Array:
    known = pa.array([label or "" for label in labels], pa.large_string())
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=empty), known)


def _named_unknown(table: pa.Table, labels: Sequence[str]) -> pa.Table:
    for name in labels:
        place = table.column_names.index(name)
        if table.column(place).null_count:
            texts = pc.cast(table.column(place), pa.large_string())
            table = table.set_column(place, name, pc.fill_null(texts, UNKNOWN))
    return table
