"""Write what docs/methods says of the registry: the overview, and the options of each method on its page.

A test fails when pages and registry differ.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from covey.parameters import Parameter
from covey.registry import METHODS, MethodEntry, kinds_taken

PAGES = Path(__file__).parents[1] / "docs" / "methods"
HEAD = """# Methods

`covey methods` prints this list from the registry, with every option. Among the methods that keep the same guarantee,
covey recommends the first and uses it when none is named; with a taxonomy, it is the first that generalizes along one.

| method | keeps | data | what it does |
|---|---|---|---|
"""
TAIL = """
Every method also takes a `seed`, which makes its release reproducible. Without one, random numbers come from the
system. A seed is never written into a release. If an option cut a search short, the `notes` in the manifest of the
release say which one.
"""
OPTIONS = re.compile(r"(<!-- options -->\n).*?(<!-- end of options -->\n)", re.DOTALL)


def overview() -> str:
    """The page that lists all methods."""
    rows = [
        f"| [`{m.name}`]({page(m).name}) | {', '.join(f'`{g}`' for g in m.guarantees)} | {kinds} | {m.summary} |\n"
        for m, kinds in kinds_taken()
    ]
    return HEAD + "".join(rows) + TAIL


def page(entry: MethodEntry) -> Path:
    """The page of a method; for a further kind of data it has one more, such as ``pattern-ka-tables.md``."""
    first = next(m for m in METHODS if m.name == entry.name)
    return PAGES / (f"{entry.name}.md" if entry.target == first.target else f"{entry.name}-{entry.data}s.md")


def options(entry: MethodEntry) -> str:
    """The table of a method's options, those for experiments last."""
    declared = [p for p in entry.parameters() if p.name != "seed"]
    if not declared:
        return "It has no options.\n"
    rows = [f"| `{p.name}` | {_values(p)} | {_text(p.default)} | {_meaning(p)} |\n" for p in declared]
    return "| option | values | default | meaning |\n|---|---|---|---|\n" + "".join(rows)


def _values(declared: Parameter) -> str:
    if declared.type == "taxonomy":
        return "a `Taxonomy`, or `--taxonomy FILE`"
    if declared.type == "choice":
        return ", ".join(f"`{choice}`" for choice in declared.one_of)
    return declared.wanted


def _text(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if type(value) is int else f"`{str(value).lower()}`"


def _meaning(declared: Parameter) -> str:
    expert = "For experiments. " if declared.expert else ""
    cut_short = f" *If it cuts a search short:* {declared.cut_short}" if declared.cut_short else ""
    return f"{expert}{declared.says}{cut_short}"


def pages() -> dict[Path, str]:
    """What each page should hold; a method whose page has no place for its options is an error."""
    written = {PAGES / "index.md": overview()}
    for entry, _ in kinds_taken():
        text, places = OPTIONS.subn(
            lambda match, entry=entry: match[1] + options(entry) + match[2],
            page(entry).read_text(encoding="utf-8"),
        )
        if places != 1:
            raise SystemExit(f"{page(entry).name} needs one <!-- options --> and one <!-- end of options -->.")
        written[page(entry)] = text
    return written


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
