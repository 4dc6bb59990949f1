"""Figures as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

#: What was measured, by name, as the plain data that JSON holds.
Figures = Mapping[str, Any]


class Plain:
    """A dataclass of figures, which are given as plain data under their own names."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
