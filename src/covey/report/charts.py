"""Charts as matplotlib figures: for notebooks and files, and as SVG inside reports and pages."""

from __future__ import annotations

import io
import re
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from covey.counting import percent
from covey.errors import OutputError
from covey.measure.attacks.result import LIMIT, exceeds
from covey.registry import METHODS
from covey.staging import write_whole

if TYPE_CHECKING:  # drawing takes a third of a second to load, which commands that draw nothing do without
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inks in light and in dark surroundings.
TEXT, DIM, RULE, PAPER, INK, WARN = "#1c2733", "#5d6b7a", "#d9dfe5", "#ffffff", "#1f5f8b", "#b4471f"
DARK = {TEXT: "#e4e9ee", DIM: "#98a6b4", RULE: "#313b46", PAPER: "#14191f", INK: "#6bb3e0", WARN: "#ef9068"}
#: Colours that colour-blind readers can tell apart, visible on white and on black, and a marker for each.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#7b61c4", "#3f9fd8", "#8a8f94")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
FORMATS = ("svg", "png")
#: Found in every file of a chart, and in no other.
MARKS = (b"<desc>Drawn by covey</desc>", b"Software\0covey")
#: Inches; with letters of 9.5 points they can be read on a phone, and at 34 rem they are not too large on a desk.
WIDTH = 4.6
#: Drawing changes settings of matplotlib that all threads share.
_DRAWING = threading.RLock()
#: The namespace of SVG, as `xml.etree` writes it before names.
SVG = "{http://www.w3.org/2000/svg}"
#: For pages with charts; a page that may be dark needs nothing else.
CSS = (
    "@media screen and (prefers-color-scheme:dark){"
    + "".join(  # markers are shadows of their definitions, to which no selector of an ancestor applies
        f'[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}' for light, dark in DARK.items()
    )
    + "}"
)


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the style of ``charts.mplstyle``."""
    from matplotlib import style

    with _DRAWING, style.context("covey.report.charts"):
        yield


def new_figure(
    rows: int = 1, columns: int = 1, *, width: float = WIDTH, height: float = 3.0
) -> tuple[Figure, Sequence[Sequence[Axes]]]:
    """Return a figure and its grid of panels, outside pyplot, so that no window system is touched."""
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False).tolist()


def looks() -> dict[str, tuple[str, str]]:
    """Return the colour and marker of each method, the same in all charts; rivals for a guarantee differ.

    Examples
    --------
    >>> looks()["matched"]
    ('#0072b2', 'o')
    """
    taken: dict[str, int] = {}
    for entry in METHODS:
        rivals = {one.name for one in METHODS if set(one.guarantees) & set(entry.guarantees)}
        used = {place for name, place in taken.items() if name in rivals}
        taken.setdefault(entry.name, min(set(range(len(METHODS))) - used))
    return {name: (COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)]) for name, at in taken.items()}


def look_of(method: str) -> tuple[str, str]:
    """Return the colour and marker of a method, given with or without its options."""
    return looks().get(method.partition("(")[0], (COLOURS[-1], MARKERS[-1]))


def svg(figure: Figure, title: str, *, alone: bool = False) -> str:
    """Return a figure as SVG for a page, with no style of its own that a content security policy could refuse.

    Screen readers read the `title`; an SVG that stands `alone` has everything that a file of its own needs.
    """
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    text = _saved(figure, "svg", metadata=nothing, facecolor=PAPER if alone else "none").decode()
    ET.register_namespace("", SVG[1:-1])
    root = ET.fromstring(text)
    for definitions in root.findall(f"{SVG}defs/{SVG}style/.."):
        root.remove(definitions)
    used = set(re.findall(r'(?:url\(|href=")#([^)"]+)', text))
    for node in root.iter():
        _plain(node, used)
    for size in ("width", "height"):
        root.attrib.pop(size)
    root.attrib |= {"class": "chart", "role": "img", "aria-label": title, "stroke-linejoin": "round"}
    root.set("font-family", "DejaVu Sans, Verdana, sans-serif" if alone else "inherit")
    if not alone:
        return ET.tostring(root, encoding="unicode").replace(f' xmlns="{SVG[1:-1]}"', "", 1)
    for place, (tag, content) in enumerate((("desc", "Drawn by covey"), ("style", CSS))):
        node = ET.Element(SVG + tag)
        node.text = content
        root.insert(place, node)
    return ET.tostring(root, encoding="unicode")


def _plain(node: ET.Element, used: set[str]) -> None:
    """Turn a style into attributes, and drop names that nothing refers to: they would occur twice on a page."""
    for pair in node.attrib.pop("style", "").split(";"):
        key, _, value = pair.partition(":")
        if value and key.strip() != "font-family":
            node.set(key.strip(), value.strip())
    if node.get("id") not in used:
        node.attrib.pop("id", None)
    link = node.attrib.pop("{http://www.w3.org/1999/xlink}href", None)
    if link is not None:
        node.set("href", link)


def _saved(figure: Figure, form: str, **options: Any) -> bytes:
    for axis in figure.axes:  # logarithmic axes would write formulas, which are switched off
        for scale, line in ((axis.get_xscale(), axis.xaxis), (axis.get_yscale(), axis.yaxis)):
            if scale == "log":
                line.set_major_formatter("{x:g}")
                line.set_minor_formatter("")
    sink = io.BytesIO()
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # letters are drawn by whoever shows the picture
        figure.savefig(sink, format=form, **options)
    return sink.getvalue()


def encode(figure: Figure, form: str) -> bytes:
    """Return a figure as a file of one of the `FORMATS`, without a date."""
    if form == "svg":
        titles = (figure.get_suptitle(), *(axis.get_title() for axis in figure.axes))
        return svg(figure, next(filter(None, titles), "chart"), alone=True).encode()
    return _saved(figure, form, metadata={"Software": "covey"}, facecolor="white")


def require_format(path: Path) -> str:
    """Return the format of a file's ending; raise `OutputError` for any other than that of the `FORMATS`."""
    form = path.suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise OutputError(f"{path}: a plot is written as .svg or .png; this ending says neither.")
    return form


def save_plot(figure: Figure, path: str | Path, *, force: bool = False) -> Path:
    """Write a figure to one file, in the format of its ending; other files than plots are left alone."""
    path = Path(path)
    return write_whole(path, encode(figure, require_format(path)), marks=MARKS, force=force)


def bars(
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    x_label: str,
    y_label: str,
    share: bool = True,
    intervals: Sequence[tuple[float, float]] = (),
    line: tuple[float, str, int] | None = None,
    colours: Sequence[str] = (INK,),
    title: str = "",
) -> Figure:
    """Draw upright bars of shares or numbers with their values on top; several series stand side by side.

    Of one series there may be `intervals`, which become whiskers. `line` is a share to draw a line at, what it is, and
    across how many of the labels.
    """
    figure, ((axis,),) = new_figure(height=2.7 if len(series) == 1 else 3.0)
    scale, several = 100 if share else 1, len(series) > 1
    with styled():
        for at, ((name, values), colour) in enumerate(zip(series.items(), colours, strict=True)):
            places = [place + 0.4 * (at - (len(series) - 1) / 2) for place in range(len(labels))]
            ends = zip(values, intervals, strict=True) if intervals else ()
            off = [(max(value - low, 0), max(high - value, 0)) for value, (low, high) in ends]
            drawn = axis.bar(
                places,
                [scale * value for value in values],
                width=0.36 if several else 0.6,
                color=colour,
                label=name,
                yerr=[[scale * one for one in side] for side in zip(*off, strict=True)] if off else None,
                error_kw={"ecolor": TEXT, "elinewidth": 1, "capsize": 3},
            )
            texts = [percent(value) if share else f"{value:,.0f}" for value in values]
            axis.bar_label(drawn, texts, padding=3, fontsize=8 if several else 9, weight="bold")
        if line is not None:
            height, words, reach = line
            axis.plot(
                (-0.5, reach - 0.5), (scale * height,) * 2, color=TEXT, linestyle="--", linewidth=1.2, label=words
            )
        slanted = max(map(len, labels), default=0) * len(labels) > 56
        axis.set_xticks(range(len(labels)), labels, rotation=35 if slanted else 0, ha="right" if slanted else "center")
        axis.margins(y=0.16)
        axis.set_ylim(bottom=0)
        axis.set(title=title, xlabel=x_label, ylabel=y_label)
        axis.grid(False, axis="x")
        if several or line is not None:
            figure.legend(loc="outside upper left", ncols=1)
    return figure


def risk(risks: Sequence[Mapping[str, Any]], things: str, *, title: str = "") -> Figure:
    """Draw how often someone is found by the number of known things, with 95 % intervals."""
    shown = [one for one in risks if one["eligible"]]
    return bars(
        [str(one["known"]) for one in shown],
        {"risk": [one["risk"] for one in shown]},
        intervals=[(one["low"], one["high"]) for one in shown],
        title=title,
        x_label=f"{things} that someone knows",
        y_label="finds the right one (%)",
        colours=(WARN,),
    )


def shares(rows: Mapping[str, float], *, x_label: str, share: bool = True, title: str = "") -> Figure:
    """Draw one bar for each named value from left to right, the first on top; long names are cut."""
    figure, ((axis,),) = new_figure(height=0.75 + 0.27 * max(len(rows), 1))
    with styled():
        drawn = axis.barh(range(len(rows)), [(100 if share else 1) * value for value in rows.values()], color=INK)
        axis.bar_label(drawn, [percent(v) if share else f"{v:.3g}" for v in rows.values()], padding=3, fontsize=9)
        axis.set_yticks(range(len(rows)), [name if len(name) <= 24 else f"{name[:23]}…" for name in rows])
        axis.set(title=title, xlabel=x_label, xlim=(0, (100 if share else 1) * max([*rows.values(), 1e-9]) * 1.2))
        axis.invert_yaxis()
        axis.grid(False, axis="y")
    return figure


def attacks(
    rows: Sequence[Mapping[str, Any]], names: Mapping[str, str], *, limit: float = LIMIT, title: str = ""
) -> Figure:
    """Draw how often each attack is right, beside what is claimed and what is known without the release.

    `rows` are as from `AttackResult.to_dict`; those that are right more than `limit` times as often as is claimed or
    known without the release are drawn in the colour of warnings.
    """
    figure, ((axis,),) = new_figure(height=1.1 + 0.46 * max(len(rows), 1))
    references = (("claim", "s", "claimed", TEXT), ("baseline", "D", "baseline: without the release", PAPER))
    with styled():
        for place, row in enumerate(rows):
            rate, low, high = (100 * float(row[name]) for name in ("success_rate", "low", "high"))
            colour = WARN if exceeds(row, limit) else INK
            axis.barh(place + 0.14, rate, height=0.3, color=colour)
            axis.plot((low, high), (place + 0.14,) * 2, color=TEXT, linewidth=1.2, solid_capstyle="butt")
            label = f"{names.get(str(row['attack']), str(row['attack']))}: {percent(row['success_rate'])}"
            axis.text(0, place - 0.1, label, fontsize=9, va="bottom")
            for name, marker, _, filling in references:
                if row.get(name) is not None:
                    axis.plot(100 * row[name], place + 0.14, marker, mfc=filling, mec=TEXT, ms=5.5, zorder=5)
        for name, marker, words, filling in references:
            if any(row.get(name) is not None for row in rows):
                axis.plot([], [], marker, mfc=filling, mec=TEXT, ms=5.5, label=words)
        axis.set(title=title, xlabel="guesses that are right (%)", ylim=(len(rows) - 0.5, -0.6), yticks=[])
        tops = [100 * (row.get(name) or 0.0) for row in rows for name in ("high", "claim", "baseline")]
        axis.set_xlim(0, 1.03 * max([1.0, *tops]))
        axis.grid(False, axis="y")
        axis.spines["left"].set_visible(False)
        if axis.get_legend_handles_labels()[1]:
            figure.legend(loc="outside upper left", ncols=2)
    return figure


def trade(points: Sequence[Mapping[str, Any]], *, y_label: str, share: bool, parameter: str, title: str = "") -> Figure:
    """Draw what releases keep, upwards, against how often the best attack is right; recommended ones are ringed.

    `points` have `method`, `strength`, `kept`, `risk` and `recommended`, without a `parameter` to name also
    `guarantee`, and perhaps `kept_error` and `risk_error`. Where `kept` is no `share` but an error, less is better.
    """
    figure, ((axis,),) = new_figure(height=3.9)
    scale = 100 if share else 1
    shown = [point for point in points if point["kept"] is not None and point["risk"] is not None]
    with styled():
        for method in dict.fromkeys(point["method"] for point in shown):
            mine = [point for point in shown if point["method"] == method]
            colour, marker = look_of(method)
            across, up = [100 * point["risk"] for point in mine], [scale * point["kept"] for point in mine]
            axis.errorbar(
                across,
                up,
                xerr=[100 * point.get("risk_error", 0.0) for point in mine],
                yerr=[scale * point.get("kept_error", 0.0) for point in mine],
                color=colour,
                marker=marker,
                linewidth=0.8,
                capsize=2,
                label=method,
            )
            for point, x, y in zip(mine, across, up, strict=True):
                words = f"{point['strength']:g}" if parameter else str(point["guarantee"])
                axis.annotate(words, (x, y), textcoords="offset points", xytext=(5, 4), fontsize=8.5, color=colour)
        ringed = [point for point in shown if point["recommended"]]
        spots = [100 * point["risk"] for point in ringed], [scale * point["kept"] for point in ringed]
        if ringed:
            axis.scatter(*spots, s=150, facecolors="none", edgecolors=TEXT, linewidths=1.4, label="recommended")
        axis.set(
            title=title, xlabel="the best attack is right (%)", ylabel=fill(f"{y_label}{' (%)' if share else ''}", 36)
        )
        axis.margins(0.12)
        if not share:
            axis.invert_yaxis()  # so that up is better, whatever is measured
        if shown:
            figure.legend(title=f"numbers: {parameter}" if parameter else None, loc="outside lower center", ncols=3)
    return figure
