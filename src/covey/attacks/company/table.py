"""The company of everybody in a released table: the rows that cover theirs."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from covey.arrays import Floats, Ids, Ints
from covey.attacks.company import Company
from covey.data import Records, Table
from covey.errors import InputError, ParameterError
from covey.kernels.verify.covering import covering
from covey.release.records import RecordsRelease
from covey.release.table.model import TableRelease
from covey.verify.table_fidelity import ranges_of

#: Pairs of a person and a class that covers them that are looked at.
PAIRS = 1 << 25
#: A column with more values than this is left out: it tells persons apart by itself.
VALUES = 500


def of_table(release: TableRelease, original: Table, about: Collection[str] = ()) -> Company:
    """Classes, and the chance of each sensitive value: its share of all published rows that cover the person's.

    A person is at home in the narrowest class that covers all their rows. What is hidden is written ``column: value``.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [20, 21, 40, 41], "ill": ["flu", "gout", "flu", "flu"]}, sensitive=["ill"])
    >>> made = of_table(covey.anonymize(people, "k-anonymity(k=2)", "mondrian", seed=0), people)
    >>> made.share["ill: gout"].tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    person = np.arange(original.n) if original.person is None else original.person.astype(np.int64)
    people, kind = int(person.max(initial=-1)) + 1, release.classes()
    rows_in = np.bincount(kind)
    low, high = ranges_of(
        release, original, [c.name for c in release.of_role("quasi")], np.unique(kind, return_index=True)[1]
    )
    who, cell = _covered(release, original, low, high, person)
    # How much each class leaves open: the logarithm of the number of different rows that it covers.
    width = np.log(np.maximum(high - low + 1, 1)).sum(axis=1)
    home = np.full(people, -1, np.int64)
    widest_first = np.lexsort((-cell, -width[cell]))  # the narrowest is written last
    home[who[widest_first]] = cell[widest_first]
    if (home < 0).any():
        raise InputError(
            "the release was not made from this original: no published row covers one of the original's",
            remedy="Give the data that this release was made from, with the same hierarchies.",
        )
    rows_of = np.bincount(who, rows_in[cell], people)
    holds: dict[str, Floats] = {}
    share: dict[str, Floats] = {}
    for column in release.columns:
        if column.role == "quasi" or len(column.labels) > VALUES:
            continue
        theirs = original.column(column.name)
        for value, label in enumerate(column.labels):
            name = f"{column.name}: {label}"
            if column.role == "sensitive":
                holds[name] = np.zeros(people)
                holds[name][person[theirs.codes == theirs.values.index(label)]] = 1.0
            if column.role == "sensitive" or name in about:
                told = np.bincount(kind[column.codes == value], minlength=len(rows_in))
                share[name] = np.bincount(who, told[cell], people) / rows_of
    size = rows_in if release.class_persons is None else release.class_persons
    return Company(home=home, size=size, holds=holds, share=share)


def of_records(release: RecordsRelease, original: Records, about: Collection[str] = ()) -> Company:
    """Classes of persons with the same attributes; items are left out of account."""
    return of_table(release.attributes, original.attributes, about)


def _covered(release: TableRelease, original: Table, low: Ids, high: Ids, person: Ints) -> tuple[Ints, Ints]:
    """Pairs of a person and a class, from its `low` to its `high` codes, that covers all rows of the person."""
    quasi = np.stack([original.column(c.name).codes for c in release.of_role("quasi")], axis=1)
    rows, row_of = np.unique(quasi, axis=0, return_inverse=True)
    row_of, classes = row_of.reshape(-1), len(low)
    ptr, cells = covering(
        np.ascontiguousarray(rows), np.zeros(len(rows), np.int64), low, high, np.array([0, classes]), PAIRS
    )
    if len(ptr) <= len(rows):
        raise ParameterError("Too many classes cover too many rows to tell who was published as what.")
    # A person is in a class that covers each of their different rows.
    theirs = np.unique(person * len(rows) + row_of)
    who, row = theirs // len(rows), theirs % len(rows)
    count = np.diff(ptr)[row]
    shift = np.repeat(ptr[row] - np.cumsum(count) + count, count)
    found, often = np.unique(
        np.repeat(who, count) * classes + cells[np.arange(int(count.sum())) + shift], return_counts=True
    )
    whole = often == np.bincount(who)[found // classes]
    return found[whole] // classes, found[whole] % classes
