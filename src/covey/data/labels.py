"""Labels that a person would take for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def plain(label: str) -> str:
    """A label without what people overlook: case, blanks, and the way letters are composed.

    Examples
    --------
    >>> plain("Viagra ") == plain("viagra")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def twins(labels: Iterable[str], apart: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of one of `labels` and one of `apart` that a person would take for the same, equal ones included."""
    known = {plain(label): label for label in apart}
    return [(label, known[plain(label)]) for label in labels if plain(label) in known]
