"""Stored records of earlier versions, as this version writes them.

A change of what is stored adds one to `covey.web.records.files.VERSION` and a function to `STEPS`; records are migrated
when they are read, and written in the new version when they change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from covey.web.records.files import VERSION

Body = dict[str, Any]


def migrated(table: str, version: int, body: Body) -> Body:
    """A record of an earlier version as one of this version.

    Parameters
    ----------
    table : {"datasets", "jobs", "results"}
        What it is a record of.
    version : int
        The one it was written in.
    body : dict
        The record.

    Raises
    ------
    ValueError
        It was written by a newer covey.

    Examples
    --------
    >>> migrated("results", 1, {"release": "table", "figures": []})
    {'release': 'table'}
    """
    if not 1 <= version <= VERSION:
        raise ValueError(f"it is of version {version}; this covey reads 1 to {VERSION}")
    for number in range(version, VERSION):
        if step := STEPS.get((table, number)):
            body = step(body)
    return body


def _dataset_1(body: Body) -> Body:
    """What is a path says so, and what was found out is told from the revision that it is about."""
    names = {
        "taxonomy": "taxonomy_path",
        "hierarchies": "hierarchy_paths",
        "examined": "examined_revision",
        "findings": "examination",
    }
    return {names.get(key, key): value for key, value in body.items()}


def _results_1(body: Body) -> Body:
    """Figures and questions are no longer kept: they are told from what was measured, and from the release."""
    return {key: value for key, value in body.items() if key not in ("figures", "items", "sensitive_items")}


#: What makes a record of the next version, by table and version; where there is nothing, it stays as it is.
STEPS: Mapping[tuple[str, int], Callable[[Body], Body]] = {
    ("datasets", 1): _dataset_1,
    ("results", 1): _results_1,
}
