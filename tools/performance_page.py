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

HEAD = """# How fast it is

This page is generated from the figures that `make bench` measured and the repository keeps (`benchmarks/figures`).
Times are CPU seconds of one process, all its threads together, with kernels compiled
beforehand. Rivals ran in the same process. **Growth** is the exponent e in time ~ rowsᵉ between
the two largest sizes; 1 means that twice the rows take twice the time.

`make bench` fails when a figure misses the bound its benchmark promises, or when a ratio is more than a third worse
than the kept one. `make bench PART="speed cahd"` runs only these parts; a run that was stopped continues where it was.
`make bench KEEP=1` keeps what was measured and updates this page.
"""
TASKS = """
## Tasks on generated data

The data are Quest baskets with ten of 10,000 items on average; for ratings, random answers to 20 issues, the hardest
case. Rivals are timed where most of them still finish soon: those that read, at the largest size, the others at the
smallest. Many of them do less than covey, as their names say.

Checking ratings is the one task that must grow faster than its rows when answers are random. Records are told apart by
the first log₆ n of the issues; until then, of 6 answers to an issue 16/6 are near a given one on average, so a record
meets about n^(log₆ 16/6) = n^0.55 stretches of others that are still near. Counted, the words that the search looks at
grow as n^1.56 from 300,000 to 1 million rows (155 million, then 1,013 million). People whose answers resemble each
other share this work.

"""
FIRST = """
## The first run, and small commands

`pip install .` compiles the kernels, so no command has to. CPU seconds of each command of the README on its first run
after an installation, and of commands on 2,000 baskets, the best of four:

"""
LIMITS = """
## How far from the limit

Every program has to look at its input. The table shows how long that alone takes on the same machine at the largest
size, and how many times as long covey takes. Searches are furthest from the limit: they have to look at an entry at
least once for each item next to it.

"""
BOUNDS = """
## Ratios with a bound

Every ratio with a bound from the other benchmarks; those in bold miss it. Where a rival's time is divided by
covey's, higher is better and the bound is a minimum; where covey's loss (such as [GCP](glossary.md#gcp),
[NCP](glossary.md#ncp) or [KL](glossary.md#kl-in-nats)) or time is divided by another's, lower is better. The
[band order](glossary.md#band-order) is how `cahd` lays transactions out.

"""


def text() -> str:
    """The page."""
    kept = load(KEPT)
    tasks = [task for part in kept.values() for task in part["tasks"]]
    sections = [HEAD]
    if tasks:
        sections += [TASKS, *_task_rows(tasks), "\n![Time by rows, both on logarithmic scales](img/growth.svg)\n"]
        sections += [LIMITS, *_limit_rows(tasks)]
    if "first" in kept:
        sections += [FIRST, "| command | seconds | at most |\n|---|---:|---:|\n", *_first_rows(kept["first"])]
    rows = [row for name, part in kept.items() for row in _bound_rows(name, part)]
    if rows:
        sections += [BOUNDS, "| part | ratio | measured | bound |\n|---|---|---:|---:|\n", *rows]
    days = sorted({part["date"] for part in kept.values()})
    if days:
        told = f"\nMeasured on {' and '.join(dict.fromkeys((days[0], days[-1])))}, on {_most(kept, 'cores')} cores"
        sections.append(f"{told} with a load of at most {_most(kept, 'load')} when a part began.\n")
    return "".join(sections)


def growth(task: dict[str, Any]) -> float | None:
    """The exponent of the time between the two largest sizes."""
    if len(task["sizes"]) < 2:
        return None
    (rows, took), (more_rows, took_more) = task["sizes"][-2:]
    return math.log(took_more / took) / math.log(more_rows / rows)


def _task_rows(tasks: list[dict[str, Any]]) -> list[str]:
    lines = ["| task | covey | growth | rival | its time over covey's |\n|---|---:|---:|---|---:|\n"]
    for task in tasks:
        shown = "<br>".join(f"{_seconds(took)} at {_rows(rows)}" for rows, took in task["sizes"])
        exponent = growth(task)
        told = "" if exponent is None else f"{exponent:.2f}"
        at = dict(map(tuple, task["sizes"]))
        rivals = [
            (f"{name} ({_rows(rows)})", f"{_times(took / at[rows])}") for name, (rows, took) in task["rivals"].items()
        ]
        names, ratios = ("<br>".join(column) for column in zip(*rivals, strict=True)) if rivals else ("none", "")
        lines.append(f"| {task['name']} | {shown} | {told} | {names} | {ratios} |\n")
    return lines


def _limit_rows(tasks: list[dict[str, Any]]) -> list[str]:
    lines = ["| task | at | covey | limit | what it is | covey over it |\n|---|---:|---:|---:|---|---:|\n"]
    for task in tasks:
        rows, took = task["sizes"][-1]
        what, limit = task["limit"]
        off = took / max(limit, 1e-6)
        lines.append(
            f"| {task['name']} | {_rows(rows)} | {_seconds(took)} | {_seconds(limit)} | {what} | {_times(off)} |\n"
        )
    return lines


def _first_rows(part: dict[str, Any]) -> list[str]:
    return [f"| {_marked(figure, part)} | {figure['value']:.2f} | {figure['most']:g} |\n" for figure in part["figures"]]


def _marked(figure: dict[str, Any], part: dict[str, Any]) -> str:
    return f"**{figure['name']}**" if figure["name"] in part["missed"] else str(figure["name"])


def _bound_rows(name: str, part: dict[str, Any]) -> list[str]:
    lines = []
    for figure in part["figures"]:
        least, most = figure["least"], figure["most"]
        if figure["unit"] == "x" and (least is not None or most is not None):
            bound = f"at least {least:g}" if least is not None else f"at most {most:g}"
            shown, mark = _times(figure["value"]), "**" if figure["name"] in part["missed"] else ""
            lines.append(f"| {name} | {figure['name']} | {mark}{shown}{mark} | {bound} |\n")
    return lines


def _most(kept: dict[str, dict[str, Any]], what: str) -> str:
    return f"{max(part.get(what, 0) for part in kept.values()):.0f}"


def _rows(rows: int) -> str:
    return f"{rows / 1e6:g} million rows" if rows >= 1_000_000 else f"{rows:,} rows"


def _seconds(took: float) -> str:
    return f"{took:.3g} s" if took >= 1 else f"{1000 * took:.3g} ms"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def draw() -> None:
    """Time by rows, one line per task."""
    from covey.report.charts import COLOURS, MARKERS, new_figure, save_plot, styled

    tasks = [task for part in load(KEPT).values() for task in part["tasks"]]
    figure, panels = new_figure(1, 1, width=8.4, height=4.6)
    with styled():
        panel = panels[0, 0]
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
