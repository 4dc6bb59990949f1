"""k-km-anonymity(k, m), checked from what is published, or of data as it stands.

Both parts are asked of classes: persons whose quasi-identifying attributes are published alike. An item is looked at
as another one in every class, so that one search over all persons finds what is rare within a class.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.counting import counted, sizes
from covey.data import Baskets, Records
from covey.data.baskets import unmarked
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.progress import Progress, silent
from covey.release.records import RecordsRelease
from covey.verdict import Check, Verdict
from covey.verify.rare_labels import Offence, find_offence
from covey.verify.table_classes import row_classes, shown


def check(promise: KKmAnonymity, release: RecordsRelease) -> Verdict:
    """Check from the published persons alone."""
    return _check(promise, release.attributes, release.baskets)


def check_records(promise: KKmAnonymity, data: Records, *, progress: Progress = silent) -> Verdict:
    """Ask the same of data as it stands.

    Examples
    --------
    >>> data = Records.of({"sex": ["f", "f", "m", "m"]}, [["ale"], ["ale"], ["ale"], []])
    >>> check_records(KKmAnonymity(2, 1), data).failures()[0].detail
    '{ale} is in 1 person (row 2) with sex = m'
    """
    return _check(promise, data.attributes, data.baskets)


def _check(promise: KKmAnonymity, attributes: Any, items: Baskets) -> Verdict:
    of_row, size = row_classes(attributes)
    offence = _rare_in_class(promise, items, of_row)
    return Verdict(
        guarantee=promise.text,
        checks=(
            _alike(promise, attributes, of_row, size),
            _together(promise, attributes, items, offence),
        ),
        figures={
            "k": int(size.min(initial=len(of_row))),
            "classes": len(size),
            "largest_class": int(size.max(initial=0)),
            "labels": items.d,
            "offence": None if offence is None else offence.to_dict(),
        },
    )


def _alike(promise: KKmAnonymity, attributes: Any, of_row: Ints, size: Ints) -> Check:
    rare = np.flatnonzero(size < promise.k)
    detail = f"{counted(len(size), 'class')}, the smallest of {counted(int(size.min(initial=len(of_row))), 'person')}"
    if len(rare):
        worst = int(rare[np.argmin(size[rare])])
        detail = (
            f"{int(size[rare].sum()):,} of {len(of_row):,} persons in {counted(len(rare), 'smaller class')}; the "
            f"smallest, of {size[worst]:,}: {shown(attributes, int(np.flatnonzero(of_row == worst)[0]))}"
        )
    return Check(
        name=f"at least {promise.k} persons share each combination of attributes",
        passed=not len(rare),
        detail=detail,
    )


def _together(promise: KKmAnonymity, attributes: Any, items: Baskets, offence: Offence | None) -> Check:
    sets = "every set of items" if promise.m == math.inf else f"every set of at most {counted(int(promise.m), 'item')}"
    detail = sizes(persons=items.n, labels=items.d)
    if offence is not None:
        detail = f"{offence.describe('persons')} with {shown(attributes, offence.rows[0])}"
    return Check(
        name=f"within a class, {sets} that occurs is held by at least {promise.k} persons",
        passed=offence is None,
        detail=detail,
    )


def _rare_in_class(promise: KKmAnonymity, items: Baskets, of_row: Ints) -> Offence | None:
    """A set of items that is too rare among the persons of a class; None when there is none."""
    width = max(items.d, 1)
    of_class = np.repeat(of_row, items.lengths()) * width + items.indices
    found, place = np.unique(of_class, return_inverse=True)
    # Fixed width keeps label order what it is by number, which is how rows stand already.
    digits = len(str(int(of_row.max(initial=0))))
    labels = tuple(f"{x // width:0{digits}d} {items.items[x % width]}" for x in found.tolist())
    apart = unmarked(items.indptr, place.reshape(-1).astype(np.int32), labels)
    offence = find_offence(promise.name, "m", apart, None, promise.k, promise.m)
    if offence is None:
        return None
    return replace(offence, labels=tuple(label[digits + 1 :] for label in offence.labels))
