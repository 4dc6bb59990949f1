"""Errors and attacks of every method for degree, of the orders of cahd, and of `--method auto`.

    COVEY_DATA=… python experiments/attacks.py RESULTS.csv [DRAWS]

Every release is one row of RESULTS.csv, written as soon as it is measured; what is there is not measured again, so that
the script can be stopped. Writes docs/experiments/attacks.csv, orders.csv, auto.csv and img/attacks.svg. `auto` takes
the release whose best attack is right least often among those with at most 1.1 times the smallest error; it chooses by
one division of the rows into known and attacked ones, and is judged by another.
"""

import sys
import time
from itertools import product
from pathlib import Path

from shared import TABLES, mark, mean, measured, read, shown, write

import covey
from covey.measure.kl import WORKLOADS, kl
from covey.report import charts

DATA = ("BMS1", "BMS2", "msweb", "groceries", "journey, households", "retail", "shop, customers")
METHODS = {
    "cahd, unmerged": "cahd(merge=false)",
    "cahd": "cahd",
    "cahd, Gray order": "cahd(order=gray)",
    "nearest": "nearest",
    "matched": "matched",
    "perm-mondrian": "perm-mondrian",
    "anatomy": "anatomy",
}
STRENGTHS, FIRST = (10, 4, 20), 800
ORDERS = ("cahd, Gray order", "nearest")
#: What `auto` chooses from.
CHOICE = ("matched", "cahd", "perm-mondrian", "nearest", "anatomy")
Rows = list[dict[str, str]]


def measure(data: str, p: int, draw: int, method: str) -> dict[str, object]:
    """Return errors, the best attack but grey, grey, and the baseline of one release; for `auto` another attack."""
    original = mark(read(data), draw)
    started = time.process_time()
    release = covey.anonymize(original, f"degree(p={p})", METHODS[method], seed=draw)
    seconds = time.process_time() - started
    asked = {"r": 4, "queries": 500, "seed": draw}
    errors = {f"kl {one}": kl(release, original, workload=one, **asked).mean for one in WORKLOADS}
    found = {one.attack: one for one in covey.attack(release, original, seed=draw).results if one.attack != "linkage"}
    grey = found.pop("grey")
    best = max(found.values(), key=lambda one: one.success_rate)
    right = {"attack": best.attack, "right": best.success_rate, "grey": grey.success_rate}
    again = covey.attack(release, original, seed=draw + 1000).results if p == 10 and method in CHOICE else []
    chosen_by = max((one.success_rate for one in again), default=float("nan"))
    return {**errors, **right, "baseline": grey.baseline or 0.0, "chosen by": chosen_by, "seconds": seconds}


def of(rows: Rows, data: str, p: int, method: str) -> Rows:
    """Return the rows of one method, by draw, as far as all methods were measured on the draw."""
    mine = [row for row in rows if (row["data"], row["p"]) == (data, str(p))]
    whole = {row["draw"] for row in mine}
    for name in METHODS:
        whole &= {row["draw"] for row in mine if row["method"] == name}
    return sorted((r for r in mine if r["method"] == method and r["draw"] in whole), key=lambda row: row["draw"])


def relative(rows: Rows, data: str, p: int, method: str, workload: str) -> list[float]:
    """Return errors relative to those of cahd as in the paper."""
    pairs = zip(of(rows, data, p, method), of(rows, data, p, "cahd, unmerged"), strict=True)
    return [float(one[f"kl {workload}"]) / float(base[f"kl {workload}"]) for one, base in pairs]


def write_tables(rows: Rows) -> None:
    """Write both tables."""
    lines, orders = [], []
    for data, p in product(DATA, sorted(STRENGTHS)):
        for method in METHODS:
            mine = of(rows, data, p, method)
            if mine:
                errors = [shown(relative(rows, data, p, method, one)) for one in WORKLOADS]
                rates = {name: [100 * float(row[name]) for row in mine] for name in ("right", "grey", "baseline")}
                best = max(rates["right"], rates["grey"], key=lambda found: mean(found)[0])
                lift = mean(best)[0] / max(mean(rates["baseline"])[0], 100 / p)
                attack = " ".join(sorted({row["attack"] for row in mine}))
                right = [shown(found, 1) for found in (rates["right"], rates["grey"], best, rates["baseline"])]
                lines.append((data, p, method, len(mine), *errors, attack, *right, f"{lift:.2f}"))
        if of(rows, data, p, "cahd") and p != 20:
            cells = (" / ".join(shown(relative(rows, data, p, one, w)) for w in WORKLOADS) for one in ORDERS)
            orders.append((data, p, *cells))
    heads = ("data", "p", "method", "draws", *(f"KL {one}" for one in WORKLOADS), "best attack but grey")
    write("attacks", (*heads, "right in %", "grey in %", "best in %", "baseline in %", "lift"), lines, keys=3)
    write("orders", ("data", "p", *ORDERS), orders, keys=2)


def write_auto(rows: Rows) -> None:
    """Write what `auto` would choose at p = 10 beside what it chooses from."""
    table = []
    for data in DATA:
        tried = {method: of(rows, data, 10, method) for method in CHOICE}
        tried["auto"] = []
        for several in zip(*(tried[method] for method in CHOICE), strict=True):
            limit = 1.1 * min(float(row["kl support"]) for row in several)
            near = [row for row in several if float(row["kl support"]) <= limit]
            seconds = sum(float(row["seconds"]) for row in several)
            tried["auto"].append({**min(near, key=lambda row: float(row["chosen by"])), "seconds": str(seconds)})
        for method, mine in tried.items():
            right = shown((100 * max(float(row["right"]), float(row["grey"])) for row in mine), 1)
            baseline = shown((100 * float(row["baseline"]) for row in mine), 1)
            kl, seconds = (shown((float(row[what]) for row in mine), 3) for what in ("kl support", "seconds"))
            took = " ".join(sorted({row["method"] for row in mine})) if method == "auto" else ""
            table.append((data, method, len(mine), right, baseline, kl, seconds, took))
    rates = ("best attack right in %", "baseline %")
    write("auto", ("data", "method", "draws", *rates, "KL by support", "CPU s to make", "took"), table, keys=2)


def draw(rows: Rows) -> None:
    """Draw errors against the best attack, a panel for each data set, at p = 10."""
    figure, panels = charts.new_figure(3, 2, width=3.4, height=2.6)
    with charts.styled():
        for axis, data in zip([one for line in panels for one in line], DATA[:6], strict=True):
            for method in METHODS:
                mine = of(rows, data, 10, method)
                if mine:
                    colour, marker = charts.look_of(METHODS[method])
                    filled = "none" if method != METHODS[method] else colour
                    x = mean(relative(rows, data, 10, method, "uniform"))[0]
                    y = mean(max(float(row["right"]), float(row["grey"])) for row in mine)[0]
                    axis.plot(x, 100 * y, marker, color=colour, markerfacecolor=filled, label=method)
            axis.set(
                title=f"{data}, p = 10", xlabel="KL, relative to cahd", ylabel="best attack right (%)", ylim=(0, None)
            )
        figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    charts.save_plot(figure, TABLES / "img" / "attacks.svg", force=True)


if __name__ == "__main__":
    draws = range(FIRST, FIRST + (int(sys.argv[2]) if len(sys.argv) > 2 else 5))
    cells = product(draws, STRENGTHS, DATA, METHODS)
    known = measured(Path(sys.argv[1]), ({"data": d, "p": p, "draw": n, "method": m} for n, p, d, m in cells), measure)
    write_tables(known)
    write_auto(known)
    draw(known)
