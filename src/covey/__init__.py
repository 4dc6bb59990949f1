"""covey publishes sparse data about people under a privacy guarantee that is checked on the published files.

Names are imported on first use, so that ``import covey`` loads neither numba nor Spark.

Examples
--------
>>> import covey
>>> baskets = covey.Baskets.of([["wine", "test"], ["wine"], ["meat"], ["wine", "meat"]], sensitive=["test"])
>>> release = covey.anonymize(baskets, covey.Degree(p=2))
>>> round(release.estimate("test", present=["wine"]).estimate, 2)
1.0
"""

from __future__ import annotations

import ast
import pkgutil
import sys
from importlib import import_module
from types import ModuleType

__version__ = "0.2.0"

#: The module of each public name. Type checkers read the same list: the stub beside this file.
_HOMES = {
    alias.name: node.module
    for node in ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or b"").body  # also from a zip
    if isinstance(node, ast.ImportFrom) and node.module
    for alias in node.names
}

__all__ = sorted(name for name, module in _HOMES.items() if module != "covey")


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey' has no attribute {name!r}")
    if _HOMES[name] == "covey":
        return import_module(f"covey.{name}")
    return getattr(import_module(_HOMES[name]), name)


class _Package(ModuleType):
    """Keeps the functions `covey.methods`, `covey.report` and `covey.verify` apart from the packages of these names.

    Importing a package would put it in the function's place; ``from covey.verify import …`` finds it all the same.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and _HOMES.get(name, "covey") != "covey"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
