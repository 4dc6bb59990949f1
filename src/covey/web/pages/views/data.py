"""A dataset, arranged for step 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.data.kinds import data_kind
from covey.web.pages.charts import number


def shape_tiles(
    kind: str, shape: Mapping[str, Any], columns: Sequence[str] = ()
) -> Sequence[tuple[str, str]]:
    """The size of a dataset as tiles; of tables also how many columns the file has."""
    known = data_kind(kind)
    tiles = [(number(shape[key]), words) for key, words in known.sizes.items() if key in shape]
    if known.by_roles:
        tiles.append((number(len(columns)), "columns"))
    if "mean_length" in shape:
        what = f"{known.things} per {known.row}, on average"
        tiles.append((number(round(shape["mean_length"], 1)), what))
    return tiles
