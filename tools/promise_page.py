"""Write docs/promises.md from what the page and the command line say of each guarantee; a test compares them."""

from __future__ import annotations

from pathlib import Path

from covey.registry import methods
from covey.web.pages.words import GUARANTEES

TARGET = Path(__file__).parents[1] / "docs" / "promises.md"
HEAD = """# Which promise do I need?

Ask two questions. **What may somebody outside already know of a person?** And: **what must stay usable?** No promise
covers everything, and each page below says what it leaves open.

| you have | somebody outside may know | must stay usable | promise |
|---|---|---|---|
"""
TAIL = """
## In doubt

1. *Is only some of it delicate?* Baskets with a few sensitive items: `degree`. People can still be *found* by their
   ordinary items; their sensitive items cannot be *pinned* on them. A table with a sensitive column: `l-diversity`.
2. *Must nobody be found at all?* `k-anonymity`, against somebody who knows everything that is published; it costs most.
3. *Does nobody outside know more than a few items?* `km-anonymity` keeps more: k people fit any m items.
4. *Attributes and items of the same people?* `k-km-anonymity`.
5. *Ratings?* `k-eps-l`; `covey check` says whether the survey keeps it as it is.

How strong? `covey inspect` shows the risk today and what the data allows. A promise of 1 in 10 (`p=10`, `k=10`) is a
usual start; make it, run `covey attack` and `covey evaluate`, and move from there. Somebody with
[several rows](persons.md) is protected as one only if you name who they are.

Unknown words are in the [glossary](glossary.md).
"""


def text() -> str:
    """The whole page."""
    rows = []
    for name, one in GUARANTEES.items():
        data = " or ".join(dict.fromkeys(entry.data for entry in methods(guarantee=name)))
        pages = [f"guarantees/{name}.md"]
        if name == "k-anonymity":
            pages.append("guarantees/k-anonymity-tables.md")
        links = f"[`{name}`]({pages[0]})" + "".join(f" ([tables]({page}))" for page in pages[1:])
        rows.append(f"| {data} | {one.knows} | {one.usable} | {links}: {one.title.lower()} |\n")
    return HEAD + "".join(rows) + TAIL


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
