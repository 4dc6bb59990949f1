"""Two releases about overlapping people: what they tell together, made freely and made with `like`.

Every data set is published twice, the second time without a fifth of the people and with as many others, p = 10 and ten
sensitive items drawn uniformly; a row is a person. `like` has no options, so no draw was used for tuning. Adult is
published twice as a table with at least ten people in each class, also with nobody leaving.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

import covey
from bench_tables import NINE, adult
from covey.data.persons import digests_of_rows
from covey.measure.attacks.composition import compose
from covey.measure.kl import WORKLOADS, kl
from covey.measure.loss import gcp_table
from ratios import data_dir, finish, report, with_random_sensitive

FIRST, SEEDS = int(os.environ.get("COVEY_BENCH_FIRST", "200")), int(os.environ.get("COVEY_BENCH_SEEDS", "3"))
METHODS = ("cahd", "matched")
#: What both releases tell together with `like`, relative to what the first tells alone, at most. In BMS-WebView-1 half
#: of the baskets have a single item, so that whoever leaves a group is missed more.
LIMITS = {"bms-webview-1": 1.6, "bms-webview-2": 1.25, "msweb": 1.4, "retail": 1.15}
#: The share of people who leave; and how often people are found with `like` who share both classes of two tables,
#: relative to classes made freely, at most.
TABLES, TABLE_LIMITS = ("mondrian", "hilbert", "pattern-ka"), {0.2: 0.95, 0.0: 0.9}


def months(data: Any, seed: int, leave: float = 0.2) -> tuple[Any, Any]:
    """Two data sets: a fifth of the people come for the second, and some leave."""
    everybody = np.arange(data.n)
    named = replace(data, person=everybody.astype(np.int32), names=digests_of_rows(everybody.tolist()))
    place = np.random.default_rng(seed).random(data.n)
    return named.take(np.flatnonzero(place < 0.8)), named.take(np.flatnonzero(place >= leave))


def measure(data: covey.Baskets, method: str, seed: int) -> dict[str, float]:
    """What one draw gives."""
    june, july = months(with_random_sensitive(data, 10, seed, p=12), seed)
    first = covey.anonymize(june, "degree(p=10)", method, seed=seed)
    found = {}
    for how, like in (("freely", {}), ("like", {"like": first, "like_original": june})):
        second = covey.anonymize(july, "degree(p=10)", method, seed=seed + 1, **like)
        told = compose(first, june, second, july)[1]
        found |= {"alone": told.chance, how: told.success_rate}
        found |= {f"KL {how}, {w}": kl(second, july, r=4, queries=500, workload=w, seed=seed).mean for w in WORKLOADS}
    return found


def measure_table(data: covey.Table, method: str, seed: int, leave: float) -> dict[str, float]:
    """What one draw gives of a table."""
    june, july = months(data, seed, leave)
    first = covey.anonymize(june, "k-anonymity(k=10)", method, seed=seed)
    found = {}
    for how, like in (("freely", {}), ("like", {"like": first, "like_original": june})):
        second = covey.anonymize(july, "k-anonymity(k=10)", method, seed=seed + 1, **like)
        company = compose(first, june, second, july)[0]
        found |= {"alone": company.chance, how: company.success_rate}
        found[f"GCP {how}"] = gcp_table(second, july).gcp
    return found


def check_tables(data: covey.Table) -> None:
    """Print the figures of tables."""
    for leave, most in TABLE_LIMITS.items():
        for method in TABLES:
            draws = [measure_table(data, method, seed, leave) for seed in range(FIRST, FIRST + SEEDS)]
            mean = {key: float(np.mean([draw[key] for draw in draws])) for key in draws[0]}
            error = {key: float(np.std([draw[key] for draw in draws], ddof=1) / np.sqrt(len(draws))) for key in mean}
            told = ", ".join(f"{key} {mean[key]:.1%} ± {error[key]:.1%}" for key in mean)
            print(f"      Adult, {leave:.0%} leave, {method}: {told}", flush=True)
            title = f"Adult, {leave:.0%} leave, {method}: people found with like, relative to made freely"
            report(title, mean["like"] / mean["freely"], most=most)


def main() -> None:
    """Print all figures."""
    folder = data_dir()
    check_tables(adult(folder, NINE))
    for name in LIMITS:
        data = covey.read(folder / f"{name}.dat.gz")
        for method in METHODS:
            draws = defaultdict(list)
            for seed in range(FIRST, FIRST + SEEDS):
                for key, value in measure(data, method, seed).items():
                    draws[key].append(value)
            mean = {key: float(np.mean(values)) for key, values in draws.items()}
            error = {key: float(np.std(values, ddof=1) / np.sqrt(len(values))) for key, values in draws.items()}
            told = ", ".join(f"{key} {mean[key]:.1%} ± {error[key]:.1%}" for key in ("alone", "freely", "like"))
            kls = "; ".join(
                f"KL like / freely, {w} {mean[f'KL like, {w}'] / mean[f'KL freely, {w}']:.2f}" for w in WORKLOADS
            )
            print(f"      {name}, {method}: {told}; {kls}", flush=True)
            report(
                f"{name}, {method}: with like, relative to one release alone",
                mean["like"] / mean["alone"],
                most=LIMITS[name],
            )
    finish()


if __name__ == "__main__":
    main()
