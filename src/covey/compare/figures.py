"""Single figures of what was found out: risk, measures, attacks, and what is kept against what is risked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.compare.style import COLOURS, MARKERS, new_figure, styled


def risk_figure(title: str, risks: list[dict[str, Any]], things: str = "items") -> Any:
    """The re-identification risk by number of known things, as bars with 95 % intervals."""
    figure, axes = new_figure(1, 1, width=5.0, height=3.2)
    shown = [risk for risk in risks if risk["eligible"]]
    with styled():
        axis = axes[0][0]
        places = [str(risk["known"]) for risk in shown]
        values = [100 * risk["risk"] for risk in shown]
        margins = [50 * (risk["high"] - risk["low"]) for risk in shown]
        bars = axis.bar(places, values, yerr=margins, capsize=3, color=COLOURS[1], width=0.6)
        axis.bar_label(bars, [f"{value:.1f} %" for value in values], padding=3, fontsize=8)
        axis.set_title(title)
        axis.set_xlabel(f"{things} the attacker knows")
        axis.set_ylabel("finds the right one (%)")
        axis.set_ylim(0, max([*values, 1.0]) * 1.18)
        axis.grid(False, axis="x")
    return figure


def bar_figure(title: str, values: Mapping[str, float], label: str) -> Any:
    """Named values as flat bars, the first on top."""
    figure, axes = new_figure(1, 1, width=5.4, height=0.7 + 0.32 * max(len(values), 1))
    with styled():
        axis = axes[0][0]
        bars = axis.barh(list(values), list(values.values()), color=COLOURS[0], height=0.6)
        axis.bar_label(bars, [f"{value:.3g}" for value in values.values()], padding=3, fontsize=8)
        axis.invert_yaxis()
        axis.set_title(title)
        axis.set_xlabel(label)
        axis.set_xlim(0, max([*values.values(), 1e-9]) * 1.18)
        axis.grid(False, axis="y")
    return figure


def trade_figure(found: Mapping[str, Any]) -> Any:
    """What is kept, upwards, against how often the best attack is right, by method; the recommended one ringed."""
    figure, axes = new_figure(1, 1, width=6.0, height=4.2)
    measure = found["measure"] or {"label": "nothing was measured", "share": True}
    scale = 100 if measure["share"] else 1
    shown = [point for point in found["points"] if point["kept"] is not None and point["risk"] is not None]
    with styled():
        axis = axes[0][0]
        for place, method in enumerate(dict.fromkeys(point["method"] for point in shown)):
            mine = [point for point in shown if point["method"] == method]
            across, up = [100 * point["risk"] for point in mine], [scale * point["kept"] for point in mine]
            colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
            axis.plot(across, up, color=colour, marker=marker, linewidth=0.8, label=method)
            for point, x, y in zip(mine, across, up, strict=True):
                name = f"{found['parameter']} = {point['strength']:g}"
                axis.annotate(name, (x, y), textcoords="offset points", xytext=(5, 4), fontsize=7, color=colour)
        for point in shown:
            if point["recommended"]:
                spot = ([100 * point["risk"]], [scale * point["kept"]])
                axis.scatter(*spot, s=150, facecolors="none", edgecolors="black", linewidths=1.4, label="recommended")
        axis.set_title(found["guarantee"])
        axis.set_xlabel("the best attack is right (%)")
        axis.set_ylabel(f"{measure['label']}{' (%)' if measure['share'] else ''}")
        axis.margins(0.12)
        if not measure["share"]:
            axis.invert_yaxis()  # so that up is better, whatever is measured
        if shown:
            figure.legend(loc="outside lower center", ncols=4)
    return figure
