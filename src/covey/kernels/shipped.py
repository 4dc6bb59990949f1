"""Kernels that were compiled when covey's wheel was built, so that nobody waits for them on a fresh install.

They are numba's own cache files, made for any processor of a platform. numba takes them if it compiles for that too,
has the version they were made with, and may write beside covey's modules; else it compiles as usual.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

#: Says what the kernels of this installation were made with; absent where none were shipped, as in a checkout.
NOTE = Path(__file__).with_name("shipped.json")
#: What numba compiles for when it shall run on any processor.
ANY_PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def use_shipped() -> bool:
    """Have numba look for shipped kernels, and return whether it will find any.

    This concerns all code that numba compiles in this process, so it is for covey's own commands: in somebody's
    notebook nothing is changed.
    """
    if "numba" in sys.modules or "NUMBA_CPU_NAME" in os.environ or not NOTE.is_file():
        return False
    from importlib.metadata import PackageNotFoundError, version

    try:
        usable: bool = json.loads(NOTE.read_text(encoding="utf-8"))["numba"] == version("numba")
    except (OSError, ValueError, KeyError, PackageNotFoundError):
        return False
    if usable:
        os.environ.update(ANY_PROCESSOR)
    return usable
