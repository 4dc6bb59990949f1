"""What is in data of any kind, and how exposed the people in it are: the figures of `covey inspect`."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Ratings, Table
from covey.progress import Progress, silent

QUANTILES = {"min": 0.0, "median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}

#: What a row and what is known of it are called, by kind of data.
WORDS = {
    "baskets": ("transaction", "transactions", "items"),
    "ratings": ("record", "respondents", "ratings"),
    "table": ("row", "rows", "columns"),
}


def inspect_data(
    data: Baskets | Ratings | Table, *, known: int = 4, samples: int = 20_000, seed: int = 0,
    progress: Progress = silent,
) -> dict[str, Any]:  # fmt: skip
    """Shape, and the risk that somebody who knows 1 up to `known` things of a person finds that person.

    Parameters
    ----------
    data : Baskets, Ratings or Table
        The original. Of ratings and tables, only what is not sensitive can be known.
    known, samples, seed
        As for `covey.metrics.reidentification`.

    Returns
    -------
    dict
        Plain data for JSON; ``kind`` says what else is in it.
    """
    from covey.metrics.facts import facts
    from covey.metrics.reidentification import reidentification

    people = facts(data)
    risks = []
    for r in range(1, known + 1):
        progress("measuring", (r - 1) / known)
        risks.append(reidentification(people, r, samples=samples, seed=seed).to_dict())
    shape = {"baskets": _baskets, "ratings": _ratings, "table": _table}[data.kind]
    return {"kind": data.kind, **shape(data), "risk": risks}


def spread(values: Ints) -> dict[str, float]:
    """Mean and quantiles of a distribution."""
    if not len(values):
        return {"mean": 0.0, **dict.fromkeys(QUANTILES, 0)}
    quantiles = {name: int(np.quantile(values, q, method="lower")) for name, q in QUANTILES.items()}
    return {"mean": float(values.mean()), **quantiles}


def _baskets(baskets: Any) -> dict[str, Any]:
    lengths, supports = baskets.lengths(), baskets.supports()
    top = np.argsort(-supports, kind="stable")[:10]
    return {
        "transactions": baskets.n,
        "items": baskets.d,
        "entries": baskets.entries,
        "density": baskets.entries / max(baskets.n * baskets.d, 1),
        "empty_transactions": int((lengths == 0).sum()),
        "length": spread(lengths),
        "support": spread(supports),
        "items_seen_once": int((supports == 1).sum()),
        "most_frequent": [{"item": baskets.items[i], "support": int(supports[i])} for i in top],
        "sensitive": [
            {
                "item": baskets.items[i],
                "support": int(supports[i]),
                "largest_p": baskets.n // int(supports[i]) if supports[i] else None,
            }
            for i in np.flatnonzero(baskets.sensitive)
        ],
    }


def _ratings(ratings: Any) -> dict[str, Any]:
    lengths = ratings.lengths()
    supports = np.bincount(ratings.indices, minlength=ratings.d)
    top = np.argsort(-supports, kind="stable")[:10]
    return {
        "respondents": ratings.n,
        "issues": ratings.d,
        "ratings": ratings.entries,
        "scale": ratings.scale.text,
        "density": ratings.entries / max(ratings.n * ratings.d, 1),
        "length": spread(lengths),
        "support": spread(supports),
        "most_frequent": [{"item": ratings.issues[i], "support": int(supports[i])} for i in top],
        "sensitive": [
            {"item": ratings.issues[i], "support": int(supports[i])}
            for i in np.flatnonzero(ratings.sensitive)
        ],
    }


def _table(table: Any) -> dict[str, Any]:
    from covey.report.findings import Exposure

    alike = Exposure.of(table)
    return {
        "rows": table.n,
        "columns": [
            {"name": column.name, "role": column.role, "values": len(np.unique(column.codes))}
            for column in table.columns
        ],
        "unique": alike.unique,
        "found": alike.mean,
        "sensitive": [
            {"item": column.name, "support": table.n}
            for column in table.columns
            if column.role == "sensitive"
        ],
    }
