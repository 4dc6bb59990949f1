"""Labels: that they can be written to a file, which are marked, and which ones a person would take for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from operator import ge

import numpy as np

from covey.arrays import Ids, Ints, Mask, places_of
from covey.data.csr import first_bad_row
from covey.errors import InputError
from covey.parameters import did_you_mean


def sensitive_mask(items: Sequence[str], names: Iterable[str], what: str = "item") -> Mask:
    """Which of `items` are sensitive when those in `names` are; unknown names are an error, and so is naming all items.

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
                f"the sensitive {what} {name!r} does not occur in the data",
                remedy=did_you_mean(name, items).strip() or "Check the spelling.",
            )
        mask[position[name]] = True
    if what == "item" and len(items) and mask.all():
        raise InputError(
            "all items are sensitive, so no item is left to publish",
            remedy="Name only the items whose link to a person would harm them.",
        )
    return mask


def require_rows(indptr: Ints, indices: Ids, labels: Sequence[str], sensitive: Mask, what: str = "item") -> None:
    """Raise unless rows of items are kept as baskets and ratings keep them; forbid to change the arrays.

    Row i holds the numbers ``indices[indptr[i]:indptr[i + 1]]``, which ascend, of labels that ascend.
    """
    if len(indptr) < 1 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise InputError("the row offsets do not cover the entries")
    if indptr.dtype != np.int64 or indices.dtype != np.int32:
        raise InputError(f"row offsets must be int64 and {what} ids int32")
    if len(sensitive) != len(labels) or sensitive.dtype != np.bool_:
        raise InputError(f"the sensitive mask must hold one boolean per {what}")
    if any(map(ge, labels, labels[1:])):
        raise InputError(f"{what} labels must be distinct and in label order")
    require_text(labels, what)
    if bool((indptr[1:] < indptr[:-1]).any()):
        raise InputError("row offsets must not decrease")
    for array in (indptr, indices, sensitive):
        array.flags.writeable = False
    bad = first_bad_row(indptr, indices, len(labels))
    if bad >= 0:
        raise InputError(f"row {bad} does not hold distinct ascending {what} ids")


def in_label_order(labels: Sequence[str]) -> tuple[tuple[str, ...], Ids]:
    """Distinct labels in label order, and the place of each among them.

    Examples
    --------
    >>> in_label_order(["wine", "beer"])
    (('beer', 'wine'), array([1, 0], dtype=int32))
    """
    order = sorted(range(len(labels)), key=labels.__getitem__)
    return tuple(labels[i] for i in order), places_of(np.array(order, np.int64), len(order))


def require_text(labels: Iterable[str], what: str, column: str | None = None) -> None:
    """Refuse labels that hold half a character, as Python makes of text decoded wrongly; no file can hold them.

    Examples
    --------
    >>> require_text(["wine", "\\ud800"], "item")
    Traceback (most recent call last):
    covey.errors.InputError: the item '\\ud800' holds half a character (a lone surrogate). Decode the data again, ...
    """
    labels = list(labels)
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        for label in labels:
            if label.encode(errors="ignore") != label.encode(errors="surrogatepass"):
                raise InputError(
                    f"the {what} {label[:40]!r} holds half a character (a lone surrogate)",
                    column=column,
                    remedy="Decode the data again, with the right encoding.",
                ) from None


#: Characters that nothing is drawn for, besides those that Unicode counts as format.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | {chr(x) for x in range(0xFE00, 0xFE10)}


def plain(label: str) -> str:
    """A label without what people overlook: case, blanks, unseen characters, and the way letters are composed.

    Examples
    --------
    >>> plain("Viagra ") == plain("vi\u200bagra") == plain("viagra")
    True
    """
    if label.isascii() and label.isprintable():
        return _spaced(label.lower())
    seen = (c for c in label if c.isspace() or not (c in _UNSEEN or unicodedata.category(c) in ("Cc", "Cf")))
    folded = unicodedata.normalize("NFKC", "".join(seen)).casefold()
    return _spaced(unicodedata.normalize("NFKC", folded))


def _spaced(text: str) -> str:
    """Text with single blanks, and none around an equals sign, as in the value of a column."""
    text = " ".join(text.split())
    return text.replace(" =", "=").replace("= ", "=") if "=" in text else text


def alike(labels: Sequence[str]) -> Ids:
    """For each label the place of the first that a person would take for the same.

    Examples
    --------
    >>> alike(["flu", "gout", "Flu "]).tolist()
    [0, 1, 0]
    """
    first: dict[str, int] = {}
    return np.array([first.setdefault(plain(label), place) for place, label in enumerate(labels)], np.int32)


def twins(labels: Iterable[str], apart: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of one of `labels` and one of `apart` that a person would take for the same, equal ones included."""
    known = {plain(label): label for label in apart}
    return [(label, known[plain(label)]) for label in labels if plain(label) in known]
