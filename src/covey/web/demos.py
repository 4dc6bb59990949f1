"""Generated data to try the page with."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from covey.errors import ParameterError
from covey.io import write
from covey.io.writing import write_ratings
from covey.synth import people, shop, survey

#: What there is, in words.
DEMOS = {"shop": "Try a shop's baskets", "survey": "Try a survey", "people": "Try a table of people"}


def write_demo(folder: Path, name: str) -> dict[str, Any]:
    """Write generated data as a file, and return how it is to be read."""
    if name not in DEMOS:
        raise ParameterError(f"There is no demonstration '{name}'. Known: {', '.join(DEMOS)}.")
    path = folder / f"{name}.csv"
    if name == "shop":
        made = shop(transactions=5_000, seed=1)
        write(made.baskets, path)
        tree = folder / "shop.taxonomy.csv"
        with tree.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("child", "parent"), *made.taxonomy])
        return {
            "path": str(path),
            "kind": "baskets",
            "sensitive": list(made.sensitive),
            "files": {"taxonomy": str(tree)},
        }
    if name == "survey":
        ratings = survey(respondents=2_000, issues=12, profiles=20, seed=1)
        write_ratings(ratings, path)
        return {"path": str(path), "kind": "ratings", "sensitive": ratings.sensitive_issues()}
    table = people(rows=2_000, seed=1)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", *(column.name for column in table.columns)])
        cells = [[column.values[code] for code in column.codes] for column in table.columns]
        rows.writerows((f"person {number}", *row) for number, row in enumerate(zip(*cells, strict=True), 1))
    options = {"identifier": ["name"], "categorical": ["zip"]}
    return {"path": str(path), "kind": "table", "sensitive": ["illness"], "options": options}
