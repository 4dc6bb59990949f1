"""Write docs/promises.md from what the page and the command line say of each guarantee; a test compares them."""

from __future__ import annotations

from pathlib import Path

from covey.guarantees import GUARANTEES
from covey.guarantees.words import card
from covey.registry import methods

TARGET = Path(__file__).parents[1] / "docs" / "promises.md"
HEAD = """# Which guarantee do I need?

For a few sensitive items among many ordinary ones: *hide among others* ([`degree`](guarantees/degree.md)), or *a proof
against everyone* ([`label-dp`](guarantees/label-dp.md)). Groups keep more about items that few people have; noise keeps
more from about 200 / epsilon holders on (several times as many if persons have several rows), and someone who knows
all else changes the odds of one item by at most e^ε; of items that go together, the bounds add up. `covey inspect` says
which will serve each sensitive item better. Both publish ordinary items exactly, which can single people out: if that
matters, use `k-anonymity` or `km-anonymity`, and leave the sensitive items out.

Ask two questions. **What might someone outside already know about a person?** And: **what must stay usable?** No
promise covers everything; each page below says what it does not cover.

| you have | someone outside may know | must stay usable | promise |
|---|---|---|---|
"""
TAIL = """
## If in doubt

1. *Is only part of it sensitive?* Baskets with a few sensitive items: `degree`. People can still be *found* by their
   ordinary items; looking someone up does not tell which member of the group has a sensitive item. A table with a
   sensitive column: `l-diversity`.
2. *Must nobody be found at all?* `k-anonymity` covers someone who knows everything; it costs the most.
3. *Does nobody outside know more than a few items?* `km-anonymity` keeps more: at least k people have any m items.
4. *Attributes and items of the same people?* `k-km-anonymity`.
5. *Ratings?* `k-eps-l`; `covey check` tells you whether the survey already keeps it.

How strong? `covey inspect` shows the risk today and what the data allows. Start with a promise of 1 in 10 (`p=10`,
`k=10`), run `covey attack` and `covey evaluate`, and adjust. People with [several rows](persons.md) are protected as
one person only if you name the column that identifies them.

The [glossary](glossary.md) explains the terms.
"""


def text() -> str:
    """The whole page."""
    rows = []
    for name, guarantee in GUARANTEES.items():
        one = card(guarantee)
        data = " or ".join(dict.fromkeys(entry.data for entry in methods(guarantee=name)))
        of_tables = " ([tables](guarantees/k-anonymity.md#tables))" if name == "k-anonymity" else ""
        links = f"[`{name}`](guarantees/{name}.md){of_tables}"
        rows.append(f"| {data} | {one.knows} | {one.usable} | {links}: {one.title.lower()} |\n")
    return HEAD + "".join(rows) + TAIL


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
