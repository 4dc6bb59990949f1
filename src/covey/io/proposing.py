"""Propose how to read a raw retail export: transactions, items and their names, persons, missing cells and returns."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids
from covey.data.kinds import MISSING_MARKERS
from covey.errors import InputError
from covey.io.baskets.arrow import choose
from covey.io.baskets.columns import QUANTITY_NAMES, usual
from covey.io.preview import likeliest_kind, read_head
from covey.io.rows.cleaning import Cleaning
from covey.io.rows.loading import load_rows, other_format
from covey.io.suspicion import means_persons, suspects

#: What columns with the names of items are called.
NAME_NAMES = ("description", "product_description", "item_description", "product_name", "item_name", "name", "title")
#: Encodings of text that is not UTF-8; the first that fits is proposed.
_ENCODINGS = ("cp1252", "latin-1")
#: Transactions with two persons, as a share, up to which a column may still name persons.
_SLIPS = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Options for reading a file, and why."""

    options: Mapping[str, str]
    reasons: tuple[str, ...]
    #: Columns that all seem to name persons; one must be chosen by someone who knows the data.
    persons: tuple[str, ...] = ()
    #: The rows, so that they are read once.
    rows: pa.Table = field(repr=False)


def propose(path: str | os.PathLike[str], options: Mapping[str, Any]) -> Proposal | None:
    """Return how a file with a row per transaction and item may be read; None where nothing has to be decided.

    `options` say what is known of the file: format, sheet, separator and encoding.
    """
    name = os.fspath(path)
    table, encoding = _loaded(name, options)
    columns = table.column_names
    if likeliest_kind(read_head(name, name, {**options, **({"encoding": encoding} if encoding else {})})) != "baskets":
        return None
    try:
        roles = choose(table.schema, None, None, name)
    except InputError:
        return None
    if roles.layout != "long" or roles.transaction is None or roles.item is None:
        return None
    tid, item = roles.transaction, roles.item
    table = Cleaning(markers=MISSING_MARKERS).without_markers(table)
    found: dict[str, str] = {"transaction": tid, "item": item}
    reasons = [f"transaction {tid}, item {item}: by their names"]
    free = [column for column in columns if column not in (tid, item)]
    names = usual(free, NAME_NAMES)
    if names is not None and _are_codes(table.column(item)):
        found["name"] = free[names]
        reasons.append(f"name {free[names]}: the items are codes, and it holds text beside them")
    able = _persons(table, tid, item)
    if len(able) == 1:
        column, persons, visits = able[0]
        found["person"] = column
        reasons.append(f"person {column}: {persons:,} values in {visits:,} transactions")
    lacking = {column: table.column(column).null_count for column in (tid, item, found.get("person")) if column}
    if any(lacking.values()):
        found["missing"] = "drop"
        counts = ", ".join(f"{count:,} without {column}" for column, count in lacking.items() if count)
        reasons.append(f"missing drop: of {table.num_rows:,} rows, {counts}")
    quantity = usual(free, QUANTITY_NAMES)
    if quantity is not None and (returned := _below_one(table.column(free[quantity]))):
        column = free[quantity] if re.fullmatch(r"[A-Za-z_]+", free[quantity]) else f'"{free[quantity]}"'
        found["query"] = f"SELECT * FROM data WHERE {column} > 0"
        reasons.append(f"query: {returned:,} of {table.num_rows:,} rows have a {free[quantity]} below 1, as returns do")
    if len(found) == 2 and not able and encoding is None:
        return None
    if encoding is not None:
        found["encoding"] = encoding
        reasons.append(f"encoding {encoding}: the text is not UTF-8")
    ambiguous = tuple(column for column, *_ in able) if len(able) > 1 else ()
    return Proposal(options=found, reasons=tuple(reasons), persons=ambiguous, rows=table)


def _loaded(name: str, options: Mapping[str, Any]) -> tuple[pa.Table, str | None]:
    """All rows of a file, and its encoding where nobody has said it and it is not UTF-8."""
    format, known = options.get("format") or other_format(name), options.get("encoding")

    def rows(encoding: str) -> pa.Table:
        return load_rows(
            name, format=format, sheet=options.get("sheet"), separator=options.get("separator"), encoding=encoding
        )

    try:
        return rows(known or "utf-8"), None
    except InputError as error:
        if known is not None or "utf-8" not in str(error).lower():
            raise
    for encoding in _ENCODINGS[:-1]:
        with suppress(InputError):
            return rows(encoding), encoding
    return rows(_ENCODINGS[-1]), _ENCODINGS[-1]


def _codes(column: pa.ChunkedArray) -> tuple[Ids, int]:
    """The number of each distinct value, -1 where it is missing, and how many there are."""
    whole = column.combine_chunks()
    coded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    values = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)
    return values.astype(np.int32), len(np.unique(values[values >= 0]))


def _persons(table: pa.Table, tid: str, item: str) -> list[tuple[str, int, int]]:
    """Columns that seem to name persons, with the number of persons and of transactions."""
    visit, visits = _codes(table.column(tid))
    found = []
    for column in suspects(table.column_names, (tid, item)):
        if pa.types.is_nested(table.column(column).type):
            continue
        who, persons = _codes(table.column(column))
        pairs = np.unique(np.column_stack([visit, who])[(visit >= 0) & (who >= 0)], axis=0)
        named = len(np.unique(pairs[:, 0]))
        if len(pairs) - named <= _SLIPS * visits and means_persons(column, persons, named):
            found.append((column, persons, visits))
    return found


def _are_codes(column: pa.ChunkedArray) -> bool:
    """Whether most items are written with digits."""
    texts = pc.cast(pc.drop_null(pc.unique(column)), pa.large_string())
    return len(texts) > 0 and bool(pc.mean(pc.match_substring_regex(texts, r"[0-9]")).as_py() > 0.5)


def _below_one(column: pa.ChunkedArray) -> int:
    """How many values of a column of numbers are below 1; 0 for a column of anything else."""
    whole = column.combine_chunks()
    try:
        values = pc.cast(
            whole.cast(whole.type.value_type) if pa.types.is_dictionary(whole.type) else whole, pa.float64()
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return 0
    return int(pc.sum(pc.less(values, 1)).as_py() or 0)
