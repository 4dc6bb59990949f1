"""Immutable input data, validated once at the door."""

from covey.data.baskets import Baskets

__all__ = ["Baskets"]
