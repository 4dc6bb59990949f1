"""What is in an original: its items and their supports, its size and sparsity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Ratings, Table
from covey.progress import Progress, silent
from covey.web.records.files import ITEMS
from covey.web.records.roles import ROLES
from covey.web.work.reading import read


def profile(source: Mapping[str, Any], folder: str, report: Progress = silent) -> dict[str, Any]:
    """Read an original, write its items and their supports into `folder`, and return its shape."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = read({**source, "sensitive": []}, report)
    labels, supports = labels_of(data)
    order = np.argsort(-supports, kind="stable")
    names = pa.array([labels[i] for i in order], pa.string())
    table = pa.table({"item": names, "support": pa.array(supports[order], pa.int64())})
    half = Path(folder) / f".{ITEMS}"
    pq.write_table(table, half)
    half.replace(Path(folder) / ITEMS)
    shape = shape_of(data)
    if isinstance(data, Table):
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


def labels_of(data: Any) -> tuple[list[str], Ints]:
    """What can be sensitive, and how often it occurs: items, issues, or columns with their different values."""
    if isinstance(data, Baskets):
        return list(data.items), data.supports()
    if isinstance(data, Ratings):
        return list(data.issues), np.bincount(data.indices, minlength=data.d).astype(np.int64)
    # A column made sensitive keeps all its values; what was left out as an identifier is not there at all.
    return [c.name for c in data.columns], np.array([len(np.unique(c.codes)) for c in data.columns], np.int64)


def shape_of(data: Any) -> dict[str, Any]:
    """Size and sparsity in figures."""
    if isinstance(data, Table):
        columns = [
            {"name": c.name, "role": c.role, "numeric": c.numeric, "values": len(np.unique(c.codes))}
            for c in data.columns
        ]
        return {"rows": data.n, "columns": columns}
    lengths = data.lengths()
    shape: dict[str, Any] = {
        "entries": data.entries,
        "density": data.entries / max(data.n * data.d, 1),
        "mean_length": float(lengths.mean()) if len(lengths) else 0.0,
        "longest": int(lengths.max(initial=0)),
        "empty": int((lengths == 0).sum()),
    }
    if isinstance(data, Ratings):
        return {"respondents": data.n, "issues": data.d, "scale": data.scale.text, **shape}
    return {"transactions": data.n, "items": data.d, **shape}
