"""What is in an original: its items and their supports, its size and sparsity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from covey.data import Table
from covey.data.kinds import data_kind
from covey.lazy import load
from covey.progress import Progress, silent
from covey.web.records.files import ITEMS
from covey.web.records.roles import ROLES
from covey.web.work.reading import read


def profile(source: Mapping[str, Any], folder: str, report: Progress = silent) -> dict[str, Any]:
    """Read an original, write its items and their supports into `folder`, and return its shape."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = read({**source, "sensitive": []}, report)
    kind = data_kind(data.kind)
    labels, supports = load(kind.labels)(data)
    order = np.argsort(-supports, kind="stable")
    names = pa.array([labels[i] for i in order], pa.string())
    table = pa.table({"item": names, "support": pa.array(supports[order], pa.int64())})
    half = Path(folder) / f".{ITEMS}"
    pq.write_table(table, half)
    half.replace(Path(folder) / ITEMS)
    shape = shape_of(data)
    if kind.by_roles:
        shape["columns"] = [{**c, "numeric": data.column(c["name"]).numeric} for c in shape["columns"]]
        shape["values"] = {c["name"]: c["values"] for c in shape["columns"]} | _values_left_out(source, data)
    return shape


def _values_left_out(source: Mapping[str, Any], data: Table) -> dict[str, int]:
    """How many different values the columns have that no role keeps: people choose roles by it."""
    kept = {column.name for column in data.columns}
    left = [name for name in source.get("columns", ()) if name not in kept]
    if not left:
        return {}
    how = {key: value for key, value in source["options"].items() if key not in ROLES}
    again = {**source, "options": {**how, "quasi": left, "categorical": left}}
    rest = read({**again, "sensitive": [], "hierarchies": {}})
    return {column.name: len(np.unique(column.codes)) for column in rest.columns}


def shape_of(data: Any) -> dict[str, Any]:
    """Size and sparsity in figures."""
    shape: dict[str, Any] = load(data_kind(data.kind).profile)(data)
    if "length" in shape:
        lengths = data.lengths()
        shape |= {
            "entries": data.entries,
            "mean_length": shape["length"]["mean"],
            "longest": int(lengths.max(initial=0)),
            "empty": int((lengths == 0).sum()),
        }
    return shape
