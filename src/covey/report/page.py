"""The shell of an HTML report: one file, no network, light and dark, good on paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from covey.report.charts import CSS

#: On every page, at the top.
BRAND = '<div class="brand">covey</div>'
MARKS = (BRAND.encode(),)

STYLE = """
:root{--paper:#fff;--raised:#f5f7f9;--text:#1c2733;--dim:#5d6b7a;--rule:#d9dfe5;--ink:#1f5f8b;--good:#1b7a4b;
--good-back:#e8f5ee;--warn:#b4471f;--warn-back:#fdf0e9;--code:#f1f4f7}
@media (prefers-color-scheme:dark){:root{--paper:#14191f;--raised:#1c232b;--text:#e4e9ee;--dim:#98a6b4;
--rule:#313b46;--ink:#6bb3e0;--good:#5cc48f;--good-back:#16301f;--warn:#ef9068;--warn-back:#37221a;--code:#1f2730}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:54rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}
header p{margin:.2rem 0;color:var(--dim)}
.brand{font-weight:650;letter-spacing:.04em;color:var(--ink);font-size:.95rem}
h1{font-size:2rem;line-height:1.2;margin:.4rem 0 .3rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:2.8rem 0 .6rem;padding-top:1.1rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.5rem 0 .4rem}
p{margin:.6rem 0}
ul{padding-left:1.2rem;margin:.5rem 0}
li{margin:.3rem 0}
.dim{color:var(--dim)}
.small{font-size:.88rem}
.verdict{display:flex;gap:1rem;align-items:flex-start;border-radius:10px;padding:1.1rem 1.3rem;
margin:1.4rem 0;background:var(--good-back);border:1px solid var(--good)}
.verdict.bad{background:var(--warn-back);border-color:var(--warn)}
.verdict .mark{font-size:1.7rem;line-height:1.2;color:var(--good);font-weight:700}
.verdict.bad .mark{color:var(--warn)}
.verdict strong{font-size:1.15rem}
.verdict p{margin:.2rem 0 0}
.banner{border-left:4px solid var(--warn);background:var(--warn-back);padding:.6rem 1rem;
border-radius:0 8px 8px 0;margin:1.2rem 0;font-size:.92rem}
.tiles{display:grid;grid-template-columns:repeat(var(--columns,3),1fr);gap:.8rem;margin:1.2rem 0}
.tile{background:var(--raised);border:1px solid var(--rule);border-radius:10px;padding:.8rem 1rem}
.tile b{display:block;font-size:1.45rem;font-weight:640;font-variant-numeric:tabular-nums;line-height:1.25}
.tile span{color:var(--dim);font-size:.86rem;line-height:1.35;display:block}
table{border-collapse:collapse;width:100%;margin:.8rem 0;font-size:.93rem}
th{text-align:left;font-weight:600;color:var(--dim);font-size:.84rem}
th,td{padding:.45rem .7rem .45rem 0;border-bottom:1px solid var(--rule);vertical-align:top}
.wide{overflow-x:auto}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
td.ok{color:var(--good);font-weight:700;width:1.6rem}
td.no{color:var(--warn);font-weight:700;width:1.6rem}
td.hash{font:.78rem ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
dt{font-weight:600;margin-top:.7rem}dd{margin:.1rem 0 .1rem 0}a{color:var(--ink)}
figure{margin:1rem 0}
figcaption{color:var(--dim);font-size:.88rem;margin-top:.4rem}
pre{background:var(--code);border:1px solid var(--rule);border-radius:8px;padding:.8rem 1rem;overflow-x:auto;
font:.84rem/1.5 ui-monospace,Menlo,Consolas,monospace;margin:.5rem 0}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em}
.signing th{width:11rem;padding-right:1rem}
.signing td{overflow-wrap:anywhere}
.signing .lines{display:grid;grid-template-columns:1fr 1fr;gap:2.6rem 2rem;margin:3rem 0 1rem}
.signing .lines div{border-top:1px solid var(--text);padding-top:.25rem}
.signing .lines span{color:var(--dim);font-size:.84rem}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--rule);color:var(--dim);font-size:.85rem}
@media (max-width:36rem){.tiles{grid-template-columns:1fr 1fr}
.signing .lines{grid-template-columns:1fr}.signing th{width:6.5rem}main{padding:1.4rem 1rem 3rem}}
@page{size:A4;margin:16mm 15mm}
@media print{:root{--paper:#fff;--raised:#f5f7f9;--text:#111;--dim:#555;--rule:#ccc;--ink:#1f5f8b;
--good:#1b7a4b;--good-back:#eef7f1;--warn:#b4471f;--warn-back:#fdf3ee;--code:#f6f7f8}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
body{font-size:10.5pt}main{max-width:none;padding:0}h2{margin-top:1.6rem;break-after:avoid}h3{break-after:avoid}
figure,table,pre,.tile,.verdict,.banner{break-inside:avoid}.signing{break-before:page;break-inside:avoid}pre{white-space:pre-wrap;overflow-wrap:anywhere}
}
"""


FOOTER = "<footer>Made by covey. This file is self-contained: it loads nothing from the network.</footer>"


def document(title: str, body: Iterable[str]) -> str:
    """A whole page around its sections."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def heading(title: str, *lines: str) -> str:
    """The head of a page."""
    rest = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    return f"<header>{BRAND}<h1>{escape(title)}</h1>{rest}</header>"


def anchor_of(title: str) -> str:
    """Return the name by which a heading is linked.

    Examples
    --------
    >>> anchor_of("What is promised")
    'what-is-promised'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def section(title: str, *parts: str) -> str:
    """A section with its heading."""
    return (
        f'<section id="{anchor_of(title)}">\n<h2>{escape(title)}</h2>\n'
        + "\n".join(part for part in parts if part)
        + "\n</section>"
    )


def paragraph(text: str, *, style: str = "") -> str:
    """Plain text as a paragraph."""
    return f'<p class="{style}">{escape(text)}</p>' if style else f"<p>{escape(text)}</p>"


def banner(text: str) -> str:
    """Plain text that must not be overlooked."""
    return f'<div class="banner">{escape(text)}</div>'


def points(texts: Iterable[str]) -> str:
    """Plain texts as a list."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def figure(picture: str, caption: str) -> str:
    """A picture (markup) and what it shows (text)."""
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def tiles(figures: Sequence[tuple[str, str]]) -> str:
    """Key figures: (number, what it counts)."""
    inside = "".join(
        f'<div class="tile"><b>{escape(number)}</b><span>{escape(what)}</span></div>' for number, what in figures
    )
    columns = 4 if len(figures) % 4 == 0 else 3
    return f'<div class="tiles" style="--columns:{columns}">{inside}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    """Plain texts as a table; the columns in `numbers` are set flush right."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(
            f'<{tag} class="n">{escape(text)}</{tag}>' if i in numbers else f"<{tag}>{escape(text)}</{tag}>"
            for i, text in enumerate(texts)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{cells("th", heads)}</tr></thead><tbody>{body}</tbody></table></div>'


def code(text: str) -> str:
    """Something to type."""
    return f"<pre>{escape(text.strip())}</pre>"
