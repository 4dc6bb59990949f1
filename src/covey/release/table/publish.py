"""Publishing tables without leaking: what groups cover is written as text, and rows are shuffled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Column, Table
from covey.release.base import Statement
from covey.release.table.model import PublishedColumn, TableRelease, states_holders


def table(
    data: Table,
    group: Ints,
    groups: int,
    *,
    made: Statement,
    seed: int | None = None,
    order: Ints | None = None,
) -> TableRelease:
    """Make a release of `data` from the group number of each row.

    In each group a quasi-identifier is published as the narrowest range, or the lowest node of its hierarchy, that
    covers the group's values. Other columns are published as they are.

    Parameters
    ----------
    data : Table
        The original.
    group : int64 array of length n
        Group numbers in ``range(groups)``, none of them unused; the same for all rows of a person.
    groups : int
        How many groups there are.
    made : Statement
        How it was made.
    seed : int or None
        For the order of the rows; None draws from the system's entropy.
    order : int64 array or None
        The rows in the order in which they are to be published, where something else is published in it too.
    """
    order = np.random.default_rng(seed).permutation(data.n) if order is None else order
    shuffled = group[order]
    columns = []
    for column in data.columns:
        if column.role == "quasi":
            codes, texts = _spans(column, group, groups)
            codes = codes[shuffled]
        else:
            codes, texts = column.codes[order], list(column.values)
        codes, labels = _canonical(codes, texts)
        columns.append(
            PublishedColumn(name=column.name, role=column.role, numeric=column.numeric, codes=codes, labels=labels)
        )
    release = TableRelease(columns=tuple(columns), made=made)
    return release if data.person is None else _with_persons(release, data.person[order])


def _with_persons(release: TableRelease, person: Ids) -> TableRelease:
    """The same release with the number of persons in each class and, where the promise is about it, of holders."""
    kind = release.classes()
    persons = int(person.max(initial=0)) + 1
    members = np.unique(kind * persons + person) // persons
    holders = None
    if states_holders(release.guarantee):
        found = []
        for column in release.of_role("sensitive"):
            width = max(len(column.labels), 1)
            held = np.unique((kind * width + column.codes) * persons + person) // persons
            found.append(np.unique(held, return_counts=True)[1])
        holders = np.concatenate([np.empty(0, np.int64), *found]).astype(np.int64)
    return replace(release, class_persons=np.bincount(members).astype(np.int64), holders=holders)


def _spans(column: Column, group: Ints, groups: int) -> tuple[Ids, list[str]]:
    """The published value of each group, as a code into distinct texts."""
    low = np.full(groups, len(column.values), np.int64)
    high = np.full(groups, -1, np.int64)
    np.minimum.at(low, group, column.codes)
    np.maximum.at(high, group, column.codes)
    spans, at = np.unique(low * (len(column.values) + 1) + high, return_inverse=True)
    width = len(column.values) + 1
    texts = [column.span_text(int(span // width), int(span % width)) for span in spans]
    return at.reshape(-1).astype(np.int32), texts


def _canonical(codes: Ids, texts: list[str]) -> tuple[Ids, tuple[str, ...]]:
    """The same values over distinct labels in label order, without labels that no row has."""
    used = np.unique(codes)
    labels = sorted({texts[i] for i in used})
    place = {label: i for i, label in enumerate(labels)}
    rename = np.zeros(max(len(texts), 1), np.int32)
    rename[used] = [place[texts[i]] for i in used]
    return rename[codes], tuple(labels)
