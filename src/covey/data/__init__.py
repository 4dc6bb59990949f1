"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets
from covey.data.ratings import Ratings
from covey.data.scale import Scale

__all__ = ["Baskets", "Ratings", "Scale"]
