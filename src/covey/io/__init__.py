"""Readers and writers of data: FIMI, CSV, Parquet, workbooks, databases, data frames, Arrow, sparse matrices.

Names are imported on first use, so that ``import covey.io`` loads neither numba nor pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "Recognised": "covey.io.recognition",
    "read": "covey.io.baskets",
    "read_sensitive": "covey.io.sensitive",
    "read_taxonomy": "covey.io.trees",
    "recognise": "covey.io.recognition",
    "to_frame": "covey.io.baskets",
    "write": "covey.io.writing",
}

if TYPE_CHECKING:
    from covey.io.baskets import read, to_frame
    from covey.io.recognition import Recognised, recognise
    from covey.io.sensitive import read_sensitive
    from covey.io.trees import read_taxonomy
    from covey.io.writing import write

__all__ = ["Recognised", "read", "read_sensitive", "read_taxonomy", "recognise", "to_frame", "write"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey.io' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
