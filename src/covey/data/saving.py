"""What all kinds of data have in common: they can be saved to a dataset directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Saved:
    """A base class for data that `covey.load` can return."""

    __slots__ = ()

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write this data to a directory, such as ``shop.covey``, that only its owner can read.

        Roles, persons and sensitive marks are kept; `covey.load` and every command read it. A dataset that is there
        already is moved aside with `force`, and refused without.
        """
        from covey.data.saved import save

        data: Any = self
        return save(data, path, force=force)
