"""Write docs/methods/index.md from the registry; a test fails when the two differ."""

from __future__ import annotations

from pathlib import Path

from covey.registry import METHODS

TARGET = Path(__file__).parents[1] / "docs" / "methods" / "index.md"
HEAD = """# Methods

`covey methods` prints this list from the registry, with every option. Of the methods that keep the same guarantee the
first is the one covey recommends, and uses when none is named.

| method | keeps | data | what it does |
|---|---|---|---|
"""


def table() -> str:
    """The whole page."""
    rows = [
        f"| [`{m.name}`]({m.name}.md) | {', '.join(f'`{g}`' for g in m.guarantees)} | {m.data} | {m.summary} |\n"
        for m in METHODS
    ]
    return HEAD + "".join(rows)


if __name__ == "__main__":
    TARGET.write_text(table(), encoding="utf-8")
