"""The figures of `make bench` that the repository keeps, one file per part, and what has become worse since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Figures that were measured on calm cores; the page of speed is made from them.
KEPT = Path(__file__).parent / "figures"
#: Figures of the run that is under way, part by part.
MEASURED = Path(__file__).parents[1] / "build" / "bench"

#: A ratio may be this part of the kept one; less means that something has become slower, or worse.
STILL_GOOD = 2 / 3


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """Part → its figures, for all parts in the folder."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def ratios(part: dict[str, Any]) -> dict[str, float]:
    """The ratios of a part, each so that more is better: those with a bound, and rivals' times over covey's.

    Seconds and bytes are left out, since they belong to a machine.
    """
    found: dict[str, float] = {}
    for figure in part["figures"]:
        if figure["unit"] == "x" and figure["value"] > 0:
            if figure["least"] is not None:
                found[figure["name"]] = figure["value"]
            elif figure["most"] is not None:
                found[figure["name"]] = 1 / figure["value"]
    for task in part["tasks"]:
        took = dict(map(tuple, task["sizes"]))
        for rival, (rows, seconds) in task["rivals"].items():
            found[f"{task['name']}: time of {rival} over covey's"] = seconds / took[rows]
    return found


def fallen(kept: dict[str, dict[str, Any]], measured: dict[str, dict[str, Any]]) -> list[str]:
    """A line for every ratio that is more than a third worse than the kept one; what is new is not compared."""
    lines = []
    for name, part in measured.items():
        before = ratios(kept[name]) if name in kept else {}
        for figure, value in ratios(part).items():
            if figure in before and value < STILL_GOOD * before[figure]:
                lines.append(f"{name}: {figure}: {value / before[figure]:.0%} of what it was")
    return lines
