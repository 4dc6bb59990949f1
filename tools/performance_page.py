"""Write docs/performance.md and its plot from the figures of `make bench` that the repository keeps.

A test fails when the page and the figures differ.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE, PLOT = ROOT / "docs" / "performance.md", ROOT / "docs" / "img" / "growth.svg"
sys.path.insert(0, str(ROOT / "benchmarks"))

from keeping import KEPT, load  # noqa: E402

HEAD = """# Performance

What covey takes, beside other programs in the same run. `make bench KEEP=1` measures it, keeps the figures in
`benchmarks/figures` and writes this page. Times are CPU seconds of one process with all its threads, with compiled
kernels. **Growth** is the exponent e in time ~ rowsᵉ between the two largest sizes. **Limit** is covey's time over that
of reading its input once.

## Tasks on generated data

Baskets with ten of 10,000 items on average; for ratings, random answers to 20 issues, the hardest case. Rivals that
read are timed at the largest size, the others at the smallest. Many of them do less than covey, as their names say.

| task | covey | growth | limit | rival | its time over covey's |
|---|---:|---:|---:|---|---:|
"""
FIRST = """
## First run and small commands

`pip install .` compiles the kernels, so no command has to. CPU seconds of the README's commands on their first run
after an installation, and of commands on 2,000 baskets; the slowest of each:

| command | seconds | at most |
|---|---:|---:|
"""
BOUNDS = """
## Figures with a bound

`make bench` fails when a figure misses its bound, or when a ratio is more than a third worse than the kept one. The
table shows every figure that misses its bound, in bold, or else the one of each part that is nearest to its bound.
Losses are [GCP](glossary.md#gcp), [NCP](glossary.md#ncp) or [KL](glossary.md#kl-in-nats); the
[band order](glossary.md#band-order) is how `cahd` orders transactions.

| part | figures | missed | figure | measured | bound |
|---|---:|---:|---|---:|---:|
"""
GROWTH = "\n![Time by rows, both on logarithmic scales](img/growth.svg)\n"


def text() -> str:
    """Return the page."""
    kept = load(KEPT)
    tasks = [task for part in kept.values() for task in part["tasks"]]
    sections = [HEAD, *(_task_row(task) for task in tasks), GROWTH]
    if "first" in kept:
        sections += [FIRST, *_first_rows(kept["first"])]
    sections += [BOUNDS, *(row for name, part in kept.items() if name != "first" for row in _bound_rows(name, part))]
    days = sorted({part["date"] for part in kept.values()})
    cores, load_before = (max(part.get(what, 0) for part in kept.values()) for what in ("cores", "load"))
    dates = " to ".join(dict.fromkeys((days[0], days[-1])))
    sections.append(
        f"\nMeasured {dates} on {cores:.0f} cores with a load of at most {load_before:.0f} when a part began.\n"
    )
    unclean = sorted(name for name, part in kept.items() if part["commit"].endswith("-dirty"))
    if unclean:
        sections.append(f"Measured with uncommitted changes: {', '.join(unclean)}.\n")
    return "".join(sections)


def growth(task: dict[str, Any]) -> float | None:
    """Return the exponent of the time between the two largest sizes."""
    if len(task["sizes"]) < 2:
        return None
    (rows, took), (more_rows, took_more) = task["sizes"][-2:]
    return math.log(took_more / took) / math.log(more_rows / rows)


def _task_row(task: dict[str, Any]) -> str:
    shown = "<br>".join(f"{_seconds(took)} at {_rows(rows)}" for rows, took in task["sizes"])
    exponent = growth(task)
    at = dict(map(tuple, task["sizes"]))
    rivals = {f"{name} ({_rows(rows)})": _times(took / at[rows]) for name, (rows, took) in task["rivals"].items()}
    cells = [
        task["name"],
        shown,
        "" if exponent is None else f"{exponent:.2f}",
        _times(task["sizes"][-1][1] / max(task["limit"][1], 1e-6)),
        "<br>".join(rivals) or "none",
        "<br>".join(rivals.values()),
    ]
    return f"| {' | '.join(cells)} |\n"


def _first_rows(part: dict[str, Any]) -> list[str]:
    """Return the slowest command of each group, and every one that misses its bound."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for figure in part["figures"]:
        groups.setdefault(" ".join(figure["name"].split()[:2]), []).append(figure)
    chosen = [max(group, key=lambda figure: float(figure["value"] / figure["most"])) for group in groups.values()]
    chosen += [figure for figure in part["figures"] if figure["name"] in part["missed"] and figure not in chosen]
    return [f"| {figure['name']} | {figure['value']:.2f} | {figure['most']:g} |\n" for figure in chosen]


def _bound_rows(name: str, part: dict[str, Any]) -> list[str]:
    """Return the figures of a part that miss their bounds, or the one that is nearest to its bound."""
    bounded = sorted((figure for figure in part["figures"] if _has_bound(figure)), key=_slack)
    missed = [figure for figure in bounded if figure["name"] in part["missed"]]
    rows = []
    for figure in missed or bounded[:1]:
        mark, unit = "**" if figure in missed else "", figure["unit"].replace("x", "")
        bound = f"at least {figure['least']:g}" if figure["least"] is not None else f"at most {figure['most']:g}"
        shown = f"{mark}{_times(figure['value'])}{unit}{mark}"
        cells = [name, str(len(bounded)), str(len(missed)), figure["name"], shown, bound + unit]
        rows.append(f"| {' | '.join(cells)} |\n")
    return rows


def _has_bound(figure: dict[str, Any]) -> bool:
    return figure["least"] is not None or figure["most"] is not None


def _slack(figure: dict[str, Any]) -> float:
    """Return how far a ratio is from its bound; below 1 it misses it."""
    value = float(figure["value"])
    return value / figure["least"] if figure["least"] is not None else figure["most"] / max(value, 1e-9)


def _rows(rows: int) -> str:
    return f"{rows / 1e6:g} million rows" if rows >= 1_000_000 else f"{rows:,} rows"


def _seconds(took: float) -> str:
    return f"{took:.3g} s" if took >= 1 else f"{1000 * took:.3g} ms"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def draw() -> None:
    """Draw time by rows, one line per task."""
    from covey.report.charts import COLOURS, MARKERS, new_figure, save_plot, styled

    tasks = [task for part in load(KEPT).values() for task in part["tasks"]]
    figure, panels = new_figure(1, 1, width=8.4, height=4.6)
    with styled():
        panel = panels[0][0]
        for number, task in enumerate(tasks):
            rows, took = zip(*task["sizes"], strict=True)
            look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number // len(COLOURS) % len(MARKERS)]}
            panel.plot(rows, took, label=task["name"], **look)
        panel.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU seconds")
        figure.legend(loc="outside right center")
    save_plot(figure, PLOT, force=True)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    draw()
