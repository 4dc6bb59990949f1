"""Labels: which of them are marked, and which a person would take for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from covey.arrays import Mask
from covey.errors import InputError
from covey.parameters import did_you_mean


def sensitive_mask(items: Sequence[str], names: Iterable[str]) -> Mask:
    """Which of `items` are sensitive when those in `names` are; unknown names are an error, and so is naming all.

    Examples
    --------
    >>> sensitive_mask(["meat", "test"], ["test"]).tolist()
    [False, True]
    """
    mask = np.zeros(len(items), np.bool_)
    position = {name: i for i, name in enumerate(items)}
    for name in names:
        if name not in position:
            raise InputError(
                f"the sensitive item {name!r} does not occur in the data",
                remedy=did_you_mean(name, items).strip() or "Check the spelling.",
            )
        mask[position[name]] = True
    if len(items) and mask.all():
        raise InputError(
            "all items are sensitive, so no item is left to publish",
            remedy="Name only the items whose link to a person would harm them.",
        )
    return mask


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
