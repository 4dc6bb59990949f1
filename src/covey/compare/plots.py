"""Plots of a comparison, as SVG and PNG: lines with error bars, ratios to a baseline, band matrices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Floats, Ints
from covey.compare.config import Comparison, Experiment, PlotSpec
from covey.compare.sources import load
from covey.compare.style import COLOURS, FORMATS, MARKERS, encode, new_figure, styled
from covey.data import Baskets
from covey.data.csr import sums_by_item
from covey.methods.ordering import band_order
from covey.staging import write_whole

#: The finest picture; more cells than pixels help nobody.
CELLS = 600
#: Rows that are drawn at once.
AT_ONCE = 1 << 17


def column_order(baskets: Baskets, rows: Ints) -> Ints:
    """Items by the mean position of their transactions when these stand in the order `rows`.

    Reverse Cuthill-McKee orders the transactions only; this lays the items along the diagonal beside them.
    Items that no transaction holds come last. O(entries + d log d).
    """
    place = np.empty(baskets.n)
    place[rows] = np.arange(baskets.n)
    total = sums_by_item(baskets.indptr, baskets.indices, place, baskets.d)
    supports = baskets.supports()
    mean = np.where(supports > 0, total / np.maximum(supports, 1), np.inf)
    return np.argsort(mean, kind="stable")


def density(baskets: Baskets, rows: Ints | None = None, columns: Ints | None = None, *, cells: int = CELLS) -> Floats:
    """How full each cell of the picture is, from 0 to 1, transactions downwards and items to the right.

    Parameters
    ----------
    baskets : Baskets
        The matrix.
    rows, columns : int64 arrays or None
        The order of transactions and of items; None keeps theirs.
    cells : int
        Most cells a side.

    Examples
    --------
    >>> density(Baskets.of([["a"], ["b"]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    height, width = max(min(baskets.n, cells), 1), max(min(baskets.d, cells), 1)
    down = _cell_of(baskets.n, height, rows)
    across = _cell_of(baskets.d, width, columns)
    filled = np.zeros(height * width, np.int64)
    for first in range(0, baskets.n, AT_ONCE):
        ptr = baskets.indptr[first : first + AT_ONCE + 1]
        place = (
            np.repeat(down[first : first + AT_ONCE] * width, np.diff(ptr)) + across[baskets.indices[ptr[0] : ptr[-1]]]
        )
        filled += np.bincount(place, minlength=height * width)
    area = np.outer(np.bincount(down, minlength=height), np.bincount(across, minlength=width))
    return np.asarray(filled.reshape(height, width) / np.maximum(area, 1), np.float64)


def _cell_of(size: int, cells: int, order: Ints | None) -> Ints:
    """The cell of each row or column: equal stretches of the order."""
    steps = np.arange(size, dtype=np.int64) * cells // max(size, 1)
    if order is None:
        return steps
    cell = np.empty(size, np.int64)
    cell[order] = steps
    return cell


def shade(filled: Floats) -> Floats:
    """Densities as darkness from 0 to 1: the brightest hundredth saturates, a single entry stays visible.

    Examples
    --------
    >>> shade(np.array([[0.0, 0.25], [1.0, 1.0]])).round(3).tolist()
    [[0.0, 0.575], [1.0, 1.0]]
    """
    present = filled[filled > 0]
    if not len(present):
        return np.zeros_like(filled)
    top = float(np.quantile(present, 0.99))
    strength = np.sqrt(np.minimum(filled / top, 1.0))
    return np.where(filled > 0, 0.15 + 0.85 * strength, 0.0)


FOLDER = "plots"

LABELS = {
    "kl": "KL reconstruction error (nats)",
    "distortion": "distortion of estimates (KL, nats)",
    "seconds": "time (s)",
    "check_seconds": "time to check (s)",
    "share": "share of the respondents",
    "epsilon": "ε",
    "reidentification": "re-identification probability",
    "gcp": "GCP",
    "ncp": "NCP",
    "known": "number of known items",
    "alpha": "α",
}


def draw(comparison: Comparison, summary: list[dict[str, Any]], directory: Path) -> list[Path]:
    """Draw every experiment into ``directory/plots`` and return the files."""
    files: list[Path] = []
    for experiment in comparison.experiments:
        if experiment.picture == "band":
            files += _save(band_figure(comparison, experiment), directory, experiment.name)
        elif experiment.plot is not None:
            rows = [row for row in summary if row["experiment"] == experiment.name]
            files += _draw_lines(comparison, experiment, experiment.plot, rows, directory)
    return files


def _draw_lines(
    comparison: Comparison,
    experiment: Experiment,
    plot: PlotSpec,
    rows: list[dict[str, Any]],
    directory: Path,
) -> list[Path]:
    titles = {name: spec.title for name, spec in comparison.data.items()}
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    files: list[Path] = []
    for chosen in [metrics] if plot.panels == "metric" else [[metric] for metric in metrics]:
        part = [row for row in rows if row["metric"] in chosen]
        whole = len(metrics) == 1 or len(chosen) > 1
        # A metric with its parameters as part of a file name.
        slug = re.sub(r"[^A-Za-z0-9]+", "-", chosen[0]).strip("-")
        name = experiment.name if whole else f"{experiment.name}-{slug}"
        files += _save(line_figure(experiment.title, plot, part, titles), directory, name)
        compared = [
            {**row, "mean": row["ratio"], "standard_error": row["ratio_error"]}
            for row in part
            if row["ratio"] is not None
        ]
        if compared:
            label = f"ratio to {experiment.baseline}"
            figure = line_figure(experiment.title, plot, compared, titles, label=label, reference=1.0)
            files += _save(figure, directory, f"{name}-ratio")
    return files


def line_figure(
    title: str,
    plot: PlotSpec,
    rows: list[dict[str, Any]],
    titles: Mapping[str, str],
    *,
    label: str | None = None,
    reference: float | None = None,
) -> Any:
    """One figure: a panel per value of `plot.panels`, a line per combination of `plot.lines`.

    Parameters
    ----------
    title : str
        Above everything.
    plot : PlotSpec
        What stands where.
    rows : list of dict
        Rows of the summary.
    titles : mapping
        What data sets are called.
    label : str or None
        Of the vertical axis; None names the metric.
    reference : float or None
        Where to draw a horizontal line, for ratios.
    """
    panels = list(dict.fromkeys(row[plot.panels] for row in rows)) or [""]
    keys = list(dict.fromkeys(tuple(row[c] for c in plot.lines) for row in rows))
    figure, axes = new_figure(1, len(panels))
    with styled():
        figure.suptitle(title, fontsize=11)
        for axis, panel in zip(axes[0], panels, strict=True):
            inside = [row for row in rows if row[plot.panels] == panel]
            for key in keys:
                line = [row for row in inside if tuple(row[c] for c in plot.lines) == key]
                points = [row for row in line if row["mean"] is not None]
                axis.errorbar(
                    [row[plot.x] for row in points],
                    [row["mean"] for row in points],
                    yerr=[row["standard_error"] or 0.0 for row in points],
                    label=_name(plot.lines, key, titles),
                    capsize=2,
                    **_look(plot.lines, key, keys),
                )
            metric = inside[0]["metric"] if inside else ""
            axis.set_title(titles.get(panel) or LABELS.get(panel, f"{plot.panels} = {panel}"))
            axis.set_xlabel(LABELS.get(plot.x, plot.x))
            axis.set_ylabel(label or _metric_label(metric))
            axis.set_xscale(plot.xscale)
            axis.set_yscale(plot.yscale)
            places = sorted({row[plot.x] for row in inside}, key=lambda value: (str(type(value)), value))
            if len(places) <= 12:
                # Plain numbers at the values themselves; powers of ten between them would overlap.
                axis.set_xticks(places, [str(place) for place in places])
                axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
            if reference is not None:
                axis.axhline(reference, color="#666666", linewidth=0.8, linestyle=":")
            elif plot.yscale == "linear":
                axis.set_ylim(bottom=0)
        handles, names = axes[0][0].get_legend_handles_labels()
        if len(names) > 1 or reference is not None:
            # A legend is never shrunk, so it gets as many columns as its longest name leaves room for.
            room = figure.get_figwidth() / (0.6 + 0.075 * max(map(len, names)))
            columns = max(1, min(len(names), int(room)))
            figure.legend(handles, names, loc="outside lower center", ncols=columns)
    return figure


def _metric_label(metric: str) -> str:
    name, opened, rest = metric.partition("(")
    return LABELS.get(name, name) + (f"\n{rest.rstrip(')')}" if opened else "")


def _look(columns: tuple[str, ...], key: tuple[Any, ...], keys: list[tuple[Any, ...]]) -> dict[str, Any]:
    """A colour per method (or first column) and a marker and dash per remaining combination."""
    main = columns.index("method") if "method" in columns else 0
    firsts = list(dict.fromkeys(one[main] for one in keys)) if columns else []
    rests = list(dict.fromkeys(one[:main] + one[main + 1 :] for one in keys))
    first = firsts.index(key[main]) if columns else 0
    rest = rests.index(key[:main] + key[main + 1 :])
    colour = COLOURS[first % len(COLOURS)]
    return {
        "color": colour,
        "marker": MARKERS[rest % len(MARKERS)],
        "linestyle": ("-", "--", "-.", ":")[rest % 4],
        "markerfacecolor": colour if first == 0 else "white",
    }


def _name(columns: tuple[str, ...], key: tuple[Any, ...], titles: Mapping[str, str]) -> str:
    words = []
    for column, value in zip(columns, key, strict=True):
        if column == "data":
            words.append(titles[value])
        elif column == "method":
            words.append(_method_name(str(value)))
        else:
            words.append(f"{LABELS.get(column, column)} = {value}")
    return ", ".join(words)


def _method_name(text: str) -> str:
    """A method without the options that vary, which stand on an axis or in the legend already.

    Examples
    --------
    >>> _method_name("cahd(alpha={alpha}, order=rcm)"), _method_name("cahd(alpha={alpha})")
    ('cahd(order=rcm)', 'cahd')
    """
    name, _, inside = text.rstrip(")").partition("(")
    kept = [part.strip() for part in inside.split(",") if part.strip() and "{" not in part]
    return f"{name}({', '.join(kept)})" if kept else name


def band_figure(comparison: Comparison, experiment: Experiment) -> Any:
    """Band matrices before and after reverse Cuthill-McKee, one data set per row (Ghinita et al. 2008, Fig. 6)."""
    figure, axes = new_figure(len(experiment.data), 2, width=3.3, height=3.2)
    with styled():
        figure.suptitle(experiment.title, fontsize=11)
        for axis, name in zip(axes, experiment.data, strict=True):
            spec = comparison.data[name]
            baskets, _ = load(spec)
            order = band_order(baskets)
            pictures = (
                (f"{spec.title}: as it comes", density(baskets)),
                (f"{spec.title}: band order", density(baskets, order, column_order(baskets, order))),
            )
            for panel, (title, filled) in zip(axis, pictures, strict=True):
                panel.imshow(
                    shade(filled).astype(np.float32),
                    cmap="Blues",
                    vmin=0.0,
                    vmax=1.0,
                    aspect="auto",
                    interpolation="nearest",
                    extent=(0, baskets.d, baskets.n, 0),
                )
                panel.set_title(title)
                panel.set_xlabel("items")
                panel.set_ylabel("transactions")
                panel.grid(False)
    return figure


def _save(figure: Any, directory: Path, name: str) -> list[Path]:
    folder = directory / FOLDER
    return [write_whole(folder / f"{name}.{form}", encode(figure, form), force=True) for form in FORMATS]
