"""What is in an original, how exposed the people in it are, and how far each guarantee can go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from covey.data import Baskets
from covey.data.hierarchy import MISSING, Hierarchy
from covey.data.kinds import data_kind
from covey.data.table import Column
from covey.errors import CoveyWarning, NearlyUnique, UnnamedPersons
from covey.io.table.roles import guessed, left_out
from covey.io.trees import read_hierarchy
from covey.measure.facts import facts
from covey.measure.limits import limits
from covey.measure.profile import labels, more_risk
from covey.measure.profile import profile as shape_in_figures
from covey.measure.reidentification import reidentification
from covey.progress import Progress, silent
from covey.report.findings_by_kind import KNOWN
from covey.web.work.items import write_items
from covey.web.work.originals import read, renamed

#: Guarantees by name, each with the usual values of the parameters that are looked at.
Guarantees = Mapping[str, Mapping[str, Any]]

#: Levels of a hierarchy that a page shows, and labels below one.
SHOWN_LEVELS, SHOWN_CHILDREN = 3, 12


def profile(source: Mapping[str, Any], folder: str, report: Progress = silent) -> dict[str, Any]:
    """Read an original, write its items and their supports into `folder`, and return its shape."""
    told: list[CoveyWarning] = []
    # Single things can be marked later without reading again; a column that is sensitive is kept for being so.
    columns = [name for name in source.get("sensitive", ()) if name in source.get("columns", ())]
    data = read({**source, "sensitive": columns}, report, told)
    kind = data_kind(data.kind)
    names, counts = labels(data)
    write_items(folder, names, counts, getattr(data, "aliases", {}))
    shape = shape_of(data)
    for one in told:
        if isinstance(one, UnnamedPersons):
            shape["unnamed"] = one.to_dict()
        elif isinstance(one, NearlyUnique):
            shape.setdefault("alarms", []).append(str(one))
        else:
            shape.setdefault("notes", []).append(str(one))
    if kind.has_columns:
        columns_kept = data.columns
        shape["guesses"] = _guesses(source, columns_kept)
        shape["trees"] = _trees(dict(source.get("hierarchies") or {}), columns_kept)
    return shape


def _trees(paths: Mapping[str, str], columns: Iterable[Column]) -> dict[str, dict[str, Any]]:
    """How the hierarchies of columns fit: labels at each level, the broadest first, and values that are in them."""
    found = {}
    for column in columns:
        if column.name in paths:
            tree = read_hierarchy(paths[column.name])
            held = {column.values[code] for code in np.unique(column.codes)} - {MISSING}
            found[column.name] = {
                "levels": tree.levels(),
                "values": len(held),
                "matched": len(held & set(tree.labels[: tree.leaves])),
                "tree": _below(tree, len(tree.labels) - 1, SHOWN_LEVELS),
            }
    return found


def _below(tree: Hierarchy, node: int, levels: int) -> list[dict[str, Any]]:
    """What stands below a node, level by level, as far as a page shows it: labels, and values under each."""
    children = [int(child) for child in np.flatnonzero(tree.parent == node) if child != node]
    shown = [
        {
            "label": tree.labels[child],
            "values": int(tree.last[child] - tree.first[child] + 1),
            "below": _below(tree, child, levels - 1) if levels > 1 and child >= tree.leaves else [],
        }
        for child in children[:SHOWN_CHILDREN]
    ]
    left = len(children) - len(shown)
    return [*shown, *([{"label": f"and {left:,} more", "values": 0, "below": []}] if left else [])]


def _guesses(source: Mapping[str, Any], kept: Iterable[Column]) -> list[dict[str, Any]]:
    """What the columns seem to be, also those that no role keeps: people choose roles by it."""
    columns = {column.name: column for column in kept}
    left = [name for name in source.get("columns", ()) if name not in columns]
    how = {**source["options"], **dict(source.get("files") or {})}
    with renamed(source):
        columns |= {column.name: column for column in left_out(source["path"], source["kind"], left, how)}
    order = [name for name in source.get("columns", ()) if name in columns] or list(columns)
    return [one.to_dict() for one in guessed(columns[name] for name in order)]


def shape_of(data: Any) -> dict[str, Any]:
    """Size and sparsity in figures."""
    shape: dict[str, Any] = shape_in_figures(data)
    if "length" in shape:
        lengths = data.lengths()
        shape |= {
            "entries": data.entries,
            "mean_length": shape["length"]["mean"],
            "longest": int(lengths.max(initial=0)),
            "empty": int((lengths == 0).sum()),
        }
    return shape


def examine(source: Mapping[str, Any], guarantees: Guarantees, report: Progress = silent) -> dict[str, Any]:
    """How exposed people are when the sensitive things are unknown, and the limits of each guarantee."""
    data = read(source, report)
    kind = data_kind(data.kind)
    found: dict[str, Any] = {
        "limits": limits(data, guarantees),
        "curve": [],
        "exposure": {},
        "unit": kind.things,
    }
    found |= more_risk(data, report)
    found["points"] = risks(facts(data), report)
    return found


def risks(baskets: Baskets, progress: Progress) -> list[dict[str, Any]]:
    """Risk by number of known things, for as many as anyone has."""
    points = []
    for known in KNOWN:
        progress("measuring", 0.5 + (known - 1) / (2 * len(KNOWN)))
        risk = reidentification(baskets, known)
        if not risk.eligible:
            break
        points.append({"known": risk.known, "risk": risk.risk, "unique": risk.unique, "eligible": risk.eligible})
    return points
