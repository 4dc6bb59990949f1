import xml.etree.ElementTree as ET

import pytest

from covey.compare.config import PlotSpec
from covey.compare.plots import line_figure
from covey.compare.style import encode, risk_figure, save_plot
from covey.errors import OutputError


def rows():
    return [
        {"data": data, "method": method, "p": p, "metric": "kl", "mean": p * 0.1, "standard_error": error}
        for data in ("a", "b")
        for method in ("cahd(alpha={alpha})", "anatomy")
        for p, error in ((2, 0.01), (4, None))
    ]


PLOT = PlotSpec(x="p", lines=("method",), panels="data")


def test_a_figure_has_a_panel_per_data_set_and_is_the_same_twice():
    figure = line_figure("title", PLOT, rows(), {"a": "First", "b": "Second"})
    assert [axis.get_title() for axis in figure.axes] == ["First", "Second"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["cahd", "anatomy"]
    once = encode(figure, "svg")
    assert once == encode(line_figure("title", PLOT, rows(), {"a": "First", "b": "Second"}), "svg")
    ET.fromstring(once)
    assert encode(figure, "png").startswith(b"\x89PNG")


def test_points_without_a_value_are_left_out():
    missing = [{**row, "mean": None} for row in rows()]
    encode(line_figure("nothing", PLOT, missing, {"a": "First", "b": "Second"}), "png")


def test_the_risk_figure_is_written_by_its_ending(tmp_path):
    risk = {"known": 1, "risk": 0.5, "low": 0.4, "high": 0.6, "unique": 0.1, "samples": 9, "eligible": 3}
    figure = risk_figure("risk", [risk, {**risk, "known": 2, "eligible": 0}])
    ET.parse(save_plot(figure, tmp_path / "risk.SVG"))
    with pytest.raises(OutputError, match=r"\.svg or \.png"):
        save_plot(figure, tmp_path / "risk.pdf")
