"""Write the table of methods in docs/methods.md from the registry; a test compares them."""

from __future__ import annotations

import re
from pathlib import Path

from covey.registry import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "methods.md"
TABLE = re.compile(r"(<!-- table -->\n).*?(<!-- end of table -->\n)", re.DOTALL)
HEAD = "| method | keeps | data | what it does |\n|---|---|---|---|\n"


def with_table(page: str) -> str:
    """Return the page with its table as the registry has it."""
    rows, seen = [], set()
    for target in dict.fromkeys(entry.target for entry in METHODS):
        lines = [entry for entry in METHODS if entry.target == target]
        method, kinds = lines[0], ", ".join(line.data for line in lines)
        anchor = f"{method.name}-for-{method.data}s" if method.name in seen else method.name
        seen.add(method.name)
        guarantees = ", ".join(f"`{guarantee}`" for guarantee in method.guarantees)
        rows.append(f"| [`{method.name}`](#{anchor}) | {guarantees} | {kinds} | {method.summary} |\n")
    return TABLE.sub(lambda match: match[1] + HEAD + "".join(rows) + match[2], page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
