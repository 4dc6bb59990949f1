"""The chart of what releases keep against what they risk, as coordinates; each point is a link."""

from __future__ import annotations

import math
from typing import Any

from covey.counting import percent
from covey.measure.attacks.result import right_of, title_of
from covey.web.records.jobs import Job
from covey.web.server.trades import TradeOff

#: The drawing: its size, and the edges of the field in it.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 64, 24, 20, 52
#: How large labels and marks are on a phone, where letters are largest: a character, a line, half a mark.
CHARACTER, LINE, MARK = 10.0, 20.0, 9.0
#: Marks that differ in form and colour, by method.
LOOKS = 5


#: Left, upper, right and lower edge.
Box = tuple[float, float, float, float]


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
                "right": "" if attack is None else right_of(attack),
                "lift": "" if point is None else "—" if point.lift is None else f"{point.lift:.2f}",
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
    xs = _range([x for _, x, _, _ in drawn], top=1.0)
    ys = _range([kept.value for _, _, kept, _ in drawn], top=1 if share else 0)

    def across(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - xs[0]) / (xs[1] - xs[0]), 1)

    def up(value: float) -> float:
        part = (value - ys[0]) / (ys[1] - ys[0])
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (part if share else 1 - part), 1)

    spots: list[dict[str, Any]] = [
        {
            "job": job,
            "x": across(x),
            "y": up(kept.value),
            "look": methods.index(job.method) % LOOKS,
            "label": f"{found.parameter} = {strength:g}",
            "says": f"{found.parameter} = {strength:g} by {job.method}: {kept.label} {kept}, attack right {percent(x)}",
            "recommended": job is found.recommended,
        }
        for job, x, kept, strength in drawn
    ]
    above = _placed([(one["x"], one["y"], one["recommended"]) for one in spots], [one["label"] for one in spots])
    return {
        "spots": [{**one, "above": place} for one, place in zip(spots, above, strict=True)],
        "across": [{"at": across(value), "text": _share(value)} for value in _ticks(xs)],
        "up": [{"at": up(value), "text": _share(value) if share else f"{value:g}"} for value in _ticks(ys)],
    }


def _placed(spots: list[tuple[float, float, bool]], texts: list[str]) -> list[float]:
    """Where the label of each spot stands: above it or, where it would lie on another, at the nearest free place.

    Examples
    --------
    >>> _placed([(100, 100, False), (104, 100, False), (300, 100, True)], ["k = 2", "k = 5", "k = 5"])
    [88.0, 68.0, 82.0]
    """
    marks = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y, _ in spots]
    taken: list[Box] = []
    found = []
    for place, ((x, y, ringed), text) in enumerate(zip(spots, texts, strict=True)):
        half, gap = CHARACTER * len(text) / 2, 18 if ringed else 12
        others = [*taken, *(mark for at, mark in enumerate(marks) if at != place)]
        turns = [turn for step in range(12) for turn in (-gap - LINE * step, gap + 10 + LINE * step)]
        boxes = {turn: (x - half, y + turn - LINE + 3, x + half, y + turn + 3) for turn in turns}
        inside = [turn for turn in turns if boxes[turn][1] >= TOP - 8 and boxes[turn][3] <= HEIGHT - BOTTOM]
        free = [turn for turn in inside if not any(_overlap(boxes[turn], other) for other in others)]
        turn = (free or inside or turns)[0]
        taken.append(boxes[turn])
        found.append(round(y + turn, 1))
    return found


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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
    """Round numbers within an interval, four to ten of them.

    Examples
    --------
    >>> _ticks((0.0197, 0.084)), _ticks((0.53, 0.75))
    ([0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08], [0.55, 0.6, 0.65, 0.7, 0.75])
    """
    low, high = ends
    unit = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = unit * max(times for times in (1, 2, 5, 10) if unit * times <= (high - low) / 4)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{step * place:.6g}") for place in range(first, last + 1)]


def _share(value: float) -> str:
    return f"{100 * value:g} %"
