"""Figures as plain data."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Plain:
    """A dataclass of figures, which are given as plain data under their own names."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
