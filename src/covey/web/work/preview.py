"""What a file is and how it begins, before it is read as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.data.kinds import USUAL_KIND
from covey.errors import CoveyError
from covey.io.preview import described, likeliest_kind, read_head
from covey.web.work.originals import renamed


def preview(source: Mapping[str, Any]) -> dict[str, Any]:
    """What a file is and how it begins; a problem is told in words beside as much as could be seen.

    A `kind` that is None is guessed.
    """
    kind, problem = source["kind"], None
    found: dict[str, Any] = {"recognised": "", "columns": [], "rows": []}
    try:
        with renamed(source):
            start = read_head(source["path"], source["name"], source["options"])
            found |= {"columns": list(start.first), "rows": list(start.rows)}
            kind = kind or likeliest_kind(start)
            seen = described(start, kind)
            found = {"recognised": seen.recognised, "columns": list(seen.columns), "rows": list(seen.rows)}
    except CoveyError as error:
        problem = str(error)
    return {"kind": kind or USUAL_KIND, "problem": problem, **found}
