"""Charts say their units, keep their letters apart, and are plain SVG without styles that a page could refuse."""

import re
import xml.etree.ElementTree as ET

import pytest

from covey.errors import OutputError
from covey.registry import METHODS
from covey.report import charts

ATTACK = {"attack": "pivot", "success_rate": 0.28, "low": 0.25, "high": 0.31, "claim": 0.1, "baseline": 0.2}
POINT = {"method": "cahd", "strength": 4, "kept": 0.5, "risk": 0.2, "recommended": True}
RISK = {"known": 1, "risk": 0.5, "low": 0.4, "high": 0.6, "eligible": 3}
FIGURES = {
    "bars": lambda: charts.bars(["1", "2"], {"right": [0.1, 0.5]}, x_label="known", y_label="right (%)"),
    "risk": lambda: charts.risk([RISK, {**RISK, "known": 2, "eligible": 0}], "items"),
    "two series": lambda: charts.bars(
        ["1"],
        {"before": [0.9], "after": [0.2]},
        x_label="known",
        y_label="chance (%)",
        line=(0.25, "promised", 1),
        colours=(charts.WARN, charts.INK),
    ),
    "shares": lambda: charts.shares({"a & <b> $x_1$": 0.1, "a very long name of a column": 0.0}, x_label="lost (%)"),
    "attacks": lambda: charts.attacks([ATTACK, {**ATTACK, "claim": None, "baseline": None}], {"pivot": "Guessing"}),
    "trade": lambda: charts.trade([POINT], y_label="kept", share=True, parameter="p"),
    "empty": lambda: charts.trade([], y_label="kept", share=False, parameter="p"),
}


def words(svg):
    return [node.text for node in ET.fromstring(svg).iter("text")]


@pytest.mark.parametrize("make", FIGURES.values(), ids=list(FIGURES))
def test_svg_is_plain_and_repeatable(make):
    svg = charts.svg(make(), "a <title>")
    assert svg == charts.svg(make(), "a <title>")
    assert 'aria-label="a &lt;title&gt;"' in svg
    assert not re.search(r"style=|<style|<metadata|xlink|://", svg)
    assert len(set(re.findall(r' id="(\w+)"', svg))) == svg.count(' id="')


def test_labels_with_markup_and_formulas_stay_as_they_are():
    assert "a & <b> $x_1$" in words(charts.svg(FIGURES["shares"](), "t"))
    assert "a very long name of a c…" in words(charts.svg(FIGURES["shares"](), "t"))


def test_logarithmic_axes_have_plain_numbers():
    figure, ((axis,),) = charts.new_figure()
    with charts.styled():
        axis.plot([1, 1000], [1, 2])
        axis.set_xscale("log")
    assert {"1", "1000"} <= set(words(charts.svg(figure, "t")))
    assert "mathdefault" not in charts.svg(figure, "t")


def test_letters_of_other_scripts_need_no_font():
    assert "日本" in words(charts.svg(charts.shares({"日本": 0.5}, x_label="x"), "t"))


def test_attacks_show_claim_baseline_and_excess():
    svg = charts.svg(FIGURES["attacks"](), "t")
    assert {"Guessing: 28 %", "claimed", "baseline: without the release", "guesses that are right (%)"} <= set(
        words(svg)
    )
    assert charts.WARN in svg
    calm = {**ATTACK, "success_rate": 0.1}
    assert charts.WARN not in charts.svg(charts.attacks([calm], {}), "t")


def test_rivals_have_different_colours():
    looks = charts.looks()
    for guarantee in {name for entry in METHODS for name in entry.guarantees}:
        rivals = {entry.name for entry in METHODS if guarantee in entry.guarantees}
        assert len({looks[name] for name in rivals}) == len(rivals)
    assert charts.look_of("cahd(alpha=5)") == looks["cahd"]


def test_dark_pages_replace_every_ink():
    for light, dark in charts.DARK.items():
        assert f'[fill="{light}"]{{fill:{dark}}}' in charts.CSS


def test_files_are_written_by_their_ending(tmp_path):
    ET.parse(charts.save_plot(FIGURES["risk"](), tmp_path / "risk.SVG"))
    charts.save_plot(FIGURES["risk"](), tmp_path / "risk.SVG")  # a chart of ours may be replaced
    assert charts.encode(FIGURES["risk"](), "png").startswith(b"\x89PNG")
    with pytest.raises(OutputError, match=r"\.svg or \.png"):
        charts.save_plot(FIGURES["risk"](), tmp_path / "risk.pdf")
