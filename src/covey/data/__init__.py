"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets
from covey.data.derived import derive_taxonomy
from covey.data.taxonomy import Taxonomy

__all__ = ["Baskets", "Taxonomy", "derive_taxonomy"]
