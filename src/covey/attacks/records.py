"""Attacks on released records by someone who knows all attributes of a person, and items besides.

A label is another one in every class, so that knowing it means knowing the class, too.
"""

from __future__ import annotations

import numpy as np

from covey.attacks.lookups import Rows
from covey.attacks.result import AttackResult
from covey.attacks.sets import found_beyond, found_whole
from covey.data import Records
from covey.release.records import RecordsRelease


def linkage(release: RecordsRelease, original: Records, *, seed: int = 0) -> AttackResult:
    """Look for random persons of whom one label more is known than the promise covers, and then two more.

    Examples
    --------
    >>> import covey
    >>> data = Records.of({"age": [20, 21, 22, 23]}, [["a", "b"]] * 4)
    >>> linkage(covey.anonymize(data, "k-km-anonymity(k=2, m=1)", seed=0), data).success_rate
    0.5
    """
    return found_beyond(release, _rows(release, False), seed, row="person", besides="all attributes and ")


def whole(release: RecordsRelease, original: Records, *, seed: int = 0) -> AttackResult:
    """Look for everybody, knowing all that is published of them; nothing is drawn, so `seed` is not used.

    Examples
    --------
    >>> import covey
    >>> data = Records.of({"age": [20, 21, 22, 23]}, [["a", "b"]] * 4)
    >>> whole(covey.anonymize(data, "k-km-anonymity(k=2, m=1)", seed=0), data).success_rate
    0.5
    """
    rows = _rows(release, True)
    return found_whole(release, rows, row="person", knows="all attributes and all labels of items")


def _rows(release: RecordsRelease, with_class: bool) -> Rows:
    """The labels of each person, each another one in every class; with the class itself, if that is wanted."""
    kind, sets = release.attributes.classes(), release.baskets
    # Label 0 of a class is the class.
    keys = np.repeat(kind, sets.lengths()) * (sets.d + 1) + sets.indices + 1
    indptr = sets.indptr
    if with_class:
        keys = np.insert(keys, indptr[:-1], kind * (sets.d + 1))
        indptr = indptr + np.arange(sets.n + 1)
    distinct, indices = np.unique(keys, return_inverse=True)
    return Rows(indptr=indptr, indices=indices.reshape(-1).astype(np.int32), labels=len(distinct))
