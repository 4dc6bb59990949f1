"""coherence(h, k, p), checked from what is published, or of data as it stands."""

from __future__ import annotations

import math

import numpy as np

from covey.counting import counted
from covey.data import Baskets
from covey.data.labels import alike, twins
from covey.guarantees.coherence import Coherence
from covey.progress import Progress, silent
from covey.release.sets import SetsRelease
from covey.verdict import Check, Verdict
from covey.verify.rare_labels import find_offence


def check(promise: Coherence, release: SetsRelease) -> Verdict:
    """Check from the published transactions alone, public and private part."""
    if release.private is None:
        missing = Check.failed("the private items are published", "there is no table of them")
        return Verdict(guarantee=promise.text, checks=(missing,))
    return _check(promise, release.transactions, release.private)


def check_baskets(promise: Coherence, data: Baskets, *, progress: Progress = silent) -> Verdict:
    """Ask the same of data as it stands, its sensitive items being the private ones."""
    promise.require_private(data.summary())
    return _check(promise, *data.by_person().split())


def _check(promise: Coherence, public: Baskets, private: Baskets) -> Verdict:
    aligned = public.n == private.n
    offence = None
    if aligned:
        offence = find_offence(promise.name, "p", public, _as_read(private), promise.k, promise.p, promise.h)
    both = twins(public.items, private.items)
    size = "any public items" if promise.p == math.inf else f"at most {counted(int(promise.p), 'public item')}"
    detail = f"{counted(public.n, public.unit[:-1])}, {public.d:,} public and {counted(private.d, 'private item')}"
    if not aligned:
        detail = f"{public.n:,} public but {private.n:,} private rows"
    share = f", at most {promise.h:.4g} of them with one private item" if promise.h < 1 else ""
    return Verdict(
        guarantee=promise.text,
        checks=(
            Check(
                name=f"every set of {size} that occurs is in at least {promise.k} {public.unit}{share}",
                passed=aligned and offence is None,
                detail=detail if offence is None else offence.describe(public.unit),
            ),
            Check(
                name="no private item is among the public ones",
                passed=not both,
                detail=f"{both[0][0]!r} is in both parts" if both else "the two parts share no item",
            ),
        ),
        figures={"labels": public.d, "offence": None if offence is None else offence.to_dict()},
    )


def _as_read(private: Baskets) -> Baskets:
    """The private items, where those that people take for the same are one."""
    same = alike(private.items)
    if len(np.unique(same)) == private.d:
        return private
    return Baskets.build(private.indptr.copy(), same[private.indices], list(private.items))
