"""The original, arranged for steps 2 and 3: its size, and its risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.counting import percent
from covey.data.kinds import data_kind
from covey.web.pages.charts import Chart, Series, bars, number
from covey.web.records.datasets import Risk


def shape_tiles(kind: str, shape: Mapping[str, Any], columns: Sequence[str] = ()) -> Sequence[tuple[str, str]]:
    """The size of a dataset as tiles; of tables also how many columns the file has."""
    known = data_kind(kind)
    tiles = [(number(shape[key]), words) for key, words in known.sizes.items() if key in shape]
    if known.has_columns:
        tiles.append((number(len(columns)), "columns"))
    if "mean_length" in shape:
        what = f"{known.things} per {known.row}, on average"
        tiles.append((number(round(shape["mean_length"], 1)), what))
    return tiles


def risk_view(risk: Risk, kind: str, *, by_person: bool) -> dict[str, Any]:
    """The risk of the original, in a sentence and charts; of persons where they are named, else of rows."""
    found = {"exposure": _exposure(risk, by_person), "curve": curve_chart(risk)}
    return found | _found_by_few(risk, kind, by_person)


def _found_by_few(risk: Risk, kind: str, by_person: bool) -> dict[str, Any]:
    """What someone who knows a few things achieves."""
    known_kind = data_kind(kind)
    unit = known_kind.known or known_kind.things
    points = [point for point in risk.points if point.eligible]
    if not points:
        return {"headline": "", "explanation": "", "risk_title": "", "risk_chart": None}
    last = points[-1]
    whom, who = ("person", "persons") if by_person else (known_kind.row, known_kind.rows)
    drawn = f"A {whom} with at least that many is drawn at random, and then that many of its"
    chart = bars(
        f"Chance of finding a {whom}, by how many of its {unit} are known",
        [str(point.known) for point in points],
        [
            Series(
                name=f"chance of finding the {whom}",
                values=[point.risk for point in points],
                tone="warn",
                notes={"singled out for certain": [percent(point.unique) for point in points]},
            )
        ],
        axis=f"known {unit} of a {whom}",
        caption=f"{drawn} {unit}. "
        f"The bar is the mean of 1 / (number of {who} that fit)."
        + ("" if known_kind.by_roles else " Sensitive ones are taken to be unknown."),
    )
    known = f"{last.known} {unit}" if last.known > 1 else f"one of the {unit}"
    return {
        "headline": f"Someone who knows {known} of a {whom} singles that {whom} out for certain in "
        f"{percent(last.unique)} of cases.",
        "explanation": f"On average the right one is found with a chance of {percent(last.risk)}, and with it "
        f"everything else that the data says about that {whom}.",
        "risk_title": f"How easily a {whom} is found",
        "risk_chart": chart,
    }


def _exposure(risk: Risk, by_person: bool) -> list[tuple[str, str]]:
    if not risk.exposure:
        return []
    whom, alone = ("person", "are like those of no other person") if by_person else ("row", "have no other like them")
    return [
        (percent(risk.exposure["unique"]), f"of rows {alone}"),
        (percent(risk.exposure["mean"]), f"mean chance of finding a {whom}"),
        (percent(risk.exposure["worst"]), f"chance for the {whom} easiest to find"),
    ]


def coarser_chart(found: Sequence[Mapping[str, Any]]) -> Chart | None:
    """Of ratings: how many records are unique as they are, and on coarser scales; see `covey.measure.uniqueness`."""
    if len(found) < 2:
        return None
    return bars(
        "Records that are unique by all their ordinary ratings, by the step to which ratings are rounded",
        ["as it is" if one["round"] is None else f"{one['round']:g}" for one in found],
        [Series(name="unique records", values=[float(one["unique"]) for one in found], tone="warn")],
        axis="ratings rounded to steps of",
        caption="On a coarser scale fewer records are unique. Whether to round is asked with the method.",
    )


def curve_chart(risk: Risk) -> Chart | None:
    """Of ratings: how many people everybody has company of, by how similar counts as similar."""
    if not risk.curve:
        return None
    return bars(
        "The fewest people with similar ratings that anyone has",
        [f"{point['epsilon']:g}" for point in risk.curve],
        [Series(name="people, the person included", values=[float(point["k"]) for point in risk.curve])],
        unit="number",
        axis="difference of ratings that still counts as similar",
        caption="1 means that someone is unique.",
    )
