"""The company of everybody in a release of sets: those who are published alike."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from covey.arrays import Ints
from covey.attacks.company import Company
from covey.attacks.company.grouped import held, kinds_of, mean_by
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.errors import ParameterError, other_original
from covey.kernels.shared.csr import take_rows, transpose
from covey.kernels.shared.set_classes import holders
from covey.release.sets import SetsRelease, public_part

#: Pairs of a published set and an original one that are looked at.
PAIRS = 20_000_000


def of_sets(release: SetsRelease, original: Baskets, about: Collection[str] = ()) -> Company:
    """Classes of sets that are published alike, and the private items among them.

    Where every item is published alike everywhere, the recoding says what a person's set became. Where items were left
    out one basket at a time, it is taken to be the largest published set that the person's has in it.

    Raises
    ------
    ParameterError
        Baskets were generalized one by one: nobody can tell from the files what became of which.
    """
    public = public_part(release, original)
    if public.n != release.transactions.n:
        raise other_original(f"the original has {public.n:,} sets, the release {release.transactions.n:,}")
    if release.recoded == "local":
        raise ParameterError(
            "This release generalizes baskets one by one, so nobody can tell from it which basket became which."
        )
    published = release.transactions
    kind = kinds_of(published)
    example = np.unique(kind, return_index=True)[1]
    home = _recoded(release, public, kind) if release.recoded == "global" else _largest(published, example, public)
    holds, share = {}, {}
    if release.private is not None:
        secret = original.by_person() if published.person is not None else original
        for item in release.private.items:
            holds[item] = held(secret, item)
            share[item] = (np.bincount(kind, held(release.private, item)) / np.bincount(kind))[home]
    seen = kinds_of(public.only(np.array([item not in about for item in public.items], np.bool_)))
    for item in set(about) & set(public.items) & set(published.items):
        share[item] = mean_by(seen, held(published, item)[example][home])
    return Company(home=home, size=np.bincount(kind), holds=holds, share=share)


def _recoded(release: SetsRelease, public: Baskets, kind: Ints) -> Ints:
    """The class of each original set by what the recoding makes of it."""
    published, recoding = release.transactions, release.recoding or {}
    place = {label: i for i, label in enumerate(published.items)}
    target = np.array([place.get(recoding.get(item, release.rest), -1) for item in public.items], np.int64)
    entries = target[public.indices]
    rows = np.repeat(np.arange(public.n), public.lengths())[entries >= 0]
    cells = np.unique(rows * max(published.d, 1) + entries[entries >= 0])
    ours = np.searchsorted(cells, np.arange(public.n + 1) * max(published.d, 1))
    indptr = np.concatenate([published.indptr, published.indptr[-1] + ours[1:]])
    indices = np.concatenate([published.indices, (cells % max(published.d, 1)).astype(np.int32)])
    number = kinds_of(unmarked(indptr, indices, published.items))
    class_of = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
    class_of[number[: published.n]] = kind
    home = class_of[number[published.n :]]
    if (home < 0).any():
        raise other_original("the release was not made from this original: a set of the original is not published")
    return home


def _largest(published: Baskets, example: Ints, public: Baskets) -> Ints:
    """The class of each original set: the largest published set that it holds, the first of equally large ones."""
    place = {item: i for i, item in enumerate(public.items)}
    rename = np.array([place.get(item, -1) for item in published.items], np.int32)
    if (rename < 0).any():
        raise other_original("the release was not made from this original: it publishes other items")
    set_ptr, sets = take_rows(published.indptr, rename[published.indices], example)
    lengths = np.diff(set_ptr)
    empty, full = np.flatnonzero(lengths == 0), np.flatnonzero(lengths)
    home = np.full(public.n, empty[0] if len(empty) else -1, np.int64)
    by_item = transpose(public.indptr, public.indices, public.d)
    pair_ptr, rows = holders(
        np.append(set_ptr[full], set_ptr[-1]), sets, public.indptr, public.indices, *by_item, PAIRS
    )
    if len(rows) > PAIRS:
        raise ParameterError("Too many published sets fit too many baskets to tell who was published as what.")
    for c in np.argsort(lengths[full], kind="stable"):
        home[rows[pair_ptr[c] : pair_ptr[c + 1]]] = full[c]
    if (home < 0).any():
        raise other_original("the release was not made from this original: no published set fits one of the original's")
    return home
