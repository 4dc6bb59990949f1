import re
import xml.etree.ElementTree as ET

from covey.report import charts


def texts(svg):
    return [node.text for node in ET.fromstring(svg).iter("text")]


def test_bars_show_values_labels_and_line():
    svg = charts.bars(
        ["1", "2"],
        [0.1, 0.5],
        texts=["10 %", "50 %"],
        lows=[0.1, 0.4],
        highs=[0.1, 0.6],
        title="a <title>",
        x_label="known",
        line=(0.2, "allowed & more"),
    )
    assert {"10 %", "50 %", "1", "2", "known", "allowed & more"} <= set(texts(svg))
    assert svg.count('class="whisker"') == 1
    assert "&lt;title&gt;" in svg


def test_bars_of_nothing_and_of_zeros_are_still_svg():
    ET.fromstring(charts.bars([], [], texts=[], title="none"))
    ET.fromstring(charts.bars(["1"], [0.0], texts=["0"], title="zero"))


def test_before_and_after_draws_two_bars_each_and_a_line():
    svg = charts.before_and_after(["1"], [0.9], [0.2], title="t", x_label="known", line=(0.25, "promised", 1))
    assert {"the original, without names", "this release", "promised", "90 %", "20 %"} <= set(texts(svg))
    free = charts.before_and_after(["1"], [0.9], [0.2], title="t", x_label="known")
    assert "promised" not in texts(free)


def test_spans_show_every_row():
    svg = charts.spans([("pivot", 0.28, 0.25, 0.31, ((0.1, "chance"), (0.1, "claim")))], title="t")
    assert {"pivot", "chance", "claim", "28 %"} <= set(texts(svg))


def test_nothing_written_crosses_a_line_or_another_name():
    rows = [
        ("a label as long as those of the attacks on groups", 0.02, 0.01, 0.03, ((0.1, "claim"), (0.11, "baseline")))
    ]
    svg = charts.spans(rows, title="t")
    line = float(re.search(r'class="axis" [^>]*y1="([\d.]+)"', svg)[1])
    heights = [float(y) for y in re.findall(r'<text [^>]*y="([\d.]+)"', svg)]
    assert all(abs(height - line) > 12 for height in heights)
    assert len(set(heights[2:])) == 2  # two ticks side by side: their names stand below each other
