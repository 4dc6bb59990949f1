"""Labels that a person would take for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

#: Characters that nothing is drawn for, besides those that Unicode counts as format.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | {chr(x) for x in range(0xFE00, 0xFE10)}


def plain(label: str) -> str:
    """A label without what people overlook: case, blanks, unseen characters, and the way letters are composed.

    Examples
    --------
    >>> plain("Viagra ") == plain("vi\u200bagra") == plain("viagra")
    True
    """
    if label.isascii() and label.isalnum():
        return label.lower()
    seen = (c for c in label if c.isspace() or not (c in _UNSEEN or unicodedata.category(c) in ("Cc", "Cf")))
    folded = unicodedata.normalize("NFKC", "".join(seen)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def twins(labels: Iterable[str], apart: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of one of `labels` and one of `apart` that a person would take for the same, equal ones included."""
    known = {plain(label): label for label in apart}
    return [(label, known[plain(label)]) for label in labels if plain(label) in known]
