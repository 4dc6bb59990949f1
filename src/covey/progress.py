"""How long work reports how far it has come."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called by long work with the name of the stage and the share of it that is done (0 to 1)."""

    def __call__(self, stage: str, done: float, /) -> None:
        """Report that `stage` has come as far as `done`."""


def silent(stage: str, done: float, /) -> None:
    """The progress of work nobody watches."""
