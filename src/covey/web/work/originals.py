"""Reading an original in a worker, searching its items, and checking what is said about them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covey.data.kinds import data_kind
from covey.errors import CoveyError, CoveyWarning, InputError
from covey.io import read_taxonomy
from covey.io.patterns import fitting, is_pattern, nearest, searched
from covey.io.sensitive import listed, named_among
from covey.io.source import Source
from covey.io.trees.hierarchy import read_hierarchy
from covey.parameters import did_you_mean
from covey.progress import Progress, silent
from covey.web.records.files import ITEMS


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


#: Unknown labels for which near ones are looked for.
MOST_NEAR = 20


def labels_of(folder: str) -> list[str]:
    """Everything that can be sensitive in a dataset, the most frequent first."""
    import pyarrow.parquet as pq

    found: list[str] = pq.read_table(Path(folder) / ITEMS)["item"].to_pylist()
    return found


def search_items(
    folder: str,
    search: str,
    sensitive: Sequence[str],
    offset: int,
    limit: int,
    only: bool,
    taxonomy: str | None = None,
) -> dict[str, Any]:
    """One page of the items that fit a search, the most frequent first."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(Path(folder) / ITEMS)
    marked = pc.is_in(table["item"], pa.array(list(sensitive), pa.string()))
    if only:
        table = table.filter(marked)
    if search:
        fitting = searched(search, table["item"].to_pylist(), _tree(taxonomy))
        table = table.filter(pc.is_in(table["item"], pa.array(fitting, pa.string())))
    page = table.slice(offset, limit)
    wanted = set(sensitive)
    found = [{**row, "sensitive": row["item"] in wanted} for row in page.to_pylist()]
    return {"total": table.num_rows, "items": found}


def fitting_labels(folder: str, search: str, taxonomy: str | None) -> list[str]:
    """Every item that fits a search."""
    return searched(search, labels_of(folder), _tree(taxonomy))


def _tree(path: str | None) -> Any:
    return None if path is None else read_taxonomy(path)


def check_labels(folder: str, kind: str, labels: Sequence[str]) -> list[str]:
    """Check that labels can be sensitive, as reading with them would, without reading the data again."""
    known, marked = labels_of(folder), data_kind(kind)
    wanted = named_among(list(dict.fromkeys(labels)), known, marked.marked) if labels else []
    if marked.sensitive_needs_protection and known and len(wanted) == len(known):
        raise InputError(
            f"all {marked.marked}s are sensitive, so none is left to publish",
            remedy="Name only those whose link to a person would harm them.",
        )
    return wanted


def match_list(folder: str, text: str, taxonomy: str | None = None) -> dict[str, Any]:
    """The labels of a list with one label or pattern a line: those in the data, and those not, with the nearest."""
    items, tree = labels_of(folder), _tree(taxonomy)
    held = set(items)
    known: dict[str, None] = {}
    unknown: list[str] = []
    for label in listed(text.removeprefix("\ufeff"), held):
        pattern = is_pattern(label) and label not in held
        here = fitting(label, items, tree) if pattern else [label] if label in held else []
        known |= dict.fromkeys(here)
        unknown += [] if here else [label]
    return {
        "known": list(known),
        # Looking for near ones takes a while; a list of which more is wrong is another file's.
        "unknown": [(label, _nearest(label, items)) for label in unknown[:MOST_NEAR]]
        + [(label, "") for label in unknown[MOST_NEAR:]],
    }


def _nearest(label: str, items: Sequence[str]) -> str:
    return nearest(label, items) if is_pattern(label) else did_you_mean(label, items).strip()


def check_taxonomy(path: str, name: str, folder: str) -> dict[str, Any]:
    """Check a taxonomy and say how it fits the items."""
    with renamed({"path": path, "name": name}):
        tree = read_taxonomy(path)
    leaf = tree.is_leaf()
    known = labels_of(folder)
    missing = [item for item in known if item not in tree]
    if len(missing) == len(known):
        raise InputError(
            "has none of the items of the data",
            file=name,
            remedy=f"Its column child must hold items as the data writes them, such as {known[0]!r}.",
        )
    inner = [item for item in known if item in tree and not leaf[tree.node(item)]]
    return {**tree.shape(), "missing": missing[:20], "missing_count": len(missing), "not_leaves": inner[:20]}


def check_hierarchy(path: str, name: str, column: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """Check the hierarchy of one column, by itself and by reading the data with it."""
    with renamed({"path": path, "name": name}):
        tree = read_hierarchy(os.fspath(path))
    read({**source, "hierarchies": {**source["hierarchies"], column: path}})
    return {"values": tree.leaves}
