"""What is in data of any kind, and how exposed the people in it are: the figures of `covey inspect`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import singledispatch
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.data import Baskets, Ratings, Records, Table, Taxonomy
from covey.data.companions import companions
from covey.data.kinds import MISSING_MARKERS, data_kind
from covey.errors import CoveyError, Infeasible, ParameterError
from covey.guarantees import guarantee, guarantee_class
from covey.measure.risk import facts, reidentification
from covey.measure.table import row_exposure
from covey.measure.uniqueness import on_coarser_scales
from covey.parameters import Scalar, call_text, parameters_of
from covey.progress import Progress, silent
from covey.release.model_sums import usual_rows_each
from covey.tabular import Figures
from covey.verify.k_eps_l import curve

QUANTILES = {"min": 0.0, "median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
#: The price of p is given for these, by the most frequent pairs of a sensitive and an ordinary item.
STRENGTHS, PAIRS = (2, 4, 5, 10, 20), 100
#: How many of the most frequent items or issues are named.
FREQUENT = 10
#: Ratings of more respondents have no curve over epsilon; it takes minutes.
CURVE_UP_TO = 20_000
#: Transactions with a sensitive item from which on noise with epsilon = 1 serves its estimates better than groups of
#: 10: about where the errors met on the data sets that were tried, which name no persons.
ENOUGH = 200
#: A value beyond anything that data allows; the error about it states the largest that it does.
BEYOND = 10**15


def inspect_data(
    data: Any,
    *,
    known: int = 4,
    samples: int = 20_000,
    seed: int = 0,
    taxonomy: Taxonomy | None = None,
    guarantees: Sequence[str] = (),
    progress: Progress = silent,
) -> dict[str, Any]:
    """Return the shape, and the risk that someone who knows 1 up to `known` things of a person finds that person.

    Parameters
    ----------
    data : data of any kind
        The original. Only what is not sensitive can be known.
    known, samples, seed
        As for `covey.measure.risk.reidentification`.
    taxonomy : Taxonomy or None
        How items may be generalized: its shape is added, and what it lacks.
    guarantees : sequence of str
        Names of guarantees; how far each can go in this data is added as ``guarantees``, see `limits`.

    Returns
    -------
    dict
        Plain data for JSON; ``kind`` determines what else is in it.

    Examples
    --------
    >>> inspect_data(Baskets.of([["a", "b"], ["a"]]), known=1)["risk"][0]["risk"]
    0.625
    """
    kind = data_kind(data.kind)
    if taxonomy is not None and not kind.uses_taxonomy:
        raise ParameterError(f"A taxonomy says how items are generalized; this was read as {kind.name}.")
    people, risks = facts(data), []
    for r in range(1, known + 1):
        progress("measuring", (r - 1) / known)
        risks.append(reidentification(people, r, samples=samples, seed=seed).to_dict())
    found: dict[str, Any] = {"kind": kind.name, **profile(data), "risk": risks}
    if isinstance(data, Table):
        found["exposure"] = asdict(row_exposure(data))
    if isinstance(data, Ratings) and data.n <= CURVE_UP_TO:
        found["curve"] = curve(data, progress=lambda _, done: progress("measuring", 0.5 * done))
    if isinstance(data, Baskets) and data.sensitive.any():
        found["better"] = better_by_item(data)
    if taxonomy is not None:
        found["taxonomy"] = tree_shape(data.items, taxonomy)
    if guarantees:
        found["guarantees"] = limits(data, guarantees)
    return found


def better_by_item(baskets: Baskets) -> list[Figures]:
    """Return for each sensitive item whether groups (degree) or noise (label-dp) will serve estimates better.

    Where persons are named, the noise is as many times larger as transactions of each are measured, and the others do
    not count, so that more holders are needed. From exact numbers: for the publisher alone.

    Examples
    --------
    >>> better_by_item(Baskets.of([["a", "s"], ["a"]], sensitive=["s"]))
    [{'item': 's', 'holders': 1, 'better': 'degree'}]
    """
    enough, rows = float(ENOUGH), dict(zip(baskets.items, baskets.supports().tolist(), strict=True))
    if baskets.person is not None:
        rows_each = usual_rows_each(baskets.person)
        enough *= rows_each * baskets.n / np.minimum(np.bincount(baskets.person), rows_each).sum()
    return [
        {"item": one.label, "holders": one.holders, "better": "label-dp" if rows[one.label] >= enough else "degree"}
        for one in baskets.summary().secrets
    ]


def tree_shape(items: tuple[str, ...], tree: Taxonomy) -> Figures:
    """Return the shape of a taxonomy, and the items that it does not have as leaves."""
    leaf = tree.is_leaf()
    return {
        **tree.shape(),
        "items_missing": [item for item in items if item not in tree],
        "items_not_leaves": [item for item in items if item in tree and not leaf[tree.node(item)]],
    }


@singledispatch
def profile(data: object) -> Figures:
    """Return the shape of data of any kind, as plain data."""
    raise NotImplementedError(f"no profile of {type(data).__name__}")


@profile.register
def _of_baskets(baskets: Baskets) -> Figures:
    """Return size, lengths, supports, and what degree each sensitive item allows."""
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


@profile.register
def _of_ratings(ratings: Ratings) -> Figures:
    """Return size, scale and what a coarser one would change, ratings per respondent and issue, and what is hidden."""
    issues, supports = labels(ratings)
    return {
        "respondents": ratings.n,
        "issues": ratings.d,
        "ratings": ratings.entries,
        "scale": ratings.scale.text,
        "values": len(np.unique(ratings.codes)),
        "near": ratings.scale.near,
        "coarser": on_coarser_scales(ratings),
        **_sparse(issues, ratings.lengths(), supports),
        "sensitive": held_items(issues, supports, np.flatnonzero(ratings.sensitive)),
    }


@profile.register
def _of_table(table: Table) -> Figures:
    """Return size, columns with their roles, and how many rows are alone with their quasi-identifiers."""
    alike = row_exposure(table)
    missing: list[Figures] = []
    for column in table.columns:
        counts = np.bincount(column.codes, minlength=len(column.values))
        missing += seemingly_missing(column.values, counts, column=column.name)
    return {
        "rows": table.n,
        **_persons(table),
        "columns": [{"name": c.name, "role": c.role, "values": len(np.unique(c.codes))} for c in table.columns],
        "unique": alike.unique,
        "found": alike.mean,
        "seemingly_missing": missing,
        "sensitive": [{"item": column.name, "support": table.n} for column in table.of_role("sensitive")],
    }


@profile.register
def _of_records(records: Records) -> Figures:
    """Return size, columns with their roles, and how items are spread over persons."""
    table, items = profile(records.attributes), profile(records.baskets)
    return {
        "persons": records.n,
        **{name: table[name] for name in ("columns", "unique", "found")},
        **{name: items[name] for name in ("items", "entries", "density", "length", "support", "most_frequent")},
        "without_items": items["empty_transactions"],
        "seemingly_missing": [*table["seemingly_missing"], *items["seemingly_missing"]],
        "sensitive": [*table["sensitive"], *items["sensitive"]],
    }


def seemingly_missing(labels: Sequence[str], counts: Ints, **where: str) -> list[Figures]:
    """Return labels that usually mean that nothing is known, and in how many rows they stand.

    Examples
    --------
    >>> seemingly_missing(["beer", "null"], np.array([5, 2]))
    [{'value': 'null', 'rows': 2}]
    """
    meant = {marker.casefold() for marker in MISSING_MARKERS}
    found = zip(labels, counts.tolist(), strict=True)
    return [{**where, "value": one, "rows": rows} for one, rows in found if rows and one.strip().casefold() in meant]


def spread(values: Ints) -> dict[str, float]:
    """Return mean and quantiles of a distribution.

    Examples
    --------
    >>> spread(np.array([1, 1, 1, 5]))
    {'mean': 2.0, 'min': 1, 'median': 1, 'p90': 1, 'p99': 1, 'max': 5}
    """
    if not len(values):
        return {"mean": 0.0, **dict.fromkeys(QUANTILES, 0)}
    values, times = np.unique(values, return_counts=True)
    total, ends = int(times.sum()), np.cumsum(times)
    at = {name: int(np.searchsorted(ends, int(q * (total - 1)), side="right")) for name, q in QUANTILES.items()}
    return {"mean": float(values @ times) / total, **{name: int(values[i]) for name, i in at.items()}}


def associations(baskets: Baskets) -> Figures:
    """Return what goes with sensitive items: the price of p, and the ordinary items that give most away.

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


def _persons(data: Baskets | Table) -> Figures:
    """Return how many persons there are, and how many rows each has, where they are named."""
    if data.person is None:
        return {}
    return {"persons": data.persons, "rows_per_person": spread(np.bincount(data.person))}


def _sparse(labels: Sequence[str], lengths: Ints, supports: Ints) -> Figures:
    """Return what a sparse matrix is like: how full, how its rows and columns are filled, its fullest columns."""
    return {
        "density": int(supports.sum()) / max(len(lengths) * len(labels), 1),
        "length": spread(lengths),
        "support": spread(supports),
        "most_frequent": held_items(labels, supports, np.argsort(-supports, kind="stable")[:FREQUENT]),
    }


def with_degrees(data: Any, supports: Ints, people: int, holders: Ints) -> list[Figures]:
    """Return the sensitive items of baskets, here or on Spark, their holders, and what degree each allows."""
    marked = np.flatnonzero(data.sensitive)
    return [
        {
            **item,
            **({} if data.persons is None else {"persons": held}),
            "largest_p": people // held if held else None,
        }
        for item, held in zip(held_items(data.items, supports, marked), holders[marked].tolist(), strict=True)
    ]


def held_items(labels: Sequence[str], supports: Ints, positions: Ints) -> list[Figures]:
    """Return some of the labels, and how many rows hold each."""
    return [{"item": labels[i], "support": int(supports[i])} for i in positions]


@singledispatch
def labels(data: object) -> tuple[Sequence[str], Ints]:
    """Return what can be marked as sensitive, and how often each occurs; of columns how many different values."""
    raise NotImplementedError(f"nothing can be marked in {type(data).__name__}")


@labels.register
def _items(baskets: Baskets) -> tuple[list[str], Ints]:
    return list(baskets.items), baskets.supports()


@labels.register
def _issues(ratings: Ratings) -> tuple[list[str], Ints]:
    return list(ratings.issues), np.bincount(ratings.indices, minlength=ratings.d).astype(np.int64)


@labels.register
def _columns(table: Table) -> tuple[list[str], Ints]:
    values = [len(np.unique(column.codes)) for column in table.columns]
    return [column.name for column in table.columns], np.array(values, np.int64)


@labels.register
def _columns_and_items(records: Records) -> tuple[list[str], Ints]:
    columns, values = _columns(records.attributes)
    items, held = _items(records.baskets)
    return [*columns, *items], np.concatenate([values, held])


def limits(data: Any, names: Iterable[str]) -> dict[str, Figures]:
    """Return for each guarantee how far its parameters can go in this data, or what is missing.

    ``blocked`` is why not even the weakest form can be kept. ``largest`` are the largest sensible values; for those in
    ``hard`` anything above is infeasible; ``suggested`` are values to begin with that suit this data. Ratings have
    ``spread``, for each way to count missing ratings the l that surely can be kept and the largest of any choice of
    people; baskets with sensitive items have ``admissible_up_to``.

    Examples
    --------
    >>> limits(Baskets.of([["a"], ["a"], ["a", "b"]]), ["k-anonymity"])["k-anonymity"]["largest"]
    {'k': 3.0}
    """
    found: dict[str, Figures] = {}
    scale, summary = getattr(data, "scale", None), data.summary()
    admissible = associations(data)["admissible_up_to"] if isinstance(data, Baskets) and data.sensitive.any() else []

    def refused(name: str, values: Mapping[str, Scalar]) -> CoveyError | None:
        try:
            guarantee(call_text(name, values)).require_feasible(summary)
        except CoveyError as error:
            return error
        return None

    for name in names:
        cls = guarantee_class(name)
        known = {one.name: one for one in parameters_of(cls)}
        usual = {one.name: one.suggests for one in known.values() if one.suggests is not None}
        weakest = {key: 2 if isinstance(value, int) else value for key, value in usual.items()}
        largest: dict[str, float] = {}
        hard = []
        for parameter, value in weakest.items():
            if not isinstance(value, int):
                if scale is not None:
                    largest[parameter] = round(scale.high - scale.low, 9)
                continue
            error = refused(name, {**weakest, parameter: BEYOND})
            if isinstance(error, Infeasible) and isinstance(error.best, int | float):
                largest[parameter] = float(error.best)
                hard.append(parameter)
            elif error is None and known[parameter].infinite:
                largest[parameter] = float(data.lengths().max(initial=1))
            elif error is None and parameter == "k":
                largest[parameter] = float(data.n)
        blocked = refused(name, weakest)
        here: dict[str, object] = {"blocked": blocked and str(blocked), "largest": largest, "hard": hard}
        if scale is not None and "epsilon" in known:
            here["suggested"] = {"epsilon": scale.near}
        if cls.bounds_certainty:
            here["admissible_up_to"] = admissible
        if "nulls" in known and data.sensitive.any():
            here["spread"] = wide = {nulls: rating_spread(data, zero=nulls == "zero") for nulls in ("zero", "omit")}
            largest["l"] = wide["zero"][0]
        found[name] = here
    return found


def rating_spread(data: Ratings, *, zero: bool) -> list[float]:
    """Return how far sensitive ratings spread: over everybody, which is an l that can be kept, and at the very most.

    The most is for whatever people are left out: half the distance of the lowest from the highest rating, and where
    people who gave none deviate by the mean (`zero`), no more than the highest. Rounded so that they hold.
    """
    reached, most = np.inf, np.inf
    for issue in np.flatnonzero(data.sensitive):
        codes = data.codes[data.indices == issue].astype(np.float64)
        if not len(codes):
            return [0.0, 0.0]
        unrated = data.n - len(codes) if zero else 0
        squares = float(((codes - codes.mean()) ** 2).sum() + unrated * codes.mean() ** 2)
        reached = min(reached, math.sqrt(squares / (len(codes) + unrated)))
        most = min(most, float(codes.max() if unrated else (codes.max() - codes.min()) / 2))
    step = data.scale.step
    return [math.floor(reached * step * 100 + 1e-6) / 100, round(most * step, 9)]
