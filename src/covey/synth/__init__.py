"""Synthetic data with known properties, for demonstrations, tests and measurements of speed."""

from covey.synth.people import people
from covey.synth.quest import quest
from covey.synth.shop import Shop, shop
from covey.synth.survey import survey
from covey.synth.viewers import viewers

__all__ = ["Shop", "people", "quest", "shop", "survey", "viewers"]
