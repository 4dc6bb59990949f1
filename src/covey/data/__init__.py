"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets
from covey.data.hierarchy import Hierarchy
from covey.data.ratings import Ratings
from covey.data.records import Records
from covey.data.scale import Scale
from covey.data.table import Column, Table
from covey.data.taxonomy import Taxonomy

__all__ = ["Baskets", "Column", "Hierarchy", "Ratings", "Records", "Scale", "Table", "Taxonomy"]
