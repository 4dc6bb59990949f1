"""The items of an original that was read: searching them, and checking names of what is to be sensitive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.parameters import did_you_mean
from covey.web.records.files import ITEMS

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
