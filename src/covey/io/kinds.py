"""Which reader makes which kind of data; a kind is what a method's registry entry names as its data."""

from __future__ import annotations

from importlib import import_module
from typing import Any

READERS = {
    "baskets": "covey.io:read",
    "table": "covey.io.table.reading:read_table",
    "ratings": "covey.io.ratings.reading:read_ratings",
}


def reader(kind: str) -> Any:
    """The function that reads data of a kind from a path or from memory."""
    module, _, function = READERS[kind].partition(":")
    return getattr(import_module(module), function)
