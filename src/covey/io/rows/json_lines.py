"""JSON Lines: a list of items, or an object with named values, on each line."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from covey.errors import InputError
from covey.io.files import whole_text
from covey.io.frames import table_of


def read_json_lines(source: str, sheet: str | None = None) -> pa.Table:
    """The rows of a file: a column ``items`` of lists, or a column for every name that objects have."""
    if sheet is not None:
        raise InputError("has no sheets", file=source, remedy="Leave --sheet out.")
    values: list[Any] = []
    numbers: list[int] = []
    for number, line in enumerate(whole_text(source).split("\n"), 1):
        if line.strip():
            values.append(_parsed(line, source, number))
            numbers.append(number)
    if not values:
        raise InputError("holds no rows", file=source, remedy="Write a list or an object on each line.")
    kind = type(values[0])
    for number, value in zip(numbers, values, strict=True):
        if not isinstance(value, list | dict) or type(value) is not kind:
            expected = "an object" if kind is dict else "a list"
            raise InputError(
                f"{json.dumps(value)[:60]} is not {expected} as on line {numbers[0]}"
                if isinstance(values[0], list | dict)
                else f"{json.dumps(value)[:60]} is neither a list nor an object",
                file=source,
                line=number,
                remedy='Write ["wine", "meat"], or {"order": 1, "item": "wine"}, on each line.',
            )
    if kind is list:
        return pa.table({"items": pa.array([_texts(v, source, n) for v, n in zip(values, numbers, strict=True)])})
    names = list(dict.fromkeys(name for value in values for name in value))
    nested = {name for value in values for name, cell in value.items() if isinstance(cell, dict)}
    if nested:
        raise InputError("an object inside an object", file=source, column=min(nested), remedy="Write flat objects.")
    return table_of([[value.get(name) for value in values] for name in names], names)


def _parsed(line: str, file: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        why = getattr(error, "msg", "nested too deeply")
        raise InputError(
            f"is not valid JSON ({why})", file=file, line=number, remedy="Each line must be JSON by itself."
        ) from None


def _texts(items: list[Any], file: str, line: int) -> list[str]:
    for item in items:
        if item is None or isinstance(item, list | dict):
            raise InputError(
                f"{json.dumps(item)[:60]} is not an item", file=file, line=line, remedy="Items are texts or numbers."
            )
    return [item if isinstance(item, str) else json.dumps(item) for item in items]
