"""The items of an original that was read: searching them, and checking names of what is to be sensitive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io.sensitive import named_among
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
    known, marked = labels_of(folder), data_kind(kind)
    wanted = named_among(list(dict.fromkeys(labels)), known, marked.marked) if labels else []
    if marked.sensitive_needs_protection and known and len(wanted) == len(known):
        raise InputError(
            f"all {marked.marked}s are sensitive, so none is left to publish",
            remedy="Name only those whose link to a person would harm them.",
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
