"""Naming a function without importing it: kinds stay light, and layers below need not know those above."""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: A function, class or object, or where it is: ``"covey.io.table.reading:read_table"``; without a colon, a module.
Lazy = Any


def load(target: Lazy) -> Any:
    """What `target` names, imported now if it has not been.

    Examples
    --------
    >>> load("math:sqrt")(9)
    3.0
    """
    if not isinstance(target, str):
        return target
    module, _, name = target.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found
