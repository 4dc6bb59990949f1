"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets
from covey.data.hierarchy import Hierarchy
from covey.data.table import Column, Table

__all__ = ["Baskets", "Column", "Hierarchy", "Table"]
