"""Compare label-dp with groups at p = 10, and write docs/experiments/label_dp.csv and label_dp-shop.csv.

    COVEY_DATA=… python experiments/label_dp.py RESULTS.csv [DRAWS]

Every measurement is one row of RESULTS.csv, written as soon as it is made; what is there is not measured again. Errors
are relative to those of CAHD for the same ten sensitive items. The draws are none that the method was developed on.
"""

import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from shared import QUICK, measured, read, scaled, shown, write

import covey
from covey.measure.kl import WORKLOADS, kl
from covey.measure.model import coverage
from covey.measure.model import kl as model_kl

DATA = ("groceries", "msweb", "BMS1", "BMS2", "shop of 50,000", "retail")
#: Sensitive items have at least so many holders, and at most a tenth of the baskets.
FREQUENT, RARE = {"groceries": 100}, 20
EPSILONS, NOISE = ("1", "0.5", "2", "4"), 3
FIRST, QUERIES = 31, 400
#: A sensitive item, and an ordinary one that gives it away.
TELLTALE = ("pregnancy test", "folic acid")
BESIDE = {"degree(p=10)": "matched(seed=1)", "label-dp(epsilon=1)": "noisy-model(insecure_seed=1)"}


def original(data: str, draw: int, secrets: str) -> covey.Baskets:
    """Return a data set with ten items marked as sensitive."""
    baskets = read(data)
    supports = baskets.supports()
    least = RARE if secrets == "any" or QUICK else FREQUENT.get(data, 300)
    able = np.flatnonzero((supports >= least) & (10 * supports <= baskets.n))
    drawn = np.random.default_rng(draw).choice(able, min(10, len(able)), replace=False)
    return baskets.with_sensitive([baskets.items[item] for item in drawn])


def measure(data: str, draw: int, secrets: str, method: str, noise: int) -> dict[str, float]:
    """Make a release, and measure its errors, CPU seconds and, of label-dp, how often answers are close."""
    baskets, started = original(data, draw, secrets), time.process_time()
    if method in ("cahd", "matched"):
        release = covey.anonymize(baskets, "degree(p=10)", method, seed=draw)
        seconds = time.process_time() - started
        found = {each: kl(release, baskets, workload=each, queries=QUERIES).mean for each in WORKLOADS}
        return {**found, "seconds": seconds, "within": float("nan")}
    promise = covey.guarantee(f"label-dp(epsilon={method})")
    release = covey.method("noisy-model").anonymize(baskets, promise)  # with noise of its own every time
    seconds = time.process_time() - started
    found = {each: model_kl(release, baskets, workload=each, queries=QUERIES).mean for each in WORKLOADS}
    asked = coverage(release, baskets, each=10, seed=noise) if (method, noise) == ("1", 0) else []
    within = [one["within"] for one in asked if one["questions"]] or [float("nan")]
    return {**found, "seconds": seconds, "within": float(np.mean(within))}


def telltale() -> None:
    """Write how a telltale item shows in generated shops: estimates beside the truth, and the best attacks."""
    table = []
    for rows in (scaled(5_000), scaled(20_000), scaled(50_000)):
        shop = covey.synth.shop(transactions=rows, seed=1).baskets
        secret, ordinary = (shop.to_scipy()[:, [shop.items.index(item)]] for item in TELLTALE)
        cells: list[object] = [rows, secret.nnz, secret.multiply(ordinary).nnz]
        for guarantee, method in BESIDE.items():
            release = covey.anonymize(shop, guarantee, method)
            answer = release.estimate(TELLTALE[0], present=[TELLTALE[1]])
            best = max(covey.attack(release, shop, seed=1).results, key=lambda one: one.success_rate)
            right = f"{100 * best.success_rate:.0f}", f"{100 * (best.baseline or 0):.0f}"
            cells += [f"{answer.estimate:.0f} ± {answer.standard_error:.0f}", *right]
        table.append(cells)
    heads = ["baskets", "holders", "truth"]
    for name in BESIDE:
        heads += [name, f"{name}: best attack right in %", f"{name}: baseline in %"]
    write("label_dp-shop", heads, table)


def cells(draws: int) -> Iterator[dict[str, Any]]:
    """Yield what to measure, the most telling first."""
    first = [("cahd", 0), ("1", 0)]
    rest = [("matched", 0), *(("1", noise) for noise in range(1, NOISE)), *((each, 0) for each in EPSILONS[1:])]
    for secrets, methods in product(("frequent", "any"), (first, rest)):
        for draw, data, (method, noise) in product(range(FIRST, FIRST + draws), DATA, methods):
            yield {"data": data, "draw": draw, "secrets": secrets, "method": method, "noise": noise}


def main(results: Path, number: int) -> None:
    """Measure what is missing, and write the table."""
    rows = measured(results, cells(number), measure)
    base = {(row["data"], row["draw"], row["secrets"]): row for row in rows if row["method"] == "cahd"}
    table: list[tuple[object, ...]] = []
    for secrets, method in product(("frequent", "any"), ("matched", "0.5", "1", "2", "4")):
        name = method if method == "matched" else f"label-dp({method})"
        errors = []
        for data in DATA:
            mine = [row for row in rows if (row["data"], row["secrets"], row["method"]) == (data, secrets, method)]
            if not mine:
                continue
            draws = sorted({row["draw"] for row in mine})
            relative = {
                each: [
                    np.mean([float(row[each]) for row in mine if row["draw"] == draw])
                    / float(base[data, draw, secrets][each])
                    for draw in draws
                ]
                for each in WORKLOADS
            }
            errors.append([np.mean(relative[each]) for each in WORKLOADS])
            within = shown(float(row["within"]) for row in mine if row["within"] != "nan")
            seconds = shown((float(row["seconds"]) for row in mine), 1)
            figures = (*map(shown, relative.values()), within, seconds)
            table.append((secrets, name, data, len(draws), len(mine), *figures))
        if len(errors) == len(DATA):
            middle = np.exp(np.log(errors).mean(axis=0))
            table.append((secrets, name, "geometric mean", "", "", *(f"{one:.2f}" for one in middle), "", ""))
    kinds = ("sensitive items", "release", "data", "draws", "releases")
    write("label_dp", (*kinds, "KL uniform", "KL by support", "within 2 SE", "CPU s"), table, keys=3)


if __name__ == "__main__":
    telltale()
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
