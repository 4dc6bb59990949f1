"""Reading an original in a worker, searching its items, and checking what is said about them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covey.contracts import Progress, silent
from covey.errors import CoveyError, InputError
from covey.io.kinds import reader
from covey.parameters import did_you_mean
from covey.web.records.files import ITEMS


def read(source: Mapping[str, Any], progress: Progress = silent) -> Any:
    """Read an original.

    Parameters
    ----------
    source : mapping
        ``path``, ``name``, ``kind``, ``options``, ``sensitive`` and ``hierarchies`` (column to path).
    progress : callable
        Told how far it has come.
    """
    how = dict(source["options"])
    if source.get("hierarchies"):
        how["hierarchies"] = dict(source["hierarchies"])
    if source.get("sensitive"):
        how["sensitive"] = list(source["sensitive"])
    with renamed(source):
        return reader(source["kind"])(source["path"], progress=progress, **how)


@contextmanager
def renamed(source: Mapping[str, Any]) -> Iterator[None]:
    """Errors inside the block speak of files by their names instead of where the server keeps them."""
    names = {str(source["path"]): str(source.get("name") or Path(source["path"]).name)}
    names |= {str(path): Path(path).name for path in dict(source.get("hierarchies") or {}).values()}
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
) -> dict[str, Any]:
    """One page of the items that hold a text, the most frequent first."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(Path(folder) / ITEMS)
    marked = pc.is_in(table["item"], pa.array(list(sensitive), pa.string()))
    if only:
        table = table.filter(marked)
    if search:
        table = table.filter(pc.match_substring(table["item"], search, ignore_case=True))
    page = table.slice(offset, limit)
    wanted = set(sensitive)
    found = [{**row, "sensitive": row["item"] in wanted} for row in page.to_pylist()]
    return {"total": table.num_rows, "items": found}


def check_labels(folder: str, kind: str, labels: Sequence[str]) -> list[str]:
    """Check that labels can be sensitive, as reading with them would, without reading the data again."""
    import numpy as np

    from covey.data import Baskets
    from covey.io.sensitive import mark as check

    known = labels_of(folder)
    wanted = list(dict.fromkeys(labels))
    if not wanted:
        return []
    if kind == "baskets":
        empty = Baskets(
            indptr=np.zeros(1, np.int64),
            indices=np.empty(0, np.int32),
            items=tuple(sorted(known)),
            sensitive=np.zeros(len(known), np.bool_),
        )
        return check(empty, wanted).sensitive_items()
    for label in wanted:
        if label not in known:
            near = did_you_mean(label, known).strip() or "Check the spelling."
            raise InputError(
                f"there is no {'issue' if kind == 'ratings' else 'column'} {label!r}", remedy=near
            )
    return wanted


def match_list(folder: str, text: str) -> dict[str, Any]:
    """The labels of a list with one a line: those in the data, and those not, with the nearest of the data.

    As in files for the command line, blanks around a label do not count and lines that start with # are remarks,
    unless the data has such a label.
    """
    items = labels_of(folder)
    held = set(items)
    found: dict[str, None] = {}
    for raw in text.removeprefix("\ufeff").splitlines():
        label = raw if raw in held else raw.strip()
        if label and (label in held or not label.startswith("#")):
            found[label] = None
    unknown = [label for label in found if label not in held]
    return {
        "known": [label for label in found if label in held],
        # Looking for near ones takes a while; a list of which more is wrong is another file's.
        "unknown": [(label, did_you_mean(label, items).strip()) for label in unknown[:MOST_NEAR]]
        + [(label, "") for label in unknown[MOST_NEAR:]],
    }


def check_taxonomy(path: str, name: str, folder: str) -> dict[str, Any]:
    """Check a taxonomy and say how it fits the items."""
    from covey.io import read_taxonomy

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


def check_hierarchy(path: str, name: str) -> dict[str, Any]:
    """Check the hierarchy of one column."""
    from covey.io.trees.hierarchy import read_hierarchy

    with renamed({"path": path, "name": name}):
        tree = read_hierarchy(os.fspath(path))
    return {"values": tree.leaves}
