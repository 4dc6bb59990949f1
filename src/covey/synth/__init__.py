"""Synthetic data with known properties, for demonstrations, tests and measurements of speed."""

from covey.synth.quest import quest
from covey.synth.shop import Shop, shop
from covey.synth.survey import survey

__all__ = ["Shop", "quest", "shop", "survey"]
