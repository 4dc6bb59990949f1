"""Look at the beginning of a file: ``python -m covey.web.looking PATH NAME KIND OPTIONS`` prints one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from covey.data.kinds import USUAL_KIND
from covey.errors import CoveyError
from covey.io.preview import Head, described, likeliest_kind, read_head


def look(path: str, name: str, kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file is and how it begins; a problem is in words beside as much as could be seen.

    Without a `kind` the likeliest is chosen; where the command line would choose another, the text says so.
    """
    problem = ""
    found: dict[str, Any] = {"recognised": "", "columns": [], "rows": []}
    guessed = not kind
    try:
        start = read_head(path, options)
        found |= {"columns": list(start.first), "rows": list(start.rows)}
        kind = kind or likeliest_kind(start)
        seen = described(start, kind)
        text = seen.recognised + (_otherwise(start, kind) if guessed else "")
        found = {"recognised": text, "columns": list(seen.columns), "rows": list(seen.rows)}
    except CoveyError as error:
        problem = str(error).replace(path, name)
    return {"kind": kind or USUAL_KIND, "problem": problem, **found}


def _otherwise(start: Head, kind: str) -> str:
    """Return what the command line would take a file for, as long as nobody says what it holds."""
    if kind == USUAL_KIND:
        return ""
    try:
        known = start.recognise()
    except CoveyError:
        return ""
    if known.layout != "long":  # lists and flags would be baskets here as well
        return ""
    return (
        f" This is a guess: it can also be read as {USUAL_KIND}, with a row per transaction ('{known.transaction}') "
        f"and item ('{known.item}'), which is what the command line does without --kind {kind}."
    )


if __name__ == "__main__":
    _, where, called, kind, how = sys.argv
    print(json.dumps(look(where, called, kind, json.loads(how))))
