"""SQL queries over files as they are read: filters, joins and computed columns, run by DuckDB.

The query sees the columns of text with the types that their values have. It cannot read or write files, reach the
network or change settings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.data.labels import plain
from covey.errors import MissingDependency, ParameterError

#: What the first file is called in a query.
TABLE = "data"
_SETTINGS = {
    "temp_directory": "",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "threads": "1",  # sums of floats must not depend on how rows are split
    "lock_configuration": "true",
}
#: Types of text, the strictest first: what every value must look like, and the Arrow type.
_TYPES: tuple[tuple[str, pa.DataType], ...] = (
    (r"^(0|-?[1-9][0-9]{0,17})$", pa.int64()),
    (r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$", pa.float64()),
    (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", pa.date32()),
    (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?$", pa.timestamp("us")),
)


def run_query(sql: str, tables: Mapping[str, pa.Table]) -> pa.Table:
    """Return the sorted result of a SELECT over tables; values that it did not change are written as before.

    Text such as ``007`` stays text: a type is used only if no two texts of the column have the same value. The
    function ``plain(text)`` gives spellings that differ only in case or spaces the same text.

    Examples
    --------
    >>> table = pa.table({"who": ["007", "7", "7"], "n": ["10", "9", "-1"]})
    >>> run_query("SELECT who, n FROM data WHERE n > 0", {"data": table}).to_pylist()
    [{'who': '007', 'n': 10}, {'who': '7', 'n': 9}]
    """
    try:
        import duckdb
    except ImportError as error:
        raise MissingDependency("duckdb is not installed. Install it with: pip install duckdb") from error
    written: dict[str, tuple[pa.Array, pa.Array]] = {}
    try:
        with duckdb.connect(config={"autoload_known_extensions": "false"}) as base:
            base.create_function("plain", plain, ["VARCHAR"], "VARCHAR")
            for name, table in tables.items():
                base.register(name, _typed(table, written))
            for setting, value in _SETTINGS.items():
                base.execute(f"SET {setting} = '{value}'")
            parsed = base.extract_statements(sql)
            if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
                raise ParameterError(f"The query must be one SELECT. Got {sql!r} instead.")
            result = base.sql(f"SELECT * FROM ({sql.strip().rstrip(';')}\n) ORDER BY ALL").to_arrow_table()
    except duckdb.Error as error:
        known = ", ".join(repr(name) for name in tables)
        raise ParameterError(f"The query {sql!r} failed: {error} Tables of the query: {known}.") from None
    return pa.table([_restored(result.column(name), written.get(name)) for name in result.column_names],
                    names=result.column_names)  # fmt: skip


def table_name(file: str) -> str:
    """What a file is called in a query.

    Examples
    --------
    >>> table_name("exports/sales-2011.csv.gz")
    'sales_2011'
    """
    return re.sub(r"\W", "_", PurePath(file).name.split(".")[0])


def _typed(table: pa.Table, written: dict[str, tuple[pa.Array, pa.Array]]) -> pa.Table:
    """The table with types for columns of text; `written` collects the values of each and their texts."""
    for place, name in enumerate(table.column_names):
        column = table.column(place).combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
            coded = column.dictionary_encode()
            values = _values_of(coded.dictionary)
            if values is not None:
                if pa.types.is_floating(values.type) or pa.types.is_temporal(values.type):
                    written.setdefault(name, (values, coded.dictionary))
                column = values.take(coded.indices)
        table = table.set_column(place, name, column)
    return table


def _values_of(texts: pa.Array) -> pa.Array | None:
    """Distinct texts as values of the strictest type that all of them have; None for text."""
    if not len(texts):
        return None
    for pattern, kind in _TYPES:
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            try:
                values = pc.cast(texts, kind)
            except pa.ArrowInvalid:  # 2011-02-30
                return None
            return values if len(pc.unique(values)) == len(texts) and _finite(values) else None
    return None


def _finite(values: pa.Array) -> bool:
    return not pa.types.is_floating(values.type) or bool(np.isfinite(values.to_numpy()).all())


def _restored(column: Any, written: tuple[pa.Array, pa.Array] | None) -> Any:
    """A column of the result, with the texts of the file where it holds values of the file."""
    if pa.types.is_decimal(column.type):  # what DuckDB makes of the sum of whole numbers
        return pc.cast(column, pa.int64() if column.type.scale == 0 else pa.float64())
    if written is None or written[0].type != column.type:
        return column
    values, texts = written
    found = pc.take(texts, pc.index_in(column, values))
    return pc.coalesce(pc.cast(found, pa.large_string()), pc.cast(column, pa.large_string()))
