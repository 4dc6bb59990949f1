"""A dataset, arranged for step 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.web.pages.charts import number


def shape_tiles(
    kind: str, shape: Mapping[str, Any], columns: Sequence[str] = ()
) -> Sequence[tuple[str, str]]:
    """The size of a dataset as tiles; of tables also how many columns the file has."""
    wanted = {
        "baskets": (("transactions", "baskets"), ("items", "different items"), ("entries", "items in all")),
        "ratings": (("respondents", "people"), ("issues", "issues"), ("entries", "ratings")),
        "table": (("rows", "rows"),),
    }[kind]
    size = {key: len(value) if isinstance(value, list) else value for key, value in shape.items()}
    tiles = [(number(size[key]), words) for key, words in wanted if key in size]
    if kind == "table":
        tiles.append((number(len(columns)), "columns"))
    if "mean_length" in shape:
        what = "items a basket" if kind == "baskets" else "ratings a person"
        tiles.append((number(round(shape["mean_length"], 1)), f"{what}, on average"))
    return tiles
