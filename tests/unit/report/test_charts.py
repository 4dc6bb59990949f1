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


def test_pairs_draw_two_bars_each():
    svg = charts.pairs(
        ["1"], [0.9], [0.1], title="t", names=("before", "after"), x_label="known", line=(0.1, "promised")
    )
    assert {"before", "after", "promised", "90 %", "10 %"} <= set(texts(svg))


def test_spans_show_every_row():
    svg = charts.spans([("pivot", 0.28, 0.25, 0.31, ((0.1, "chance"), (0.1, "claim")))], title="t")
    assert {"pivot", "chance", "claim", "28 %"} <= set(texts(svg))
