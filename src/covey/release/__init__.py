"""What leaves the building: releases, how they are published without leaks, and their files."""

from covey.release.base import Release, Statement
from covey.release.estimate import Estimate
from covey.release.grouped import GroupedRelease
from covey.release.manifest import Manifest
from covey.release.store import load as read_release

__all__ = ["Estimate", "GroupedRelease", "Manifest", "Release", "Statement", "read_release"]
