"""Releases of ratings: fewer ratings than there were."""

from covey.release.ratings.model import RatingsRelease

__all__ = ["RatingsRelease"]
