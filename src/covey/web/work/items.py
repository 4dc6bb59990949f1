"""The items of an original, as reading it has left them: searching them, and what names and patterns mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io import read_taxonomy
from covey.io.patterns import fitting, is_pattern, nearest, searched
from covey.io.sensitive import listed, named_among
from covey.parameters import did_you_mean
from covey.web.records.files import ITEMS

#: Unknown labels for which near ones are looked for.
MOST_NEAR = 20

#: Texts that stand for items, and what they stand for: codes that were given names.
Aliases = Mapping[str, Sequence[str]]


def write_items(folder: str, labels: Sequence[str], counts: Iterable[int], aliases: Aliases) -> None:
    """Keep what can be sensitive in a dataset, the most frequent first, with how often it occurs and its codes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    supports = np.asarray(counts)
    order = np.argsort(-supports, kind="stable")
    codes: dict[str, list[str]] = {}
    for text, meant in aliases.items():
        for label in meant:
            codes.setdefault(label, []).append(text)
    kept = [labels[i] for i in order]
    columns = {
        "item": pa.array(kept, pa.string()),
        "support": pa.array(supports[order], pa.int64()),
        "codes": pa.array([codes.get(one, []) for one in kept], pa.list_(pa.string())),
    }
    half = Path(folder) / f".{ITEMS}"
    pq.write_table(pa.table(columns), half)
    half.replace(Path(folder) / ITEMS)


def _table(folder: str) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(Path(folder) / ITEMS)


def supports_of(folder: str) -> dict[str, int]:
    """Everything that can be sensitive in a dataset, the most frequent first, and how often it occurs."""
    table = _table(folder)
    return dict(zip(table["item"].to_pylist(), table["support"].to_pylist(), strict=True))


class _Items:
    """Labels, and other texts that stand for some of them."""

    def __init__(self, folder: str, taxonomy: str | None = None) -> None:
        table = _table(folder)
        self.labels: list[str] = table["item"].to_pylist()
        self.held = set(self.labels)
        self.aliases: dict[str, list[str]] = {}
        for label, codes in zip(self.labels, table["codes"].to_pylist(), strict=True):
            for code in codes:
                self.aliases.setdefault(code, []).append(label)
        self.texts = [*self.labels, *(text for text in self.aliases if text not in self.held)]
        self._tree = None if taxonomy is None else read_taxonomy(taxonomy)

    def known(self, text: str) -> bool:
        return text in self.held or text in self.aliases

    def meant(self, texts: Iterable[str]) -> list[str]:
        """The labels that texts stand for, in the order of the labels."""
        wanted = {one for text in texts for one in (text, *self.aliases.get(text, ()))}
        return [label for label in self.labels if label in wanted]

    def searched(self, text: str) -> list[str]:
        return self.meant(searched(text, self.texts, self._tree))

    def fitting(self, pattern: str) -> list[str]:
        return self.meant(fitting(pattern, self.texts, self._tree))

    def nearest(self, text: str) -> str:
        return nearest(text, self.texts) if is_pattern(text) else did_you_mean(text, self.texts).strip()


def search_items(
    folder: str,
    search: str,
    sensitive: Sequence[str],
    limit: int,
    only: bool,
    taxonomy: str | None = None,
) -> dict[str, Any]:
    """The most frequent items that fit a search, by name or code, and how many fit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _table(folder)
    if only:
        table = table.filter(pc.is_in(table["item"], pa.array(list(sensitive), pa.string())))
    if search:
        fits = _Items(folder, taxonomy).searched(search)
        table = table.filter(pc.is_in(table["item"], pa.array(fits, pa.string())))
    wanted = set(sensitive)
    page = table.slice(0, limit).to_pylist()
    return {"total": table.num_rows, "items": [{**row, "sensitive": row["item"] in wanted} for row in page]}


def fitting_labels(folder: str, search: str, taxonomy: str | None) -> list[str]:
    """Every item that fits a search."""
    return _Items(folder, taxonomy).searched(search)


def check_labels(folder: str, kind: str, labels: Sequence[str]) -> list[str]:
    """Check that labels, or codes, can be sensitive, as reading with them would, without reading the data again."""
    items, marked = _Items(folder), data_kind(kind)
    given = list(dict.fromkeys(labels))
    wanted = named_among(given, items.labels, marked.marked, aliases=items.aliases) if given else []
    if marked.sensitive_needs_protection and items.labels and len(wanted) == len(items.labels):
        raise InputError(
            f"all {marked.marked}s are sensitive, so none is left to publish",
            remedy="Name only those whose link to a person would harm them.",
        )
    return wanted


def match_list(folder: str, text: str, taxonomy: str | None = None) -> dict[str, Any]:
    """A list with one name, code or pattern a line: what it means in the data, and what it does not."""
    items = _Items(folder, taxonomy)
    known: dict[str, None] = {}
    unknown: list[str] = []
    for label in listed(text.removeprefix("\ufeff"), items.texts):
        pattern = is_pattern(label) and not items.known(label)
        here = items.fitting(label) if pattern else items.meant([label])
        known |= dict.fromkeys(here)
        unknown += [] if here else [label]
    return {
        "known": list(known),
        # Looking for near ones takes a while; a list of which more is wrong is another file's.
        "unknown": [(label, items.nearest(label)) for label in unknown[:MOST_NEAR]]
        + [(label, "") for label in unknown[MOST_NEAR:]],
    }
