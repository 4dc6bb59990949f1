"""Looking at an original and reading it in a worker, and checking the trees that are given with it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covey.data.kinds import USUAL_KIND
from covey.errors import CoveyError, CoveyWarning, InputError
from covey.io import read_taxonomy
from covey.io.baskets.recognition import recognise
from covey.io.preview import Head, described, likeliest_kind, read_head
from covey.io.source import Source
from covey.io.trees import read_hierarchy
from covey.progress import Progress, silent
from covey.web.work.items import supports_of


def read(source: Mapping[str, Any], progress: Progress = silent, told: list[CoveyWarning] | None = None) -> Any:
    """Read an original; warnings go to `told`, for the page to show them once.

    Parameters
    ----------
    source : mapping
        ``path``, ``name``, ``kind``, ``options``, ``sensitive``, ``hierarchies`` (column to path) and ``files``
        (reading option to path).
    progress : callable
        Told how far it has come.
    told : list or None
        Where warnings are noted; they are not repeated at every reading.
    """
    sensitive = list(source["sensitive"]) if source.get("sensitive") else None
    trees = dict(source["hierarchies"]) if source.get("hierarchies") else None
    how = {**source["options"], **dict(source.get("files") or {}), "hierarchies": trees}
    with renamed(source), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoveyWarning)
        wanted = Source.of(source["path"], kind=source["kind"], sensitive=sensitive, **how)
        data = wanted.as_kind(source["kind"]).read(progress=progress)
    if told is not None:
        told += [one.message for one in caught if isinstance(one.message, CoveyWarning)]
    return data


@contextmanager
def renamed(source: Mapping[str, Any]) -> Iterator[None]:
    """Errors inside the block speak of files by their names instead of where the server keeps them."""
    names = {str(source["path"]): str(source.get("name") or Path(source["path"]).name)}
    given = (path for what in ("hierarchies", "files") for path in dict(source.get(what) or {}).values())
    names |= {str(path): Path(path).name for path in given}
    try:
        yield
    except CoveyError as error:
        if error.args:
            text = str(error.args[0])
            for path, name in names.items():
                text = text.replace(path, name)
            error.args = (text, *error.args[1:])
        raise


def preview(source: Mapping[str, Any]) -> dict[str, Any]:
    """What a file is and how it begins; a problem is told in words beside as much as could be seen.

    A `kind` that is None is guessed; where the command line would take the file for something else, that is said.
    """
    kind, problem = source["kind"], None
    found: dict[str, Any] = {"recognised": "", "columns": [], "rows": []}
    try:
        with renamed(source):
            start = read_head(source["path"], source["name"], source["options"])
            found |= {"columns": list(start.first), "rows": list(start.rows)}
            guessed = kind is None
            kind = kind or likeliest_kind(start)
            seen = described(start, kind)
            said = seen.recognised + (_otherwise(start, kind) if guessed else "")
            found = {"recognised": said, "columns": list(seen.columns), "rows": list(seen.rows)}
    except CoveyError as error:
        problem = str(error)
    return {"kind": kind or USUAL_KIND, "problem": problem, **found}


def _otherwise(start: Head, kind: str) -> str:
    """What the command line would take a file for, as long as nobody says what it holds."""
    if kind == USUAL_KIND:
        return ""
    try:
        known = recognise(start.path, **start.options)
    except CoveyError:
        return ""
    if known.layout != "long":  # lists and flags would be baskets here as well
        return ""
    return (
        f" This is a guess: it can also be read as {USUAL_KIND}, with a row per transaction ('{known.transaction}') "
        f"and item ('{known.item}'), which is what the command line does without --kind {kind}."
    )


def check_taxonomy(path: str, name: str, folder: str) -> dict[str, Any]:
    """Check a taxonomy and count the items that it lacks, as ``missing_count``."""
    with renamed({"path": path, "name": name}):
        tree = read_taxonomy(path)
    known = list(supports_of(folder))
    missing = [item for item in known if item not in tree]
    if len(missing) == len(known):
        raise InputError(
            "has none of the items of the data",
            file=name,
            remedy=f"Its column child must hold items as the data writes them, such as {known[0]!r}.",
        )
    return {"missing_count": len(missing)}


def check_hierarchy(path: str, name: str, column: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """Check the hierarchy of one column, by itself and by reading the data with it."""
    with renamed({"path": path, "name": name}):
        tree = read_hierarchy(os.fspath(path))
    read({**source, "hierarchies": {**source["hierarchies"], column: path}})
    return {"values": tree.leaves}
