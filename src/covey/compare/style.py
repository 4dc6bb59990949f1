"""How covey's plots look; the one place that knows matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from covey.errors import MissingDependency, OutputError
from covey.release.staging import write_whole

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
