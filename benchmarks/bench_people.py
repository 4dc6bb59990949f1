"""What recipients, attackers and persons get, on real data: draws, two releases together, persons with several rows.

- `recipients`: the mean over 20 draws of each of 25 counts beside `estimate`; p = 10, ten random sensitive items, all
  methods for `degree`.
- `composition`: every data set is published twice, the second time without a fifth of the people and with as many
  others, freely and with `like`. A row is a person.
- `persons`: groups of persons beside groups of rows, for estimates and time.

No figure here was used to tune a method.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import covey
from bench_rivals import NINE, adult
from covey.data.persons import digests_of_rows
from covey.measure.kl import WORKLOADS, kl
from covey.measure.loss import gcp_table
from covey.registry import METHODS
from covey.synth import shop
from covey.synth.journey import complete_journey
from ratios import SEEDS, baskets, cpu_seconds, main, report, scaled, with_random_sensitive

FIRST, DRAWS, COUNTS = 200, 20, 25
#: What both releases tell together with `like`, relative to what the first tells alone, at most. In BMS-WebView-1 half
#: of the baskets have a single item, so that whoever leaves a group is missed more.
TOGETHER = {"bms-webview-1": 1.6, "bms-webview-2": 1.25, "msweb": 1.4, "retail": 1.15}
#: By the share of people who leave: how often people who share both classes of two tables are found with `like`,
#: relative to classes made freely, at most.
FOUND = {0.2: 0.95, 0.0: 0.9}


def recipients() -> None:
    """Compare draws with `estimate`."""
    for name in (*TOGETHER, "groceries", "complete journey"):
        marked = with_random_sensitive(baskets(name), 10, FIRST, p=10)
        for method in METHODS:
            if "degree" in method.guarantees and method.data == "baskets":
                compare_draws(
                    f"{name}, {method.name}", covey.anonymize(marked, "degree(p=10)", method.name, seed=FIRST)
                )


def compare_draws(name: str, release: Any) -> None:
    """Compare the means of counts over draws of a release with their estimates."""
    rng, supports = np.random.default_rng(FIRST), release.transactions.supports()
    questions: list[tuple[int, int, Any]] = []
    while len(questions) < COUNTS:
        secret = int(rng.integers(len(release.sensitive_items)))
        item = int(rng.choice(len(supports), p=supports / supports.sum()))
        answer = release.estimate(release.sensitive_items[secret], present=[release.transactions.items[item]])
        if answer.standard_error > 0:
            questions.append((secret, item, answer))
    counts = np.empty((DRAWS, COUNTS))
    for draw in range(DRAWS):
        drawn = release.draw(draw)
        columns, place = drawn.to_scipy().tocsc(), {item: i for i, item in enumerate(drawn.items)}
        for at, (secret, item, _) in enumerate(questions):
            names = release.sensitive_items[secret], release.transactions.items[item]
            held, ordinary = (columns[:, [place[name]]] for name in names)
            counts[draw, at] = held.multiply(ordinary).nnz
    estimate, error, lower, upper = (
        np.array([getattr(answer, what) for *_, answer in questions])
        for what in ("estimate", "standard_error", "lower", "upper")
    )
    assert ((lower <= counts) & (counts <= upper)).all(), "a draw is outside the bounds"
    away = np.abs(counts.mean(0) - estimate) / (error / np.sqrt(DRAWS))
    total = counts.sum(1)
    whole = abs(total.mean() - estimate.sum()) / (total.std(ddof=1) / np.sqrt(DRAWS))
    # Chance alone keeps 95 % within two standard errors.
    report(f"{name}, counts within two standard errors", 100 * float((away <= 2).mean()), least=80, unit=" %")
    report(f"{name}, worst count", float(away.max()), most=4, unit=" standard errors")
    report(f"{name}, all counts together", float(whole), most=3, unit=" standard errors")


def composition() -> None:
    """Attack two releases about overlapping people, the second made freely and with `like`."""
    table = adult(NINE)
    for leave, most in FOUND.items():
        for method in ("mondrian", "hilbert", "pattern-ka"):
            mean, note = over_draws(lambda seed, m=method, share=leave: two_releases(table, m, seed, share))  # type: ignore[misc]
            title = f"Adult, {leave:.0%} leave, {method}: people found with"
            report(f"{title} like, relative to made freely", mean["like"] / mean["freely"], most=most, note=note)
    for name, most in TOGETHER.items():
        data = baskets(name)
        for method in ("cahd", "matched"):
            mean, note = over_draws(lambda seed, d=data, m=method: two_releases(d, m, seed, 0.2))  # type: ignore[misc]
            title = f"{name}, {method}: with like, relative to one release alone"
            report(title, mean["like"] / mean["alone"], most=most, note=note)
            report(f"{name}, {method}: made freely, relative to one release alone", mean["freely"] / mean["alone"])


def two_releases(data: Any, method: str, seed: int, leave: float) -> dict[str, float]:
    """Return how often people are found in one draw, and the error of the second release."""
    is_table = isinstance(data, covey.Table)
    guarantee = "k-anonymity(k=10)" if is_table else "degree(p=10)"
    everybody = np.arange(data.n)
    marked = data if is_table else with_random_sensitive(data, 10, seed, p=12)
    named = replace(marked, person=everybody.astype(np.int32), names=digests_of_rows(everybody.tolist()))
    place = np.random.default_rng(seed).random(data.n)
    june, july = named.take(np.flatnonzero(place < 0.8)), named.take(np.flatnonzero(place >= leave))
    first = covey.anonymize(june, guarantee, method, seed=seed)
    found = {}
    for how, like in (("freely", None), ("like", first)):
        second = covey.anonymize(july, guarantee, method, seed=seed + 1, like=like)
        attack = covey.attack(first, june, with_=second, with_original=july).results[0 if is_table else 1]
        found |= {"alone": attack.chance, how: attack.success_rate}
        if is_table:
            found[f"GCP {how}"] = gcp_table(second, july).gcp
        else:
            errors = {f"KL {how}, {w}": kl(second, july, r=4, queries=500, workload=w, seed=seed) for w in WORKLOADS}
            found |= {what: error.mean for what, error in errors.items()}
    return found


def over_draws(measure: Callable[[int], dict[str, float]]) -> tuple[dict[str, float], str]:
    """Return the means over draws, and as text with standard errors."""
    draws = defaultdict(list)
    for seed in range(FIRST, FIRST + SEEDS):
        for what, value in measure(seed).items():
            draws[what].append(value)
    mean = {what: float(np.mean(values)) for what, values in draws.items()}
    error = {what: float(np.std(values) / np.sqrt(max(len(values) - 1, 1))) for what, values in draws.items()}
    return mean, ", ".join(f"{what} {mean[what]:.3f} ± {error[what]:.3f}" for what in mean)


def persons() -> None:
    """Compare `cahd` at p = 5 by person and by row."""
    households = complete_journey(households=True)
    for name, make in (
        ("complete journey, households", lambda seed: households),
        ("generated shop", lambda seed: shop(transactions=scaled(60_000), customers=scaled(6_000), seed=seed).baskets),
    ):
        mean, note = over_draws(lambda seed, make=make: by_person_and_row(make(seed), seed))  # type: ignore[misc]
        for workload in WORKLOADS:
            ratio = mean[f"KL {workload}, persons"] / mean[f"KL {workload}, rows"]
            report(f"{name}: KL {workload}, persons / rows", ratio, note=note)
        report(f"{name}: CPU time, persons / rows", mean["time, persons"] / mean["time, rows"], most=1.5)


def by_person_and_row(data: covey.Baskets, seed: int) -> dict[str, float]:
    """Return groups, errors and CPU seconds of one draw."""
    found: dict[str, float] = {}
    for unit, protected in (("persons", data), ("rows", replace(data, person=None))):
        release = covey.anonymize(protected, "degree(p=5)", "cahd(merge=false)", seed=seed)
        found[f"groups of {unit}"] = release.groups
        for workload in WORKLOADS:
            error = kl(release, protected, r=4, queries=200, workload=workload, seed=seed)
            found[f"KL {workload}, {unit}"] = error.mean
        found[f"time, {unit}"] = cpu_seconds(lambda d=protected: covey.anonymize(d, "degree(p=5)", "cahd", seed=seed))  # type: ignore[misc]
    return found


PARTS = {"recipients": recipients, "composition": composition, "persons": persons}

if __name__ == "__main__":
    main(PARTS)
