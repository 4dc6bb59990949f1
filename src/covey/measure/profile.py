"""The shape of data of each kind, as plain data: what `covey inspect` reports besides the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Ratings, Records, Table
from covey.data.companions import companions
from covey.data.kinds import MISSING_MARKERS
from covey.measure.uniqueness import on_coarser_scales
from covey.progress import Progress
from covey.release.table import number_rows
from covey.verify.k_eps_l import curve

QUANTILES = {"min": 0.0, "median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}

#: The price of p is told for these, by the most frequent pairs of a sensitive and an ordinary item.
STRENGTHS = (2, 4, 5, 10, 20)
PAIRS = 100

#: How many of the most frequent items or issues are named.
FREQUENT = 10

#: Ratings of more respondents have no curve over epsilon; it takes minutes.
CURVE_UP_TO = 20_000


def seemingly_missing(labels: Sequence[str], counts: Ints, **where: str) -> list[dict[str, Any]]:
    """Labels that usually mean that nothing is known, and in how many rows they stand.

    Examples
    --------
    >>> seemingly_missing(["beer", "null"], np.array([5, 2]))
    [{'value': 'null', 'rows': 2}]
    """
    meant = {marker.casefold() for marker in MISSING_MARKERS}
    found = [
        (label, int(rows)) for label, rows in zip(labels, counts, strict=True) if label.strip().casefold() in meant
    ]
    return [{**where, "value": label, "rows": rows} for label, rows in found if rows]


def spread(values: Ints, times: Ints | None = None) -> dict[str, float]:
    """Mean and quantiles of a distribution, given by its values, or by ascending ones and how often each occurs.

    Examples
    --------
    >>> spread(np.array([1, 1, 1, 5]))
    {'mean': 2.0, 'min': 1, 'median': 1, 'p90': 1, 'p99': 1, 'max': 5}
    >>> spread(np.array([1, 5]), np.array([3, 1])) == spread(np.array([1, 1, 1, 5]))
    True
    """
    if times is None:
        values, times = np.unique(values, return_counts=True)
    total, ends = int(times.sum()), np.cumsum(times)
    if not total:
        return {"mean": 0.0, **dict.fromkeys(QUANTILES, 0)}
    at = {name: int(np.searchsorted(ends, int(q * (total - 1)), side="right")) for name, q in QUANTILES.items()}
    return {"mean": float(values @ times) / total, **{name: int(values[i]) for name, i in at.items()}}


@singledispatch
def profile(data: Any) -> dict[str, Any]:
    """Return the shape of data of any kind, as plain data."""
    raise NotImplementedError(f"{data.kind} have no profile")


@profile.register
def _of_baskets(baskets: Baskets) -> dict[str, Any]:
    """Size, lengths, supports, and what degree each sensitive item allows."""
    lengths, supports = baskets.lengths(), baskets.supports()
    people = baskets.by_person()
    return {
        "transactions": baskets.n,
        **_persons(baskets),
        "items": baskets.d,
        "entries": baskets.entries,
        **_sparse(baskets.items, lengths, supports),
        "empty_transactions": int((lengths == 0).sum()),
        "items_seen_once": int((supports == 1).sum()),
        "seemingly_missing": seemingly_missing(baskets.items, supports),
        "sensitive": with_degrees(baskets, supports, people.n, people.supports()),
        **({"associations": associations(baskets)} if baskets.sensitive.any() else {}),
    }


def associations(baskets: Baskets) -> dict[str, Any]:
    """What goes with sensitive items: the price of p, and the ordinary items that give most away.

    At p an association is admissible when at most 1/p of the persons with the ordinary item hold the sensitive one, or
    of the baskets where no persons are named; no honest release at p can keep the others.

    Examples
    --------
    >>> rows = [["test", "vitamins"]] * 5 + [["vitamins"]] * 3 + [["beer"]] * 50
    >>> found = associations(Baskets.of(rows, sensitive=["test"]))
    >>> found["pairs"], found["price"][0], found["companions"][0]["item"]
    (1, {'p': 2, 'admissible': 0, 'telling_items': 1}, 'vitamins')
    """
    every = companions(baskets)
    frequent = sorted(every, key=lambda pair: -pair.together)[:PAIRS]
    return {
        "pairs": len(frequent),
        # For each of these pairs the largest p at which it is admissible.
        "admissible_up_to": sorted(pair.support // pair.together for pair in frequent),
        "price": [
            {
                "p": p,
                "admissible": sum(p * pair.together <= pair.support for pair in frequent),
                "telling_items": len({pair.item for pair in every if p * pair.together > pair.support}),
            }
            for p in STRENGTHS
        ],
        "companions": [pair.to_dict() for pair in every[:FREQUENT]],
    }


@profile.register
def _of_ratings(ratings: Ratings) -> dict[str, Any]:
    """Size, scale and what a coarser one would change, ratings per respondent and per issue, and what is sensitive."""
    _, supports = issues_rated(ratings)
    return {
        "respondents": ratings.n,
        "issues": ratings.d,
        "ratings": ratings.entries,
        "scale": ratings.scale.text,
        "values": len(np.unique(ratings.codes)),
        "near": ratings.scale.near,
        "coarser": on_coarser_scales(ratings),
        **_sparse(ratings.issues, ratings.lengths(), supports),
        "sensitive": held_items(ratings.issues, supports, np.flatnonzero(ratings.sensitive)),
    }


@profile.register
def _of_table(table: Table) -> dict[str, Any]:
    """Size, columns with their roles, and how many rows are alone with their quasi-identifiers."""
    alike = row_exposure(table)
    return {
        "rows": table.n,
        **_persons(table),
        "columns": [
            {"name": column.name, "role": column.role, "values": len(np.unique(column.codes))}
            for column in table.columns
        ],
        "unique": alike.unique,
        "found": alike.mean,
        "seemingly_missing": [
            told
            for column in table.columns
            for told in seemingly_missing(
                column.values, np.bincount(column.codes, minlength=len(column.values)), column=column.name
            )
        ],
        "sensitive": [{"item": column.name, "support": table.n} for column in table.of_role("sensitive")],
    }


@profile.register
def _of_records(records: Records) -> dict[str, Any]:
    """Size, columns with their roles, and how items are spread over persons."""
    table, items = profile(records.attributes), profile(records.baskets)
    return {
        "persons": records.n,
        "columns": table["columns"],
        "unique": table["unique"],
        "found": table["found"],
        **{name: items[name] for name in ("items", "entries", "density", "length", "support", "most_frequent")},
        "without_items": items["empty_transactions"],
        "seemingly_missing": [*table["seemingly_missing"], *items["seemingly_missing"]],
        "sensitive": [*table["sensitive"], *items["sensitive"]],
    }


def _persons(data: Baskets | Table) -> dict[str, Any]:
    """How many persons there are, and how many rows each has, where they are named."""
    if data.person is None:
        return {}
    return {"persons": data.persons, "rows_per_person": spread(np.bincount(data.person))}


def _sparse(labels: Sequence[str], lengths: Ints, supports: Ints) -> dict[str, Any]:
    """What a sparse matrix is like: how full, how its rows and columns are filled, its fullest columns."""
    top = np.argsort(-supports, kind="stable")[:FREQUENT]
    return {
        "density": int(supports.sum()) / max(len(lengths) * len(labels), 1),
        "length": spread(lengths),
        "support": spread(supports),
        "most_frequent": held_items(labels, supports, top),
    }


def with_degrees(data: Any, supports: Ints, people: int, holders: Ints) -> list[dict[str, Any]]:
    """The sensitive items of baskets, here or on Spark, how many people hold each, and what degree that allows."""
    marked = np.flatnonzero(data.sensitive)
    return [
        {
            **item,
            **({} if data.persons is None else {"persons": int(held)}),
            "largest_p": people // int(held) if held else None,
        }
        for item, held in zip(held_items(data.items, supports, marked), holders[marked], strict=True)
    ]


def held_items(labels: Sequence[str], supports: Ints, positions: Ints) -> list[dict[str, Any]]:
    """Some of the labels, and how many rows hold each."""
    return [{"item": labels[i], "support": int(supports[i])} for i in positions]


@singledispatch
def labels(data: Any) -> tuple[Sequence[str], Ints]:
    """Return what can be marked as sensitive, and how often each occurs."""
    raise NotImplementedError(f"{data.kind} have nothing that can be marked")


@labels.register
def items_held(baskets: Baskets) -> tuple[list[str], Ints]:
    """The items, and how many baskets hold each."""
    return list(baskets.items), baskets.supports()


@labels.register
def issues_rated(ratings: Ratings) -> tuple[list[str], Ints]:
    """The issues, and how many respondents rated each."""
    return list(ratings.issues), np.bincount(ratings.indices, minlength=ratings.d).astype(np.int64)


@labels.register
def columns_valued(table: Table) -> tuple[list[str], Ints]:
    """The columns, and how many different values each has; what was left out as an identifier is not there at all."""
    values = [len(np.unique(column.codes)) for column in table.columns]
    return [column.name for column in table.columns], np.array(values, np.int64)


@labels.register
def columns_and_items(records: Records) -> tuple[list[str], Ints]:
    """The columns with how many different values each has, and the items with how many persons hold each."""
    columns, values = columns_valued(records.attributes)
    items, held = items_held(records.baskets)
    return [*columns, *items], np.concatenate([values, held])


@singledispatch
def more_risk(data: Any, progress: Progress) -> dict[str, Any]:
    """Return the figures about exposure that only this kind of data has."""
    return {}


@more_risk.register
def _rows_alike(table: Table, progress: Progress) -> dict[str, Any]:
    """How well rows are told apart by all their quasi-identifiers."""
    return {"exposure": asdict(row_exposure(table))}


@more_risk.register
def _company_curve(ratings: Ratings, progress: Progress) -> dict[str, Any]:
    """The smallest company that anybody has, by how similar counts as similar; not for very many respondents."""
    if ratings.n > CURVE_UP_TO:
        return {}
    return {"curve": curve(ratings, progress=lambda _, done: progress("measuring", 0.5 * done))}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowExposure:
    """The probability of finding a row, which is 1 / (rows like it)."""

    #: The mean over all rows, and the highest.
    mean: float
    worst: float
    #: Share of rows with no other like them.
    unique: float


def row_exposure(table: Any) -> RowExposure:
    """Count the rows that look alike in a table, or in a released one, which has the same columns.

    Where persons are counted, the company of a row is the persons whose rows look like it.

    Examples
    --------
    >>> from covey import Table
    >>> row_exposure(Table.of({"age": [30, 30, 40, 50]}))
    RowExposure(mean=0.75, worst=1.0, unique=0.5)
    """
    quasi = [column.codes for column in table.columns if column.role == "quasi"]
    kind = number_rows(quasi, table.n)
    rows = np.bincount(kind)
    sizes = getattr(table, "class_persons", None)  # a released table states them
    person = getattr(table, "person", None)
    if person is not None:
        persons = int(person.max(initial=0)) + 1
        sizes = np.bincount(np.unique(kind * persons + person) // persons, minlength=len(rows))
    elif sizes is None:
        sizes = rows
    return RowExposure(
        mean=float((rows / np.maximum(sizes, 1)).sum()) / max(table.n, 1),
        worst=1 / max(int(sizes.min(initial=table.n)), 1),
        unique=int(rows[sizes == 1].sum()) / max(table.n, 1),
    )
