"""Does a release keep its promise, and is it faithful to its original? Shares nothing with the methods."""

from covey.verify.checkers import VIOLATORS, check_data, check_release, compare, kinds_checked, violators
from covey.verify.closed_world import Examined, examine

__all__ = [
    "VIOLATORS",
    "Examined",
    "check_data",
    "check_release",
    "compare",
    "examine",
    "kinds_checked",
    "violators",
]
