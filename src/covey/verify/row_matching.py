"""Published baskets compared with those of an original as multisets; with loops that no method uses."""

from __future__ import annotations

import numpy as np

from covey.arrays import Ints
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows


def difference(published: Baskets, original: Baskets) -> str:
    """How the two differ as multisets of baskets, in words; empty when they do not. O(entries + rows log rows)."""
    if published.n != original.n:
        return f"{published.n:,} transactions are published, the original has {original.n:,}"
    if published.items != original.items:
        invented = sorted(set(published.items) - set(original.items))
        lost = sorted(set(original.items) - set(published.items))
        what = f"{invented[0]!r} is published but not in" if invented else f"{lost[0]!r} is missing from"
        return f"the item {what} the {'original' if invented else 'release'}"
    n = original.n
    indptr = np.concatenate([published.indptr, published.indptr[-1] + original.indptr[1:]])
    number = equal_rows(indptr, np.concatenate([published.indices, original.indices]), original.d)[0]
    size = int(number.max(initial=-1)) + 1
    ours, theirs = np.bincount(number[:n], minlength=size), np.bincount(number[n:], minlength=size)
    wrong = np.flatnonzero(ours[number[:n]] > theirs[number[:n]])
    if not len(wrong):
        return ""
    row = int(wrong[np.argmax((ours - theirs)[number[wrong]])])
    return other_often(published.basket(row), int(ours[number[row]]), int(theirs[number[row]]))


def same_rows(original: Baskets, rows: Ints, published: Baskets) -> bool:
    """Whether these rows of an original are, one by one, those of `published`, over the same items."""
    indptr, indices = take_rows(original.indptr, original.indices, rows)
    return np.array_equal(indptr, published.indptr) and np.array_equal(indices, published.indices)


def other_often(basket: list[str], here: int, there: int) -> str:
    """That a basket is published more or less often than it is in the original, in words."""
    shown = ", ".join(basket[:6]) + (" …" if len(basket) > 6 else "")
    return f"the basket {{{shown}}} is published {counted(here, 'time')}, the original has it {counted(there, 'time')}"
