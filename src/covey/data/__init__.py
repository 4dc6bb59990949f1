"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets
from covey.data.hierarchy import Hierarchy
from covey.data.ratings import Ratings
from covey.data.scale import Scale
from covey.data.table import Column, Table

__all__ = ["Baskets", "Column", "Hierarchy", "Ratings", "Scale", "Table"]
