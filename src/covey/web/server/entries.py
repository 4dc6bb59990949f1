"""A dataset as the server keeps it: what is told of it, and what only the server needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from covey.web.records.datasets import Dataset
from covey.web.server.reading import reading_options


@dataclass(slots=True, kw_only=True)
class DatasetEntry:
    """A dataset with what only the server needs to know, as it is stored.

    Attributes
    ----------
    dataset : Dataset
        What is told of it.
    path, taxonomy_path : str
        Where the file and its taxonomy are.
    hierarchy_paths, file_paths : mapping
        Of tables: column to where its hierarchy is; reading options that are files, and where these are.
    revision : int
        Counts the changes that matter to reading.
    examined_revision : int
        The revision that `examination` is about.
    examination : mapping
        Risk and limits, as the task ``examine`` returns them.
    """

    dataset: Dataset
    path: str
    taxonomy_path: str | None = None
    hierarchy_paths: dict[str, str] = field(default_factory=dict)
    file_paths: dict[str, str] = field(default_factory=dict)
    revision: int = 0
    examined_revision: int = -1
    examination: dict[str, Any] = field(default_factory=dict)


_ENTRY = TypeAdapter(DatasetEntry)


def parsed(body: dict[str, Any]) -> DatasetEntry:
    """An entry as it was stored."""
    entry = _ENTRY.validate_python(body)
    reading_options(entry.dataset.kind)  # refuses kinds that nobody knows
    return entry
