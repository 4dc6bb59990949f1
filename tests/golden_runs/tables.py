"""A file in one line: how large it is, and a digest of the columns' names, types and values.

Bytes are not compared: compression, metadata and line ends may differ where the table is the same.
"""

import csv
import hashlib
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

#: Files of which only the name is compared: their text is wording, and the manifest's figures are compared apart.
NAMES_ONLY = {".json", ".md", ".html"}


def type_name(kind: pa.DataType) -> str:
    """The name of a type, without how it is laid out in memory."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"list<{type_name(kind.value_type)}>"
    return re.sub(r"^large_", "", str(kind))


def describe_file(file: Path) -> str:
    """The number of rows of a table, and a digest of it."""
    if file.suffix in NAMES_ONLY:
        return "there"
    content: list[object]
    if file.suffix == ".parquet":
        table = pq.read_table(file, use_threads=False)
        names = [f"{column.name}: {type_name(column.type)}" for column in table.schema]
        rows, content = table.num_rows, [names, [column.to_pylist() for column in table.columns]]
    else:
        with file.open(newline="", encoding="utf-8") as lines:
            content = list(csv.reader(lines, delimiter=" " if file.suffix == ".dat" else ","))
        rows = len(content)
    digest = hashlib.sha256(json.dumps(content, ensure_ascii=False, default=str).encode()).hexdigest()
    return f"{rows} rows {digest[:16]}"


def describe(folder: Path) -> dict[str, str]:
    """One line about each file in a folder and below."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {file.relative_to(folder).as_posix(): describe_file(file) for file in files}
