"""Pieces of an HTML report (one file, no network, light and dark, good on paper), and parts that terminals print."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from covey.report.charts import CSS, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BRAND = '<div class="brand">covey</div>'
#: Found in every page of covey's, and in no other file.
MARKS = (BRAND.encode(),)
FOOTER = "Made by covey. This file is self-contained: it loads nothing from the network."


@cache
def style() -> str:
    """Return the style sheet of reports and of `covey serve`."""
    return (files("covey.report") / "covey.css").read_text(encoding="utf-8") + CSS


def document(name: str, about: str, heading: str, lines: str, body: Iterable[str]) -> str:
    """Return a whole page: its name in the browser's title, a heading with a line below it, and its sections."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(name)} · {about}</title>\n<style>{style()}</style>\n</head>\n"
        f'<body class="report">\n<main>\n<header>{BRAND}<h1>{escape(heading)}</h1><p>{escape(lines)}</p></header>\n'
        + "\n".join(filter(None, body))
        + f'\n<p class="dim small">{FOOTER}</p>\n</main>\n</body>\n</html>\n'
    )


def anchor_of(title: str) -> str:
    """Return the name by which a heading is linked.

    Examples
    --------
    >>> anchor_of("What is promised")
    'what-is-promised'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def section(title: str, *parts: str) -> str:
    """Return a section with its heading."""
    return (
        f'<section id="{anchor_of(title)}">\n<h2>{escape(title)}</h2>\n' + "\n".join(filter(None, parts)) + "</section>"
    )


def heading(title: str) -> str:
    """Return a heading inside a section."""
    return f'<h3 id="{anchor_of(title)}">{escape(title)}</h3>'


def paragraph(text: str, style: str = "") -> str:
    """Return plain text as a paragraph; no text, nothing."""
    return f'<p class="{style}">{escape(text)}</p>' if text else ""


def banner(text: str) -> str:
    """Return plain text that must not be overlooked."""
    return f'<div class="note warn"><p>{escape(text)}</p></div>'


def points(texts: Iterable[str]) -> str:
    """Return plain texts as a list."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def figure(picture: str, caption: str) -> str:
    """Return a picture (markup) with what it shows (text)."""
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def tiles(figures: Sequence[tuple[str, str]]) -> str:
    """Return key figures: (number, what it counts)."""
    tile = '<div class="tile"><b>{}</b><span>{}</span></div>'
    return f'<div class="tiles">{"".join(tile.format(escape(n), escape(what)) for n, what in figures)}</div>'


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[int] = (), label: str = ""
) -> str:
    """Return plain texts as a table; the columns in `numbers` are set flush right.

    A table with a `label` can be scrolled by keyboard where it is wider than the page.
    """

    def line(tag: str, texts: Sequence[str]) -> str:
        marks = (' class="n"' if i in numbers else "" for i in range(len(texts)))
        cells = (f"<{tag}{mark}>{escape(text)}</{tag}>" for mark, text in zip(marks, texts, strict=True))
        return f"<tr>{''.join(cells)}</tr>"

    head = f"<thead>{line('th', heads)}</thead>" if any(heads) else ""
    body = "".join(line("td", row) for row in rows)
    region = f' tabindex="0" role="region" aria-label="{escape(label)}"' if label else ""
    pairs = ' class="pairs"' if len(heads) == 2 else ""
    return f'<div class="scroll"{region}><table{pairs}>{head}<tbody>{body}</tbody></table></div>'


def code(text: str) -> str:
    """Return something to type."""
    return f"<pre>{escape(text.strip())}</pre>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Sentences, a chart and a table about one thing: a terminal prints them without the chart, a page shows `html`."""

    title: str = ""
    #: Sentences above the chart and the table.
    lines: tuple[str, ...] = ()
    #: Draws the chart, and what it shows.
    chart: Callable[[], Figure] | None = None
    caption: str = ""
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    #: The columns that are set flush right.
    numbers: Collection[int] = ()
    #: Sentences below it that must not be overlooked, and a remark in small print.
    warnings: tuple[str, ...] = ()
    note: str = ""

    def __rich__(self) -> Group:
        """For ``rich``; labels from the data are never taken for markup."""
        shown: list[RenderableType] = [Text(f"\n{self.title}")] if self.title else []
        shown += [Text(f"  {line}") for line in self.lines]
        if self.rows:
            grid = Table(box=None, pad_edge=False, padding=(0, 2), show_header=any(self.heads))
            for i, head in enumerate(self.heads):
                grid.add_column(head, justify="right" if i in self.numbers else "left")
            for row in self.rows:
                grid.add_row(*map(Text, row))
            shown.append(Padding(grid, (0, 0, 0, 2), expand=False))
        shown += [Text(f"  {warning}", style="red") for warning in self.warnings]
        return Group(*shown, *([Text(f"  {self.note}", style="dim")] if self.note else []))

    def html(self, *, folded: bool = False) -> str:
        """Return it as markup, without its title; `folded` hides the figures of a chart in a closed element."""
        shown = [*map(paragraph, self.lines)]
        if self.chart is not None:
            shown.append(figure(svg(self.chart(), self.title), self.caption))
        if self.rows:
            rows = table(self.heads, self.rows, numbers=self.numbers, label=self.title)
            hidden = f'<details><summary class="small">The figures as a table</summary>{rows}</details>'
            shown.append(hidden if folded and self.chart is not None else rows)
        return "".join([*shown, *map(banner, self.warnings), paragraph(self.note, "dim small")])


def parts_section(title: str, parts: Part | Sequence[Part] | None) -> str:
    """Return parts as one section, each below its own title where that differs; nothing if there are none."""
    listed = [parts] if isinstance(parts, Part) else parts or []
    shown = [(heading(part.title) if part.title not in ("", title) else "") + part.html() for part in listed]
    return section(title, *shown) if shown else ""
