"""The chart of what releases keep against what they risk, as coordinates; each point is a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from covey.attacks.titles import title_of
from covey.report.charts import percent
from covey.web.records.jobs import Job
from covey.web.server.trades import TradeOff

#: The drawing: its size, and the edges of the field in it.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 64, 24, 20, 52
#: Marks that differ in form and colour, by method.
LOOKS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One release in the chart."""

    job: Job
    x: float
    y: float
    look: int
    label: str
    says: str
    recommended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


def trade_view(found: TradeOff, risk: str = "") -> dict[str, Any]:
    """Everything that the page draws and lists; `risk` is the attack that the risk is measured by, else the best."""
    trade, rows = found.trade, []
    methods = list(dict.fromkeys(job.method for job in found.jobs))
    known = list(dict.fromkeys(one["attack"] for point in trade.points for one in point.attacks if one["targets"]))
    risk = risk if risk in known else ""
    by_job = {job.id: point for job, point in zip(found.measured, trade.points, strict=True)}
    drawn = []
    for job in found.jobs:
        point = by_job.get(job.id)
        kept = None if point is None else trade.kept(point)
        attack = None if point is None else point.attack(risk)
        rows.append(
            {
                "job": job,
                "look": methods.index(job.method) % LOOKS,
                "strength": job.guarantee,
                "kept": "" if kept is None else str(kept),
                "attack": "" if attack is None else title_of(attack["attack"]),
                "right": "" if attack is None else percent(attack["success_rate"]),
                "lift": "" if point is None else f"{point.lift:.2f}",
                "recommended": job is found.recommended,
            }
        )
        if point is not None and kept is not None and attack is not None:
            drawn.append((job, float(attack["success_rate"]), kept, point.strength))
    return {
        "rows": rows,
        "methods": [(name, at % LOOKS) for at, name in enumerate(methods)],
        "measure": trade.measure,
        "recommended": found.recommended,
        "why": trade.why,
        "left": len(found.active),
        "done": len(found.measured),
        "total": len(found.jobs),
        "risks": [(name, title_of(name)) for name in known],
        "risk": risk,
        **_drawing(found, drawn, methods),
    }


def _drawing(found: TradeOff, drawn: list[tuple[Job, float, Any, float]], methods: list[str]) -> dict[str, Any]:
    if not drawn:
        return {"spots": [], "across": [], "up": []}
    share = drawn[0][2].share
    xs, ys = (
        _range([x for _, x, _, _ in drawn], top=1.0),
        _range([k.value for _, _, k, _ in drawn], top=1 if share else 0),
    )

    def across(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - xs[0]) / (xs[1] - xs[0]), 1)

    def up(value: float) -> float:
        part = (value - ys[0]) / (ys[1] - ys[0])
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (part if share else 1 - part), 1)

    spots = [
        Spot(
            job=job,
            x=across(x),
            y=up(kept.value),
            look=methods.index(job.method) % LOOKS,
            label=f"{found.parameter} = {strength:g}",
            says=f"{found.parameter} = {strength:g} by {job.method}: {kept.label} {kept}, attack right {percent(x)}",
            recommended=job is found.recommended,
        )
        for job, x, kept, strength in drawn
    ]
    return {
        "spots": spots,
        "across": [Tick(at=across(value), text=percent(value)) for value in _ticks(xs)],
        "up": [Tick(at=up(value), text=percent(value) if share else f"{value:.3g}") for value in _ticks(ys)],
    }


def _range(values: list[float], *, top: float) -> tuple[float, float]:
    """An interval around values, with some room, within 0 and `top` if that is not 0.

    Examples
    --------
    >>> _range([0.5, 0.5], top=1)
    (0.45, 0.55)
    """
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or 0.1 * abs(high) or 0.05
    high = high + room if not top else min(high + room, max(top, high))
    return max(low - room, 0.0), high


def _ticks(ends: tuple[float, float]) -> list[float]:
    return [ends[0] + (ends[1] - ends[0]) * part / 4 for part in range(5)]
