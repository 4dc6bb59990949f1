"""Taxonomies proposed for data that has none: from names, codes, items that go together, or a column of categories."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pyarrow as pa

from covey.data import Baskets, Taxonomy
from covey.data.derived import by_categories, by_codes, by_names, derive_taxonomy
from covey.data.kinds import ROW_OPTIONS
from covey.errors import ParameterError
from covey.io.columns import find
from covey.io.files import file_of
from covey.io.persons import WhoIsWho
from covey.io.preparing import prepared
from covey.io.recognition import roles_of
from covey.io.source import Source
from covey.parameters import choice
from covey.progress import Progress, silent

#: What items may be grouped by.
GROUNDS = ("names", "codes", "together", "categories")

_CODE = re.compile(r"[A-Za-z]{0,3}\d[\w./-]*")
#: The share of items that must look like codes, or share words, for these to be proposed.
_MOST = 0.5


def suggest_taxonomy(
    data: Any,
    by: str | None = None,
    *,
    categories: str | None = None,
    fanout: int = 4,
    progress: Progress = silent,
    **reading: Any,
) -> Taxonomy:
    """Propose a taxonomy of the items; look at it, edit it, and save it with `covey.write_taxonomy`.

    Items are grouped `by` words that their names share, beginnings of codes, being bought together, or the columns
    `categories` (narrowest first, separated by commas; of several categories of an item the commonest). Left out, by
    categories if they are named, else by what most items have. `reading` are the options of `covey.read`.

    Examples
    --------
    >>> tree = suggest_taxonomy([["dark beer", "pale beer"], ["green tea", "black tea"]])
    >>> tree.labels[tree.parent[tree.node("green tea")]]
    'tea'
    """
    source = Source.of(data, **reading).as_kind()
    baskets = source.read(progress=progress)
    if not isinstance(baskets, Baskets):
        raise ParameterError(f"A taxonomy is about items of baskets; this was read as {baskets.kind}.")
    ground = by or ("categories" if categories else likeliest(baskets))
    choice("suggest_taxonomy", "by", ground, GROUNDS)
    if (ground == "categories") != bool(categories):
        raise ParameterError("Name the columns with an item's category (--categories), and only for that ground.")
    progress("grouping", 0.0)
    if ground == "categories":
        return by_categories(baskets.items, _categories(source, str(categories), baskets))
    if ground == "together":
        return derive_taxonomy(baskets, fanout=fanout)
    return by_codes(baskets.items) if ground == "codes" else by_names(baskets.items, fanout=fanout)


def likeliest(baskets: Baskets) -> str:
    """What the items are best grouped by, judged by their names alone."""
    if sum(bool(_CODE.fullmatch(item)) for item in baskets.items) > _MOST * baskets.d:
        return "codes" if len({len(item) for item in baskets.items}) <= 2 else "together"
    held = Counter(word for item in baskets.items for word in set(item.casefold().split()))
    sharing = sum(any(held[word] > 1 for word in item.casefold().split()) for item in baskets.items)
    return "names" if sharing > _MOST * baskets.d else "together"


def _categories(source: Source, wanted: str, baskets: Baskets) -> dict[str, list[str]]:
    """Return the commonest categories of each item; empty where there are none."""
    options, name = dict(source.options), file_of(source.data)
    if isinstance(source.data, Baskets) or source.directory is not None:
        raise ParameterError("Only tables have a column of categories.")
    file = {name: options[name] for name in ("format", "separator", "encoding") if name in options}
    rows = {option.name: options[option.name] for option in ROW_OPTIONS if option.name in options}
    found = prepared(source.data, rows, **file)
    stated = WhoIsWho(**{role: options.get(role) for role in ("transaction", "item", "person")})
    item = str(roles_of(found, stated, name).item)
    columns = [found.names[find(found.names, part.strip(), name)] for part in wanted.split(",")]
    coded = found.coded([item, *columns])
    table = pa.table({column: one.array() for column, one in coded.items()})
    counted = table.group_by(table.column_names).aggregate([([], "count_all")]).to_pylist()
    best: dict[str, list[str]] = {}
    for row in sorted(counted, key=lambda row: (-row["count_all"], [row[column] or "" for column in columns])):
        best.setdefault(row[item], [row[column] or "" for column in columns])
    return {item: best.get(item, [""] * len(columns)) for item in baskets.items}
