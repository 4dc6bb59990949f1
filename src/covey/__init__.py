"""covey publishes sparse, high-dimensional records about people under verified privacy promises.

Names are imported on first use, so that ``import covey`` loads neither numba nor Spark.

Examples
--------
>>> import covey
>>> baskets = covey.Baskets.of([["wine", "test"], ["wine"], ["meat"], ["wine", "meat"]], sensitive=["test"])
>>> release = covey.anonymize(baskets, "degree(p=2)")
>>> round(release.estimate("test", present=["wine"]).estimate, 2)
1.0
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__version__ = "0.2.0"

_HOMES = {
    "Baskets": "covey.data",
    "CoveyError": "covey.errors",
    "GroupedRelease": "covey.release",
    "Hierarchy": "covey.data",
    "Infeasible": "covey.errors",
    "InputError": "covey.errors",
    "Ratings": "covey.data",
    "Records": "covey.data",
    "Table": "covey.data",
    "TableRelease": "covey.release.table",
    "Taxonomy": "covey.data",
    "anonymize": "covey.api.making",
    "attack": "covey.api.measuring",
    "check": "covey.api.checking",
    "combine": "covey.release.estimate",
    "evaluate": "covey.api.measuring",
    "explore": "covey.api.measuring",
    "guarantee": "covey.guarantees",
    "inspect": "covey.api.measuring",
    "items": "covey.api.measuring",
    "load": "covey.data.saved",
    "method": "covey.registry",
    "methods": "covey.registry",
    "publish": "covey.api.making",
    "Source": "covey.io.source",
    "read": "covey.io",
    "read_ratings": "covey.io.ratings.reading",
    "read_records": "covey.io.records.reading",
    "read_release": "covey.release",
    "read_table": "covey.io.table.reading",
    "read_taxonomy": "covey.io",
    "report": "covey.api.measuring",
    "suggest_taxonomy": "covey.io.suggested_trees",
    "verify": "covey.api.checking",
    "write_taxonomy": "covey.io.trees",
}

if TYPE_CHECKING:
    from covey.api.checking import check, verify
    from covey.api.making import anonymize, publish
    from covey.api.measuring import attack, evaluate, explore, inspect, items, report
    from covey.data import Baskets, Hierarchy, Ratings, Records, Table, Taxonomy
    from covey.data.saved import load
    from covey.errors import CoveyError, Infeasible, InputError
    from covey.guarantees import guarantee
    from covey.io import read, read_taxonomy
    from covey.io.ratings.reading import read_ratings
    from covey.io.records.reading import read_records
    from covey.io.source import Source
    from covey.io.suggested_trees import suggest_taxonomy
    from covey.io.table.reading import read_table
    from covey.io.trees import write_taxonomy
    from covey.registry import method, methods
    from covey.release import GroupedRelease, read_release
    from covey.release.estimate import combine
    from covey.release.table import TableRelease

__all__ = [
    "Baskets",
    "CoveyError",
    "GroupedRelease",
    "Hierarchy",
    "Infeasible",
    "InputError",
    "Ratings",
    "Records",
    "Source",
    "Table",
    "TableRelease",
    "Taxonomy",
    "anonymize",
    "attack",
    "check",
    "combine",
    "evaluate",
    "explore",
    "guarantee",
    "inspect",
    "items",
    "load",
    "method",
    "methods",
    "publish",
    "read",
    "read_ratings",
    "read_records",
    "read_release",
    "read_table",
    "read_taxonomy",
    "report",
    "suggest_taxonomy",
    "verify",
    "write_taxonomy",
]


#: Packages that are reached as attributes, too, and loaded when they are first used.
_PACKAGES = ("data", "errors", "guarantees", "io", "measure", "spark", "synth")


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return import_module(f"covey.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'covey' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


class _Package(ModuleType):
    """Keeps the functions `covey.methods`, `covey.report` and `covey.verify` apart from the packages of these names.

    Importing a package would put it in the function's place; ``from covey.verify import …`` finds it all the same.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _HOMES):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
