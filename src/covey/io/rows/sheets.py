"""Which sheet of a workbook, or table of a database, is meant."""

from __future__ import annotations

from collections.abc import Sequence

from covey.errors import InputError
from covey.parameters import did_you_mean


def chosen(wanted: str | None, known: Sequence[str], filled: Sequence[str], what: str, file: str) -> str:
    """The one that is named, or the only one that holds anything."""
    shown = ", ".join(repr(name) for name in known[:12])
    if wanted is not None:
        if wanted in known:
            return wanted
        near = did_you_mean(wanted, known).strip()
        raise InputError(f"there is no {what} {wanted!r}", file=file, remedy=near or f"There are {shown}.")
    if len(filled) != 1:
        raise InputError(
            f"{len(filled)} {what}s hold rows, and none is named" if filled else f"no {what} holds any row",
            file=file,
            remedy=f"Name one with --sheet: {shown}." if filled else "Check that it was saved completely.",
        )
    return filled[0]
