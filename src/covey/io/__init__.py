"""Readers and writers of baskets: FIMI, CSV, Parquet, data frames, Arrow, sparse matrices.

Names are imported on first use, so that ``import covey.io`` loads neither numba nor pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "Recognised": "covey.io.baskets.recognition",
    "read": "covey.io.baskets.reading",
    "read_sensitive": "covey.io.sensitive",
    "read_taxonomy": "covey.io.trees",
    "recognise": "covey.io.baskets.recognition",
    "to_frame": "covey.io.baskets.frames",
    "write": "covey.io.writing",
}

if TYPE_CHECKING:
    from covey.io.baskets.frames import to_frame
    from covey.io.baskets.reading import read
    from covey.io.baskets.recognition import Recognised, recognise
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
