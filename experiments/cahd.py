"""The evaluation of the CAHD paper (Ghinita, Tao, Kalnis, ICDE 2008, section V), on the same data.

    COVEY_DATA=… python experiments/cahd.py [SEEDS]

COVEY_DATA names a directory with bms-webview-1.dat.gz and bms-webview-2.dat.gz. The paper asks 100 queries per setting;
here each point is the mean of SEEDS runs (5) of 500, each with sensitive items of its own. The paper publishes every
group by itself: merge=false. Writes docs/experiments/cahd-*.csv and the pictures of the same names.
"""

import sys
from functools import cache, lru_cache
from itertools import product

import numpy as np
from shared import BMS, TABLES, curves, mark, mean, read, seconds, write

import covey
from covey.measure.kl import kl
from covey.methods.ordering import band_order
from covey.report import charts

SEEDS = range(1, 1 + (int(sys.argv[1]) if len(sys.argv) > 1 else 5))
CAHD, PM = "cahd(merge=false)", "perm-mondrian(merge=false)"


@lru_cache(maxsize=4)
def marked(data: str, m: int, seed: int) -> covey.Baskets:
    """Return a data set with m sensitive items."""
    return mark(read(data), seed, m)


@lru_cache(maxsize=4)
def release(data: str, m: int, seed: int, method: str, p: int) -> covey.GroupedRelease:
    """Return a release."""
    return covey.anonymize(marked(data, m, seed), f"degree(p={p})", method, seed=seed)


@cache
def error(data: str, m: int, seed: int, method: str, p: int, r: int = 4, workload: str = "uniform") -> float:
    """Return the mean KL error of a release."""
    queries = 1000 if workload == "support" else 500
    asked = {"r": r, "queries": queries, "workload": workload, "seed": seed}
    return kl(release(data, m, seed, method, p), marked(data, m, seed), **asked).mean


def ratios(data: str, method: str, places: list[dict[str, int]], **more: str) -> list[list[float]]:
    """Return the error of a method relative to PM's at each place, for each seed."""
    return [
        [error(data, seed=s, method=method, **at, **more) / error(data, seed=s, method=PM, **at, **more) for s in SEEDS]
        for at in places
    ]


def table2() -> None:
    """Write how likely a basket is found by known items, which the paper calls re-identification."""
    paper = {"BMS1": ("0.3 %", "9.5 %", "24.3 %", "50.0 %"), "BMS2": ("0.8 %", "18.8 %", "41.6 %", "91.1 %")}
    rows = []
    for data in BMS:
        risk = [covey.inspect(read(data), known=4, seed=seed)["risk"] for seed in SEEDS]
        found = [mean(run[known]["risk"] for run in risk) for known in range(4)]
        rows += [(f"{data}, paper", *paper[data]), (f"{data}, covey", *(f"{100 * value:.1f} %" for value, _ in found))]
    write("cahd-table2", ("known items", 1, 2, 3, 4), rows)


def fig6() -> None:
    """Draw generated matrices as they come and in band order."""
    given = {"transactions": 1000, "items": 1000, "mean_length": 20, "patterns": 80, "pattern_length": 6, "seed": 4}
    figure, panels = charts.new_figure(3, 2, width=3.4, height=3.1)
    with charts.styled():
        for line, correlation in zip(panels, (0.1, 0.5, 0.9), strict=True):
            baskets = covey.synth.quest(**given, correlation=correlation)
            row, place = np.repeat(np.arange(baskets.n), baskets.lengths()), np.empty(baskets.n, np.int64)
            place[band_order(baskets)] = np.arange(baskets.n)
            # Columns follow the mean place of the rows that hold them.
            middle = np.bincount(baskets.indices, place[row], baskets.d) / np.maximum(baskets.supports(), 1)
            column = np.argsort(np.argsort(middle))
            for axis, x, y, title in (
                (line[0], baskets.indices, row, f"correlation {correlation}, as it comes"),
                (line[1], column[baskets.indices], place[row], "in band order"),
            ):
                axis.hist2d(x, y, bins=200, cmap="Blues", vmax=4, rasterized=True)
                axis.set(title=title, xlabel="items", ylabel="transactions")
                axis.invert_yaxis()
                axis.grid(False)
    charts.save_plot(figure, TABLES / "img" / "cahd-fig6.svg", force=True)
    charts.save_plot(figure, TABLES.parent / "img" / "band.png", force=True)


def errors() -> None:
    """Write the errors against p, the number of sensitive items and the number of queried items."""
    strengths, counts, items = (4, 8, 12, 16, 20), (5, 10, 15, 20), (2, 3, 4, 5, 6, 7, 8)
    fig9 = {f"{d}, m = {m}": ratios(d, CAHD, [{"m": m, "p": p} for p in strengths]) for d, m in product(BMS, (10, 20))}
    curves("cahd-fig9", "ratio of mean KL, CAHD to PM, p", strengths, fig9)
    fig10 = {f"{d}, p = {p}": ratios(d, CAHD, [{"m": m, "p": p} for m in counts]) for d, p in product(BMS, (10, 20))}
    curves("cahd-fig10", "ratio of mean KL, CAHD to PM, m", counts, fig10)
    fig11 = {
        f"{d}, p = {p}": ratios(d, CAHD, [{"m": 10, "p": p, "r": r} for r in items]) for d, p in product(BMS, (10, 20))
    }
    curves("cahd-fig11", "ratio of mean KL, CAHD to PM, r", items, fig11)
    alphas = (1, 2, 3, 4, 5)
    fig13 = {
        f"BMS2, p = {p}": [[error("BMS2", 10, s, f"cahd(alpha={a}, merge=false)", p) for s in SEEDS] for a in alphas]
        for p in (10, 20)
    }
    curves("cahd-fig13", "mean KL in nats, alpha", alphas, fig13, digits=3)
    frequent = {
        f"{d}, {method}": ratios(
            d, f"{method}(merge=false)", [{"m": 10, "p": p} for p in (4, 10, 20)], workload="support"
        )
        for d, method in product(BMS, ("cahd", "anatomy"))
    }
    curves("cahd-workload", "ratio of mean KL to PM, items drawn by support, p", (4, 10, 20), frequent)


def fig12() -> None:
    """Write the CPU time against p, with 20 sensitive items."""
    strengths = (4, 8, 12, 16, 20)
    found = {
        f"{data}, {name}": [
            [seconds(lambda d=data, m=method, p=p: covey.anonymize(marked(d, 20, 1), f"degree(p={p})", m, seed=1))]
            for p in strengths
        ]
        for data, (name, method) in product(BMS, (("CAHD with ordering", CAHD), ("PM", PM)))
    }
    curves("cahd-fig12", "CPU seconds, p", strengths, found)


if __name__ == "__main__":
    for part in (table2, fig6, errors, fig12):
        part()
