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
    detached : mapping
        Files that were taken away and can be put back: ``taxonomy``, ``hierarchies/COLUMN``, ``files/OPTION``.
    marked_before : list of str or None
        What was marked as sensitive before many marks changed at once.
    removed : float or None
        When it was removed, in seconds since 1970, if it can still be put back.
    """

    dataset: Dataset
    path: str
    taxonomy_path: str | None = None
    hierarchy_paths: dict[str, str] = field(default_factory=dict)
    file_paths: dict[str, str] = field(default_factory=dict)
    revision: int = 0
    examined_revision: int = -1
    examination: dict[str, Any] = field(default_factory=dict)
    detached: dict[str, str] = field(default_factory=dict)
    marked_before: list[str] | None = None
    removed: float | None = None


_ENTRY = TypeAdapter(DatasetEntry)


def parsed(body: dict[str, Any]) -> DatasetEntry:
    """An entry as it was stored."""
    entry = _ENTRY.validate_python(body)
    reading_options(entry.dataset.kind)  # refuses kinds that nobody knows
    return entry
