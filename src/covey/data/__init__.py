"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets
from covey.data.derived import derive_taxonomy
from covey.data.hierarchy import Hierarchy
from covey.data.table import Column, Table
from covey.data.taxonomy import Taxonomy

__all__ = ["Baskets", "Column", "Hierarchy", "Table", "Taxonomy", "derive_taxonomy"]
