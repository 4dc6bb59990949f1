"""What the page draws, as plain data: bars with their names and, for who cannot see them, the same as a table.

The browser draws them with the colours of the page (`static/covey.js`); nothing here knows of pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from covey.counting import percent
from covey.measure.attacks.result import bar_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One chart and its table.

    Attributes
    ----------
    title : str
        What a screen reader says, and the caption of the table.
    spec : mapping
        What the browser draws.
    head, rows : sequences of str
        The table.
    caption : str
        Below the chart.
    low : bool
        Whether it needs little height.
    """

    title: str
    spec: Mapping[str, Any]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    low: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Bars of one colour.

    Attributes
    ----------
    name : str
        What they are.
    values : sequence of float
        From left to right.
    tone : {"ink", "warn", "good"}
        Their colour, by what they say.
    tones : sequence of str
        The same for each bar, where they differ.
    notes : mapping
        Further columns of the table, by heading.
    """

    name: str
    values: Sequence[float]
    tone: str = "ink"
    tones: Sequence[str] = ()
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)


def bars(
    title: str,
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    unit: str = "share",
    axis: str = "",
    caption: str = "",
    line: tuple[float, str, int] | None = None,
    lying: bool = False,
) -> Chart:
    """Bars for each label, of one or several series.

    Parameters
    ----------
    title : str
        What a screen reader says.
    labels : sequence of str
        What stands below each bar or pair of bars.
    series : sequence of Series
        What is drawn.
    unit : {"share", "number"}
        How values are written.
    axis : str
        What the labels are.
    caption : str
        Below the chart.
    line : (float, str, int) or None
        Where to draw a line, what it means, and across how many of the labels.
    lying : bool
        From left to right instead of upright, for long labels.

    Examples
    --------
    >>> bars("Risk", ["1"], [Series(name="risk", values=[0.25])], axis="items known").rows
    [['1', '25 %']]
    """
    write = percent if unit == "share" else number
    head = [axis or "", *(column for one in series for column in (one.name, *one.notes))]
    rows = [
        [
            label,
            *(text for one in series for text in (write(one.values[i]), *(notes[i] for notes in one.notes.values()))),
        ]
        for i, label in enumerate(labels)
    ]
    spec = {
        "labels": list(labels),
        "series": [{"name": s.name, "values": list(s.values), "tone": s.tone, "tones": list(s.tones)} for s in series],
        "unit": unit,
        "axis": axis,
        "direction": "lying" if lying else "upright",
        "line": None if line is None else {"value": line[0], "label": line[1], "reach": line[2]},
    }
    return Chart(title=title, spec=spec, head=head, rows=rows, caption=caption, low=lying and len(labels) <= 4)


def number(value: float) -> str:
    """A number as people read it: thousands apart, and no more digits than mean something.

    Examples
    --------
    >>> [number(v) for v in (12345, 12.34, 0.12345, 3.0)]
    ['12,345', '12.3', '0.123', '3']
    """
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _lift(attack: Mapping[str, Any]) -> str:
    """The lift of an attack; nothing where there is nothing that it could be relative to."""
    compared = "lift" in attack and bar_of(attack["claim"], attack.get("baseline"))
    return f"{attack['lift']:.2f}" if compared else ""


def attack_chart(attacks: Sequence[Mapping[str, Any]]) -> Chart | None:
    """How often each attack was right, beside what is promised, if anything is."""
    if not attacks:
        return None
    claim = next((float(attack["claim"]) for attack in attacks if attack["claim"] is not None), None)
    return bars(
        "How often each attack guessed right",
        [str(attack["attack"]) for attack in attacks],
        [
            Series(
                name="right guesses",
                values=[float(attack["success_rate"]) for attack in attacks],
                tones=["warn" if attack["beats_claim"] else "good" for attack in attacks],
                notes={
                    "without the release": [
                        "" if (baseline := attack.get("baseline")) is None else percent(baseline) for attack in attacks
                    ],
                    "lift": [_lift(attack) for attack in attacks],
                    "95 % interval": [f"{percent(attack['low'])} to {percent(attack['high'])}" for attack in attacks],
                    "guesses": [f"{attack['targets']:,}" for attack in attacks],
                },
            )
        ],
        axis="attack",
        line=None if claim is None else (claim, f"promised: {percent(claim)}", len(attacks)),
        lying=True,
    )
