"""Measure errors and attacks of every method for degree, and write docs/experiments/attacks.md and its pictures.

    COVEY_DATA=… python tools/attack_experiment.py results/attacks [--minutes N]

Every release is one cell, kept under results/attacks/cells as soon as it is measured; what is there is not measured
again. With --minutes no new cell is begun after that time, and the page tells how many draws each mean is of.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import covey
from covey.compare.cells import Store
from covey.compare.sources import draw_sensitive
from covey.compare.style import COLOURS, MARKERS, encode, new_figure, styled
from covey.io.baskets.journey import complete_journey
from covey.measure.attacks import ATTACKS, attacked
from covey.measure.attacks.study import Study
from covey.measure.kl import WORKLOADS, kl

ROOT = Path(__file__).parents[1]
PAGE, PICTURE = ROOT / "docs/experiments/attacks.md", ROOT / "docs/experiments/img/attacks.svg"
TABLES = re.compile(r"(<!-- tables -->\n).*?(<!-- end of tables -->\n)", re.DOTALL)

DATA = {
    "bms-webview-1": "BMS-WebView-1",
    "bms-webview-2": "BMS-WebView-2",
    "msweb": "msweb",
    "groceries": "groceries",
    "journey": "complete journey, households",
    "retail": "retail",
}
METHODS = {
    "cahd, unmerged": "cahd(merge=false)",
    "cahd": "cahd",
    "cahd, Gray order": "cahd(order=gray)",
    "nearest": "nearest",
    "matched": "matched",
    "perm-mondrian": "perm-mondrian",
    "anatomy": "anatomy",
}
STRENGTHS = (10, 4, 20)
DRAWS = tuple(range(800, 805))
SENSITIVE, KNOWN, QUERIES = 10, 4, 500


class Cell(NamedTuple):
    """One release: which data, how strong a promise, which draw of sensitive items, which method."""

    data: str
    p: int
    draw: int
    method: str

    @property
    def key(self) -> str:
        """Where its figures are kept."""
        return f"{self.data}-p{self.p}-{self.draw}-{re.sub(r'[^a-z]+', '-', METHODS[self.method])}".strip("-")


def cells() -> Iterator[Cell]:
    """All cells, draw by draw, so that wherever one stops there is as much to compare as can be."""
    for draw, p, data, method in product(DRAWS, STRENGTHS, DATA, METHODS):
        yield Cell(data, p, draw, method)


def measure(cell: Cell, data: covey.Baskets) -> dict[str, dict[str, Any]]:
    """The errors, what each attack achieves, and the floor."""
    marked = draw_sensitive(data, random=SENSITIVE, seed=cell.draw)
    release = covey.anonymize(marked, f"degree(p={cell.p})", METHODS[cell.method], seed=cell.draw)
    found = {
        f"kl {workload}": kl(release, marked, r=KNOWN, queries=QUERIES, workload=workload, seed=cell.draw).mean
        for workload in WORKLOADS
    }
    seen, people = attacked(release, marked)
    study = Study(seen, people, cell.draw)
    for name, attack in ATTACKS[release.kind].items():
        if name != "linkage":  # it looks for random people, not for holders
            found[name] = attack(seen, people, seed=cell.draw, study=study).success_rate
    found["floor"] = study.floor
    return {name: {"value": value} for name, value in found.items()}


def read(name: str) -> covey.Baskets:
    """A data set by its name."""
    if name == "journey":
        return complete_journey(households=True)
    return covey.read(Path(os.environ["COVEY_DATA"]) / f"{name}.dat.gz")


def run(store: Store, minutes: float) -> None:
    """Measure what is not known yet."""
    end, read_already = time.monotonic() + 60 * minutes, {}
    for cell in cells():
        if store.get(cell.key) or time.monotonic() > end:
            continue
        if cell.data not in read_already:
            read_already[cell.data] = read(cell.data)
        store.put(cell.key, measure(cell, read_already[cell.data]))
        print(cell.key, flush=True)


class Row(NamedTuple):
    """The means over the draws of one method at one point, each with its standard error."""

    method: str
    draws: int
    kl: dict[str, tuple[float, float]]
    attack: str
    best: tuple[float, float]
    grey: tuple[float, float]
    floor: float

    @property
    def risk(self) -> tuple[float, float]:
        """What attackers achieve: the better of `grey` and the best of the others."""
        return self.grey if self.grey[0] > self.best[0] else self.best


def summarize(store: Store, data: str, p: int) -> list[Row]:
    """The rows of all methods on the draws that all of them were measured on; KL relative to unmerged cahd."""
    known = {
        (m, d): {name: figure["value"] for name, figure in store.get(Cell(data, p, d, m).key).items()}
        for m in METHODS
        for d in DRAWS
    }
    draws = [d for d in DRAWS if all(known[m, d] for m in METHODS)]
    rows, base = [], next(iter(METHODS))
    for method in METHODS if draws else ():
        of = {d: known[method, d] for d in draws}
        others = [name for name in of[draws[0]] if not name.startswith("kl ") and name not in ("floor", "grey")]
        attack = max(others, key=lambda name: _mean([of[d][name] for d in draws])[0])
        rows.append(
            Row(
                method=method,
                draws=len(draws),
                kl={w: _mean([of[d][f"kl {w}"] / known[base, d][f"kl {w}"] for d in draws]) for w in WORKLOADS},
                attack=attack,
                best=_mean([of[d][attack] for d in draws]),
                grey=_mean([of[d]["grey"] for d in draws]),
                floor=_mean([of[d]["floor"] for d in draws])[0],
            )
        )
    return rows


def _mean(values: list[float]) -> tuple[float, float]:
    """The mean and its standard error; not a number where there are too few values."""
    if not values:
        return math.nan, math.nan
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return mean, math.nan
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def on_front(rows: list[Row], row: Row) -> bool:
    """Whether no other method has at most the same error, by uniform queries, and is attacked less."""
    return not any(other.kl["uniform"][0] <= row.kl["uniform"][0] and other.risk[0] < row.risk[0] for other in rows)


def tables(store: Store) -> str:
    """The tables of the page."""
    parts = []
    for p in sorted(STRENGTHS):
        parts.append(f"### p = {p}\n")
        for data, title in DATA.items():
            rows = summarize(store, data, p)
            if not rows:
                parts.append(f"{title}: not measured yet.\n")
                continue
            lines = [
                f"{title}; draws: {rows[0].draws}, floor {rows[0].floor:.1%}\n",
                "| method | KL uniform | KL by support | best attack but grey | right | grey | lift |",
                "|---|---|---|---|---|---|---|",
            ]
            for row in rows:
                name = f"**{row.method}**" if on_front(rows, row) else row.method
                kls = " | ".join(_told(*row.kl[w], digits=2) for w in WORKLOADS)
                lift = row.risk[0] / max(row.floor, 1 / p)
                shares = " | ".join(_told(100 * m, 100 * e, digits=1, unit=" %") for m, e in (row.best, row.grey))
                found, grey = shares.split(" | ")
                lines.append(f"| {name} | {kls} | {row.attack} | {found} | {grey} | {lift:.2f} |")
            parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _told(mean: float, error: float, *, digits: int, unit: str = "") -> str:
    if math.isnan(mean):
        return ""
    return f"{mean:.{digits}f}" + ("" if math.isnan(error) else f" ± {error:.{digits}f}") + unit


def draw(store: Store) -> bytes:
    """Error against the best attack, a panel for each data set and p."""
    figure, axes = new_figure(len(DATA), len(STRENGTHS), width=3.4, height=2.6)
    with styled():
        for line, (data, title) in zip(axes, DATA.items(), strict=True):
            for axis, p in zip(line, sorted(STRENGTHS), strict=True):
                for at, row in enumerate(summarize(store, data, p)):
                    (x, x_error), (y, y_error) = row.kl["uniform"], row.risk
                    axis.errorbar(
                        x,
                        100 * y,
                        xerr=None if math.isnan(x_error) else x_error,
                        yerr=None if math.isnan(y_error) else 100 * y_error,
                        label=row.method,
                        color=COLOURS[at],
                        marker=MARKERS[at],
                        linestyle="none",
                    )
                axis.set_title(f"{title}, p = {p}", fontsize=8)
                axis.set_xlabel("KL, relative to cahd")
                axis.set_ylabel("best attack, % right")
                axis.set_ylim(bottom=0)
        handles, names = max((a.get_legend_handles_labels() for a in axes.flat), key=lambda found: len(found[1]))
        figure.legend(handles, names, loc="outside lower center", ncols=4)
    return encode(figure, "svg")


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--minutes", type=float, default=math.inf)
    given = parser.parse_args()
    store = Store(given.results)
    run(store, given.minutes)
    PAGE.write_text(TABLES.sub(lambda found: found[1] + tables(store) + found[2], PAGE.read_text()))
    PICTURE.write_bytes(draw(store))


if __name__ == "__main__":
    main()
