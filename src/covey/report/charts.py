"""Small charts as inline SVG, drawn with the page's colours so that they follow light, dark and print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from covey.counting import percent

WIDTH = 640


def bars(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    texts: Sequence[str],
    title: str,
    x_label: str = "",
    lows: Sequence[float] | None = None,
    highs: Sequence[float] | None = None,
    line: tuple[float, str] | None = None,
    tone: str = "ink",
) -> str:
    """Upright bars with their values on top, whiskers, and a dashed reference line.

    Parameters
    ----------
    labels, values, texts : sequences
        Below, height and above each bar.
    lows, highs : sequences or None
        Ends of the whiskers.
    line : (float, str) or None
        Where to draw a line across, and what it means.
    """
    height = 220
    top = max([*values, *(highs or ()), *([line[0]] if line else ()), 0.0]) or 1.0
    left, right, base, head = 12, WIDTH - 12, height - (44 if x_label else 26), 26
    step = (right - left) / max(len(values), 1)
    thick = min(step * 0.62, 84.0)

    def y(value: float) -> float:
        return base - (base - head) * value / top

    parts = [f'<line class="axis" x1="{left}" x2="{right}" y1="{base}" y2="{base}"/>']
    for i, (label, value, text) in enumerate(zip(labels, values, texts, strict=True)):
        middle = left + step * (i + 0.5)
        parts.append(_bar(tone, middle - thick / 2, y(value), thick, base))
        above = y(value)
        if lows is not None and highs is not None and highs[i] > lows[i]:
            parts.append(f'<path class="whisker" d="M{middle:.1f} {y(lows[i]):.1f}V{y(highs[i]):.1f}m-5 0h10"/>')
            above = y(highs[i])
        parts.append(f'<text class="value" x="{middle:.1f}" y="{above - 6:.1f}">{escape(text)}</text>')
        parts.append(f'<text class="label" x="{middle:.1f}" y="{base + 16}">{escape(label)}</text>')
    if x_label:
        parts.append(f'<text class="label dim" x="{WIDTH / 2}" y="{base + 36}">{escape(x_label)}</text>')
    if line is not None:
        at = y(line[0])
        parts.append(f'<line class="reference" x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="note" x="{left}" y="{at - 5:.1f}">{escape(line[1])}</text>')
    return _svg(parts, height, title)


def before_and_after(
    labels: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    *,
    title: str,
    x_label: str,
    line: tuple[float, str, int] | None = None,
) -> str:
    """Two bars of shares for each label, from the original and from the release, with a legend.

    Parameters
    ----------
    labels, before, after : sequences
        Below each pair, and the two shares.
    line : (float, str, int) or None
        Where to draw a line, what it means, and across how many of the labels.
    """
    height = 250
    top = max([*before, *after, *([line[0]] if line else ()), 0.0]) or 1.0
    left, right, base, head = 12, WIDTH - 12, height - 44, 58
    step = (right - left) / max(len(labels), 1)
    thick = min(step * 0.34, 56.0)

    def y(value: float) -> float:
        return base - (base - head) * value / top

    parts = [f'<line class="axis" x1="{left}" x2="{right}" y1="{base}" y2="{base}"/>']
    for place, tone, name in (
        (left, "warn", "the original, without names"),
        (left + 222, "good", "this release"),
    ):
        parts.append(f'<rect class="{tone}" x="{place}" y="6" width="12" height="12" rx="2"/>')
        parts.append(f'<text x="{place + 18}" y="17">{escape(name)}</text>')
    for i, label in enumerate(labels):
        middle = left + step * (i + 0.5)
        for value, tone, shift in ((before[i], "warn", -thick - 2), (after[i], "good", 2.0)):
            x = middle + shift
            parts.append(_bar(tone, x, y(value), thick, base))
            parts.append(f'<text class="value" x="{x + thick / 2:.1f}" y="{y(value) - 6:.1f}">{percent(value)}</text>')
        parts.append(f'<text class="label" x="{middle:.1f}" y="{base + 16}">{escape(label)}</text>')
    parts.append(f'<text class="label dim" x="{WIDTH / 2}" y="{base + 36}">{escape(x_label)}</text>')
    if line is not None:
        at, place = y(line[0]), left + 345
        parts.insert(
            0, f'<line class="reference" x1="{left}" x2="{left + step * line[2]:.1f}" y1="{at:.1f}" y2="{at:.1f}"/>'
        )
        parts.append(f'<line class="reference" x1="{place}" x2="{place + 26}" y1="12" y2="12"/>')
        parts.append(f'<text x="{place + 34}" y="17">{escape(line[1])}</text>')
    return _svg(parts, height, title)


def lying_bars(rows: Sequence[tuple[str, float]], *, title: str) -> str:
    """One bar per row from left to right, for shares with long labels.

    Each row is (label, share); a label too long for its place is cut.
    """
    top = max([1e-9, *(value for _, value in rows)])
    left, right, pitch, shown = 178, WIDTH - 76, 26, 24
    parts = []
    for i, (label, value) in enumerate(rows):
        y = 4 + pitch * i
        text = label if len(label) <= shown else label[: shown - 1] + "…"
        long = (right - left) * value / top
        parts.append(
            f'<text x="0" y="{y + 14}">{escape(text)}</text>'
            f'<rect class="ink" x="{left}" y="{y}" width="{max(long, 0.8):.1f}" height="{pitch - 8}" rx="2"/>'
            f'<text class="share" x="{left + long + 8:.1f}" y="{y + 14}">{percent(value)}</text>'
        )
    return _svg(parts, pitch * len(rows) + 4, title)


def spans(rows: Sequence[tuple[str, float, float, float, Sequence[tuple[float, str]]]], *, title: str) -> str:
    """One line per row on a scale of shares: a dot with its interval, and ticks with names.

    Each row is (label, value, low, high, ticks), all shares from 0 to 1. The label stands above its line, the names of
    ticks below it, and the second of two that are close one line lower.
    """
    top = max([1e-9, *(max(value, high, *(t for t, _ in ticks)) for _, value, _, high, ticks in rows)]) * 1.05
    left, right, room = 20, WIDTH - 20, 96

    def x(value: float) -> float:
        return left + (right - left) * value / top

    parts, y = [], 0
    for label, value, low, high, ticks in rows:
        parts.append(f'<text class="row" x="0" y="{y + 16}">{escape(label)}</text>')
        parts.append(f'<text class="share end" x="{WIDTH}" y="{y + 16}">{percent(value)}</text>')
        y += 34
        parts.append(f'<line class="axis" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>')
        below, taken = 22, -float(room)
        for at, name in sorted(ticks):
            below, taken = (below + 15 if x(at) - taken < room else 22), x(at)
            anchor, edge = ("middle", x(at)) if x(at) < WIDTH - room / 2 else ("end", WIDTH)
            parts.append(
                f'<line class="tick" x1="{x(at):.1f}" x2="{x(at):.1f}" y1="{y - 8}" y2="{y + 8}"/>'
                f'<text class="note {anchor}" x="{edge:.1f}" y="{y + below}">{escape(name)}</text>'
            )
        if high > low:
            parts.append(f'<line class="span" x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="dot" cx="{x(value):.1f}" cy="{y}" r="5.5"/>')
        y += below + 16
    return _svg(parts, y, title)


def _bar(tone: str, x: float, y: float, width: float, base: float) -> str:
    height = max(base - y, 0.8)
    return f'<rect class="{tone}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2"/>'


def _svg(parts: list[str], height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title, quote=True)}">'
        f"{''.join(parts)}</svg>"
    )
