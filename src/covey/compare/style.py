"""Draw plots: how they look, files of them, and single figures of risk, attacks and trade-offs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.errors import MissingDependency, OutputError
from covey.staging import write_whole

#: Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#444444")
MARKERS = ("s", "o", "^", "D", "v", "P", "X")
FORMATS = ("svg", "png")
#: What a plot says of who made it, as it is found in the files.
MAKER = "covey"
MARKS = (f"<dc:title>{MAKER}</dc:title>".encode(), f"Software\0{MAKER}".encode())

RC: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#666666",
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.dpi": 150,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    # The same plot is the same file, byte by byte.
    "svg.hashsalt": "covey",
    "xtick.color": "#444444",
    "xtick.labelsize": 8,
    "ytick.color": "#444444",
    "ytick.labelsize": 8,
}


def require_matplotlib() -> None:
    """Raise `MissingDependency` unless plots can be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "Plots need matplotlib. Install it with `pip install 'covey[plot]'`, or leave plots out (--no-plots)."
        ) from None


def new_figure(rows: int, columns: int, *, width: float = 4.2, height: float = 3.1) -> tuple[Any, Any]:
    """A figure with a grid of panels, outside pyplot, so that no window system is touched."""
    require_matplotlib()
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False)


def styled() -> Any:
    """The context in which panels are filled."""
    import matplotlib

    return matplotlib.rc_context(RC)


def encode(figure: Any, form: str) -> bytes:
    """The figure as a file of one of the `FORMATS`, on white, without a date."""
    sink = io.BytesIO()
    metadata = {"Date": None, "Creator": MAKER} if form == "svg" else {"Software": MAKER}
    with styled():
        figure.savefig(sink, format=form, metadata=metadata, facecolor="white")
    return sink.getvalue()


def require_format(path: Path) -> str:
    """The format that a file's ending asks for, or `OutputError`."""
    form = path.suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise OutputError(f"{path}: a plot is written as .svg or .png; this ending says neither.")
    return form


def require_plot(path: Path) -> None:
    """Raise unless a plot can be drawn and written to such a file."""
    require_format(path)
    require_matplotlib()


def save_plot(figure: Any, path: str | Path, *, force: bool = False) -> Path:
    """Write a figure to one file, whose ending says in which format; other files than plots are left alone."""
    path = Path(path)
    return write_whole(path, encode(figure, require_format(path)), marks=MARKS, force=force)


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
