"""`matched` against CAHD as the paper publishes it: errors of estimates, what attackers gain, and time.

p = 10 and ten sensitive items, drawn uniformly among those that allow it. The options of `matched` were chosen on
draws 100 to 103; what is printed is measured on draws 600 to 604. COVEY_BENCH_SEEDS and COVEY_BENCH_FIRST take others.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import covey
from covey.measure.attacks.grey import grey
from covey.measure.attacks.grouped import strong
from covey.measure.attacks.study import Study
from covey.measure.kl import WORKLOADS, draw_workload, evaluate_workload
from covey.registry import methods
from covey.synth import quest
from ratios import cpu_seconds, data_dir, finish, report, with_random_sensitive

FIRST, SEEDS = int(os.environ.get("COVEY_BENCH_FIRST", "600")), int(os.environ.get("COVEY_BENCH_SEEDS", "5"))
#: What `matched` is compared with.
BASE = "cahd(merge=false)"
#: The most that each figure may be: KL relative to CAHD, uniform and by support; lifts of `strong` and `grey`; success
#: of `grey`. Where a goal is not reached yet, what is reached may not get worse, and the goal is told beside it.
LIMITS = {
    "bms-webview-1": {"uniform": 0.95, "support": 0.92, "strong": 1.15, "grey": 1.2},
    "bms-webview-2": {"uniform": 0.95, "support": 0.92, "strong": 1.15, "grey": 1.2},
    "retail": {"uniform": 1.0, "support": 0.9, "strong": 1.7, "grey, success": 0.23},
    "msweb": {"uniform": 0.95, "support": 0.94, "strong": 1.15},
    "groceries": {},
}
#: What is aimed for where it is not reached yet.
GOALS = {
    ("retail", "grey, success"): 0.2,
    ("msweb", "support"): 0.92,
}


def measure(data: covey.Baskets, seed: int, methods: Sequence[str]) -> dict[tuple[str, str], float]:
    """Every figure of some methods, for one draw of sensitive items."""
    marked = with_random_sensitive(data, 10, seed, p=10)
    asked = {w: draw_workload(marked, r=4, queries=1_000, workload=w, seed=seed) for w in WORKLOADS}
    found = {}
    for method in methods:
        release = covey.anonymize(marked, "degree(p=10)", method, seed=seed)
        for workload, queries in asked.items():
            found[method, workload] = evaluate_workload(release, marked, queries).mean
        study = Study(release, marked, seed)
        for attack in (strong, grey):
            result = attack(release, marked, seed=seed, study=study)
            found[method, attack.__name__] = result.success_rate
            found[method, "baseline"] = result.baseline
    return found


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """The mean over draws and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def tell(name: str, data: covey.Baskets, first: int, methods: Sequence[str]) -> dict[tuple[str, str], np.ndarray]:
    """Print the figures of some methods on one data set, and return them draw by draw."""
    draws = defaultdict(list)
    for seed in range(first, first + SEEDS):
        for key, value in measure(data, seed, (BASE, *methods)).items():
            draws[key].append(value)
    of = {key: np.array(values) for key, values in draws.items()}
    for method in (BASE, *methods):
        shares = (mean_and_error(of[method, what]) for what in ("baseline", "strong", "grey"))
        told = ", ".join(
            f"{what} {share:.1%} ± {error:.1%}"
            for what, (share, error) in zip(("baseline", "strong", "grey"), shares, strict=True)
        )
        for workload in WORKLOADS:
            base = of[BASE, workload]
            value = of[method, workload].mean() / base.mean()
            rest = of[method, workload] - value * base
            error = np.sqrt((rest**2).sum() / max(len(rest) * (len(rest) - 1), 1)) / base.mean()
            told += f"; KL {workload} {value:.3f} ± {error:.3f}"
        print(f"      {name}, {method}: {told}", flush=True)
    return of


def check(name: str, data: covey.Baskets) -> None:
    """Compare the figures of `matched` on one data set with the limits."""
    of = tell(name, data, FIRST, ["matched"])
    bar = np.maximum(of["matched", "baseline"], 0.1).mean()
    figures = {w: of["matched", w].mean() / of[BASE, w].mean() for w in WORKLOADS}
    figures |= {attack: of["matched", attack].mean() / bar for attack in ("strong", "grey")}
    figures["grey, success"] = of["matched", "grey"].mean()
    for what, value in figures.items():
        title = f"{name}, matched: {'KL / cahd, ' if what in WORKLOADS else ''}{what}"
        report(title, value, most=LIMITS[name].get(what), goal=GOALS.get((name, what)), unit="")


def check_merging(name: str, data: covey.Baskets) -> None:
    """Merging changes no estimate, by any method; degree and normal form are verified from files."""
    marked = with_random_sensitive(data, 10, FIRST, p=10)
    asked = draw_workload(marked, r=2, queries=100, workload="support", seed=FIRST)
    public, secret = marked.split()
    furthest, hold, able = 0.0, 0, methods(guarantee="degree", data=marked.kind)
    for entry in able:
        apart, merged = (
            covey.anonymize(marked, "degree(p=10)", entry.name, seed=FIRST, merge=merge) for merge in (False, True)
        )
        for s, items in zip(asked.sensitive, asked.items, strict=True):
            of = secret.items[s], {public.items[j] for j in items[items >= 0]}
            one, other = (release.estimate(of[0], present=of[1]).estimate for release in (apart, merged))
            furthest = max(furthest, abs(one - other) / max(abs(one), 1))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "release"
            covey.publish(marked, out, "degree(p=10)", entry.name, seed=FIRST)
            hold += covey.verify(out).holds
    report(f"{name}: largest change of an estimate by merging", furthest, most=1e-12, unit="")
    report(f"{name}: methods whose degree and normal form hold in the files", hold, least=len(able), unit="")


def check_time(retail: covey.Baskets) -> None:
    """Seconds on retail, and growth per entry on generated data."""
    marked = with_random_sensitive(retail, 10, FIRST, p=10)
    covey.anonymize(marked, "degree(p=10)", "matched", seed=0)
    took = cpu_seconds(lambda: covey.anonymize(marked, "degree(p=10)", "matched", seed=0), repeat=1)
    report("retail: matched, CPU", took, most=10, unit=" s")
    per_entry = []
    sizes = (100_000, 1_000_000, 3_000_000)
    for rows in sizes:
        data = with_random_sensitive(quest(transactions=rows, seed=1), 10, FIRST, p=10)
        took = cpu_seconds(lambda data=data: covey.anonymize(data, "degree(p=10)", "matched", seed=0), repeat=1)
        per_entry.append(took / data.entries)
    for rows, entry in zip(sizes[1:], per_entry[1:], strict=True):
        title = f"Quest, 0.1 to {rows / 1e6:g} million rows: growth of the time per entry"
        # Measured up to a million rows; beyond that it is a goal and no limit yet.
        report(title, entry / per_entry[0], most=1.3 if rows == sizes[1] else None, goal=1.3)


def main() -> None:
    """Print all figures."""
    folder = data_dir()
    for name in LIMITS:
        data = covey.read(folder / f"{name}.dat.gz")
        check(name, data)
        check_merging(name, data)
    check_time(covey.read(folder / "retail.dat.gz"))
    finish()


if __name__ == "__main__":
    main()
