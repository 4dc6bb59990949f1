"""Is a release of sets made from this original by leaving items out?

As many transactions, or persons where they are named, no new item, and every published set is held by as many of them
in the original as publish it, one set at a time; the different published sets are gathered for this, never the rows.
Whether all of them can be given out at once is for the local verifier to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import functions as sf

from covey.arrays import Ints
from covey.counting import counted
from covey.engines.spark.batches import csr_of
from covey.engines.spark.sets import Sets
from covey.engines.spark.sums import added_up
from covey.engines.spark.verify.releases import OpenedSets
from covey.kernels.shared import set_classes  # as a module: Spark would send a kernel without its cache
from covey.kernels.shared.csr import transpose
from covey.release.persons import counts_persons
from covey.verdict import Check
from covey.verify.exposed import check_exposed
from covey.verify.person_fidelity import same_unit
from covey.verify.suppressed_fidelity import known_items, published_once

#: Pairs of a published and an original set that a task lists at a time.
PAIRS = 5_000_000


def compare(release: OpenedSets, original: Sets) -> list[Check]:
    """Check `release` against `original`: its persons, where they are named."""
    unit = same_unit(counts_persons(release.manifest.facts), original.persons, "transactions")
    checks = [] if unit is None else [unit]
    if unit is not None and not unit.passed:
        return checks
    checks += check_exposed(release.items, original.items, original.sensitive_items())
    original = original.by_person()
    checks.append(published_once(release.scanned["sets"].rows, original.n, _unit(original)))
    if checks[-1].passed:
        checks.append(known_items(release.items, original.items))
    if checks[-1].passed:
        checks.append(_held(release, original))
    return checks


def _unit(original: Sets) -> str:
    return "transactions" if original.owned is None else "persons"


def _held(release: OpenedSets, original: Sets) -> Check:
    distinct = (
        release.rows(original.items)
        .where(sf.size("items") > 0)
        .groupBy("items")
        .agg(sf.count("*").alias("wanted"))
        .toArrow()
    )
    set_ptr, sets = csr_of(distinct.column("items"))
    wanted = distinct.column("wanted").to_numpy()
    held = np.zeros(0, np.int64)
    if len(wanted):
        held = added_up(original.frame, _holding(set_ptr, sets, original.d), len(wanted))
    unit = _unit(original)
    name = f"nothing was invented: each published set is held by enough {unit} (one set at a time)"
    short = np.flatnonzero(held < wanted)
    if not len(short):
        return Check(name=name, passed=True, detail=counted(len(wanted), "different set"))
    worst = int(short[np.argmax((wanted - held)[short])])
    items = [original.items[i] for i in sets[set_ptr[worst] : set_ptr[worst + 1]]]
    shown = ", ".join(items[:8]) + (" …" if len(items) > 8 else "")
    published = f"{{{shown}}} is published {counted(int(wanted[worst]), 'time')}"
    detail = f"{published}, but held by {counted(held[worst], unit[:-1])} only"
    return Check(name=name, passed=False, detail=detail)


def _holding(set_ptr: Any, sets: Any, d: int) -> Any:
    """For `added_up`: how many of the transactions at hand hold each published set."""

    def count(batches: Iterator[Any]) -> Ints:
        held = np.zeros(len(set_ptr) - 1, np.int64)
        for batch in batches:
            row_ptr, rows = csr_of(batch.column("items"))
            weight = batch.column("weight").to_numpy()
            by_item = transpose(row_ptr, rows, d)
            start = 0
            while start < len(held):
                # The kernel stops when it has listed enough pairs; it is then asked for the sets behind.
                base = set_ptr[start:] - set_ptr[start]
                pair_ptr, pairs = set_classes.holders(base, sets[set_ptr[start] :], row_ptr, rows, *by_item, PAIRS)
                done = len(pair_ptr) - 1
                sums = np.concatenate([[0], np.cumsum(weight[pairs[: pair_ptr[-1]]])])
                held[start : start + done] += sums[pair_ptr[1:]] - sums[pair_ptr[:-1]]
                start += done
        return held

    return count
