"""Releases of sets: fewer or broader items than there were."""

from covey.release.sets.model import GeneralizedRelease

__all__ = ["GeneralizedRelease"]
