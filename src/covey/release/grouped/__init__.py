"""Releases in groups: ordinary items exact, sensitive ones counted."""

from covey.release.grouped.model import Estimate, GroupedRelease

__all__ = ["Estimate", "GroupedRelease"]
