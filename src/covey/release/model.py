"""Releases of a model: ordinary items exact, and noisy sums of who holds what, with a model fitted to them.

The tables hold everything that the noisy sums and the model follow from but the noise: the cells of the transactions,
and the scores by which each is in its cell. Where persons are named, a transaction is `measured` or not, as only so
many of a person's count.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa

from covey.arrays import Floats, Ids, Ints, Mask, places_of
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import keep_items, rows_from_pairs
from covey.errors import InputError, ParameterError, TamperedRelease
from covey.guarantees import guarantee
from covey.guarantees.label_dp import LabelDP
from covey.parameters import did_you_mean
from covey.release.base import BY_PERSON, Release, Words, counts_persons
from covey.release.estimate import Estimate
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.model_sums import (
    GRID,
    LENGTHS,
    Errors,
    Layout,
    Rows,
    branch_of,
    chances,
    errors_of,
    item_weights,
    length_class,
    length_offsets,
    scales_of,
    standard_error,
    total_scale,
)
from covey.release.tables import FLOAT, INT, TEXT, TEXTS, Schema, Tables

#: Cells at most, and to how many they are joined for items with fewer holders.
LEVELS = (8, 32, 128)

USE = """\
Questions about ordinary items alone have exact answers: count rows of `transactions`.

Nobody is told which transactions hold a sensitive item. A transaction holds it with the chance 1 / (1 + exp(-score)),
where the score adds up the weights of the item: the base, one for each item that has a weight, one for the cell, one
for the number of items. Add up the chances of the transactions that you ask for. With pandas, from Parquet:

```python
t, w = pandas.read_parquet("transactions.parquet"), pandas.read_parquet("weights.parquet")
w = w[w["sensitive"] == "A SENSITIVE ITEM"].set_index(["part", "name"])["weight"].to_dict()
keys = [[("cell", str(cell)), ("length", str(len(items))), *(("item", item) for item in items)]
        for cell, items in zip(t["cell"], t["items"])]
t["chance"] = [1 / (1 + math.exp(-w["base", ""] - sum(w.get(key, 0) for key in row))) for row in keys]
print(t["chance"][["AN ORDINARY ITEM" in items for items in t["items"]]].sum())
```

In DuckDB:

```sql
WITH w AS (FROM $weights WHERE sensitive = 'A SENSITIVE ITEM'),
t AS (SELECT row_number() OVER () AS id, cell, list_filter($labels, lambda i: i <> '') AS items FROM $transactions),
k AS (SELECT id, 'item' AS part, unnest(items) AS name FROM t UNION ALL SELECT id, 'cell', cell::TEXT FROM t
      UNION ALL SELECT id, 'length', len(items)::TEXT FROM t UNION ALL SELECT id, 'base', '' FROM t),
scores AS (SELECT id, sum(weight) AS score FROM k JOIN w ON k.part = w.part AND k.name = w.name GROUP BY id)
SELECT sum(1 / (1 + exp(-score))) AS estimate FROM t JOIN scores USING (id)
WHERE list_contains(items, 'AN ORDINARY ITEM')
```

`covey query` also states a standard error. The noisy sums themselves are in
`measured`: divide a `value` by the `grid` above; its noise has the standard deviation 1.41 × `scale` / `grid`."""

WORDS = Words(
    row="basket",
    counts={
        "transactions": "transactions, all that were read",
        "measured_transactions": "transactions that count in the noisy sums, at most so many of each person",
        "items": "published items",
        "entries": "published entries",
        "empty_transactions": "transactions without an ordinary item",
        "cells": "cells of similar transactions",
        "sensitive_items": "sensitive items, each with noisy sums and a model",
    },
    facts={
        "unit": "Whose sensitive items are protected",
        "grid": "What 1 is in the noisy sums",
        "rows_each": "Transactions of one person in the noisy sums, at most",
        "frequent": "Items with noisy sums of their own, where a sensitive item has enough holders",
        "epsilon_item": "The epsilon for one sensitive item of one of them",
        "epsilon_all": "The epsilon for all sensitive items of one of them together",
    },
    drawn="The ordinary items are as published. The sensitive ones were drawn at random from the model: **who has them "
    "is made up**.",
    use=USE,
)

_ROWS = Schema(
    {"cell": INT, "items": TEXTS},
    row="Each row is one transaction, without its sensitive items. Rows are in random order.",
    says={
        "cell": "The cell of similar transactions that it is in; follows from the items.",
        "items": "The ordinary items of the transaction, exactly as they were.",
    },
)
_ROWS_OF_PERSONS = replace(
    _ROWS,
    columns={"cell": INT, "measured": INT, "items": TEXTS},
    says={**_ROWS.says, "measured": "1 if it counts in the noisy sums, else 0."},
)
_CENTRES = Schema(
    {"item": TEXT, "cell": INT, "score": INT},
    row="Each row scores an item for a cell. A transaction is in the cell for which its items' scores add up to the "
    "most, the first of equals.",
    says={"item": "The item.", "cell": "The cell.", "score": "What the item adds to the sum of the cell."},
    key=("item", "cell"),
)
_CELLS = Schema(
    {"cell": INT, "middle": INT, "wide": INT},
    row="Each row joins a cell to larger ones, for sensitive items with fewer holders.",
    says={"cell": "The cell.", "middle": "One of at most 32 larger cells.", "wide": "One of at most 8."},
    key=("cell",),
)
_MEASURED = Schema(
    {"sensitive": TEXT, "part": TEXT, "name": TEXT, "value": INT, "scale": INT},
    row="Each row is a noisy sum over the transactions that hold a sensitive item.",
    says={
        "sensitive": "The sensitive item.",
        "part": "What is summed: 1 for each transaction (total), a weight for each frequent item, 1 by cell or length.",
        "name": "Which item, which cell (as they are joined for this item), or the shortest length of the class.",
        "value": "The sum with its noise, on the grid.",
        "scale": "The scale of the discrete Laplace noise, on the grid.",
    },
    key=("sensitive", "part", "name"),
)
_WEIGHTS = Schema(
    {"sensitive": TEXT, "part": TEXT, "name": TEXT, "weight": FLOAT, "spread": FLOAT},
    row="Each row is a weight of the model of a sensitive item.",
    says={
        "sensitive": "The sensitive item.",
        "part": "What has the weight: the base, an item, a cell, or a number of items (length).",
        "name": "Which item, cell or length.",
        "weight": "What it adds to the log odds.",
        "spread": "The standard deviation that the weight was allowed around the base rate.",
    },
    key=("sensitive", "part", "name"),
)


class Public(NamedTuple):
    """What follows from the ordinary items alone."""

    #: The transactions as the model sees them, and how many items and classes of lengths have a weight.
    rows: Rows
    frequent: Ints
    lengths: int
    #: How much likelier a transaction of each class of lengths is to lack one more item, as log odds.
    offsets: Floats


class Secret(NamedTuple):
    """Noisy sums of a sensitive item, and the model that was fitted to them."""

    layout: Layout
    #: Which of `LEVELS` its cells are joined to.
    level: int
    sums: Ints
    weights: Floats
    spread: Floats


def public_part(transactions: Baskets, cell: Ids, measured: Mask | None, items: int) -> Public:
    """Return what follows from the published transactions, with sums of so many frequent items."""
    supports, lengths = transactions.supports(), transactions.lengths()
    frequent = np.sort(np.argsort(-supports, kind="stable")[:items])
    indptr, indices = keep_items(*transactions.csr, places_of(frequent, transactions.d))
    classes, seen = length_class(lengths), lengths if measured is None else lengths[measured]
    number = int(classes.max(initial=0)) + 1
    rows = Rows(indptr, indices, item_weights(indptr, indices, supports[frequent]), cell, classes)
    return Public(rows, frequent, number, length_offsets(seen)[:number])


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ModelRelease(Release):
    """Exact ordinary items, noisy sums of sensitive ones, and the model fitted to those."""

    kind: ClassVar[str] = "model"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets",)
    words: ClassVar[Words] = WORDS
    stated: ClassVar[tuple[str, ...]] = (
        "unit",
        "grid",
        "rows_each",
        "frequent",
        "epsilon_item",
        "epsilon_all",
    )

    #: The published items of each transaction, in random order, and its cell.
    transactions: Baskets
    cell: Ids
    #: Where persons are protected: which transactions count in the sums, and of one person how many at most.
    measured: Mask | None
    rows_each: int
    #: How many frequent items have sums, at most.
    frequent: int
    #: The items that decide on the cell, ascending, and items x cells what each adds.
    scored: Ids
    scores: Ints
    #: The cell that each cell is joined to, itself on the last level: `LEVELS` x cells.
    joined: Ids
    #: Labels of the sensitive items, in label order, also of those that nobody holds; sums and model of each.
    sensitive_items: tuple[str, ...]
    secrets: tuple[Secret, ...]

    def __repr__(self) -> str:
        return (
            f"ModelRelease({self.guarantee} by {self.method}: {counted(self.transactions.n, 'transaction')}, "
            f"{counted(len(self.sensitive_items), 'sensitive item')})"
        )

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables."""
        rows = _ROWS_OF_PERSONS if counts_persons(manifest.facts) else _ROWS
        return {"transactions": rows, "centres": _CENTRES, "cells": _CELLS, "measured": _MEASURED, "weights": _WEIGHTS}

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """Return what is wrong with the facts of a manifest, in words; "" when nothing is."""
        facts = manifest.facts
        if problem := super(ModelRelease, cls).problem(manifest):
            return problem
        if not all(type(facts.get(name)) is int and facts[name] >= 0 for name in ("rows_each", "frequent")):
            return "does not state how many transactions of a person and how many items have sums, as whole numbers"
        if facts.get("grid") != GRID or (facts["rows_each"] != 1 and not counts_persons(facts)):
            return "states another grid, or several transactions of a person where none is named"
        return ""

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """Read the release from its tables."""
        transactions, rest = assemble_baskets(found.batches("transactions"))
        cell = rest["cell"].astype(np.int32)
        measured = rest["measured"] == 1 if counts_persons(manifest.facts) else None
        scored, scores = _read_scores(found.table("centres"), transactions.items)
        cells = found.table("cells")
        made = cls(
            transactions=transactions,
            cell=cell,
            measured=measured,
            rows_each=manifest.facts["rows_each"],
            frequent=manifest.facts["frequent"],
            scored=scored,
            scores=scores,
            joined=np.stack([_column(cells, name) for name in ("wide", "middle", "cell")]).astype(np.int32),
            sensitive_items=(),
            secrets=(),
            made=manifest.made,
        )
        number = made.joined.shape[1]
        if not (bool((made.joined[-1] == np.arange(number)).all()) and scores.shape[1] in (number, 0)):
            raise TamperedRelease("The cells are not numbered 0, 1, 2 and so on.")
        inside = [(cell, number), (made.joined, number)]
        if any(some.min(initial=0) < 0 or some.max(initial=0) >= below for some, below in inside):
            raise TamperedRelease("A transaction is in a cell that does not exist.")
        labels, secrets = _read_secrets(made, found.table("measured"), found.table("weights"))
        return replace(made, sensitive_items=labels, secrets=secrets)

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written."""
        columns = {"cell": self.cell.astype(np.int64)}
        if self.measured is not None:
            columns["measured"] = self.measured.astype(np.int64)
        items = [self.transactions.items[item] for item in self.scored for _ in range(self.scores.shape[1])]
        each = np.tile(np.arange(self.scores.shape[1]), len(self.scored))
        return {
            "transactions": item_batches(self.transactions, columns),
            "centres": iter([_CENTRES.batch(items, each, self.scores.ravel())]),
            "cells": iter([_CELLS.batch(*self.joined[::-1])]),
            "measured": iter([_MEASURED.batch(*_stacked(self, _measured_rows))]),
            "weights": iter([_WEIGHTS.batch(*_stacked(self, _weight_rows))]),
        }

    def counts(self) -> dict[str, int]:
        """Return figures that follow from the ordinary items alone."""
        return {
            "transactions": self.transactions.n,
            **({} if self.measured is None else {"measured_transactions": int(self.measured.sum())}),
            "items": self.transactions.d,
            "entries": self.transactions.entries,
            "empty_transactions": int((self.transactions.lengths() == 0).sum()),
            "cells": self.joined.shape[1],
            "sensitive_items": len(self.sensitive_items),
        }

    def facts(self) -> dict[str, Any]:
        """Return the grid, how much is measured, and the epsilon for one and for all sensitive items."""
        promise = self.promise
        return {
            **({} if self.measured is None else BY_PERSON),
            "grid": GRID,
            "rows_each": self.rows_each,
            "frequent": self.frequent,
            "epsilon_item": promise.per_item,
            "epsilon_all": promise.per_person(len(self.sensitive_items)),
        }

    @property
    def n(self) -> int:
        """Number of transactions."""
        return self.transactions.n

    @property
    def unit(self) -> str:
        """What a row is, in the plural."""
        return "transactions"

    @property
    def items(self) -> tuple[str, ...]:
        """All labels, ordinary and sensitive, in label order."""
        return tuple(sorted({*self.transactions.items, *self.sensitive_items}))

    @property
    def promise(self) -> LabelDP:
        """The guarantee."""
        made = guarantee(self.made.guarantee)
        assert isinstance(made, LabelDP)
        return made

    def public(self) -> Public:
        """Return what follows from the ordinary items alone."""
        return _public(self)

    def chances(self, secret: int, rows: Rows | None = None) -> Floats:
        """Return how likely each transaction is to hold a sensitive item, given by its place, or some rows are."""
        model = self.secrets[secret]
        return chances(seen_by(model, rows or self.public().rows, self.joined), model.layout, model.weights)

    def estimate(
        self, sensitive: str | None = None, *, present: Collection[str] = (), absent: Collection[str] = ()
    ) -> Estimate:
        """Estimate how many transactions hold `sensitive`, all of `present` and none of `absent`.

        The standard error covers the noise of the sums, chance, what the model's form usually gets wrong, and as many
        holders as the noise may hide among the rows with the items asked for.
        """
        asked = [*present, *absent, *([] if sensitive is None else [sensitive])]
        if set(present) & set(absent):
            raise ParameterError(f"{min(set(present) & set(absent))!r} cannot be both present and absent.")
        known = {*self.transactions.items, *self.sensitive_items}
        for item in asked:
            if item not in known:
                raise InputError(f"the release has no item {item!r}", remedy=did_you_mean(item, known).strip())
        hidden = sorted(set(self.sensitive_items) & {*present, *absent})
        if hidden:
            raise ParameterError(f"{hidden[0]!r} is sensitive: name it as the sensitive item of the query.")
        rows = matching(self.transactions, present, absent)
        exact = len(rows)
        if sensitive is None:
            return Estimate(estimate=exact, standard_error=0.0, lower=exact, upper=exact, matching=exact)
        secret, public = self.sensitive_items.index(sensitive), self.public()
        likely, errors = self.chances(secret), _errors(self, secret)
        seen = seen_by(self.secrets[secret], public.rows.some(rows), self.joined)
        counts = np.ones(exact, np.bool_) if self.measured is None else self.measured[rows]
        miss = self._plausible_miss(errors, likely, rows, set(present), set(absent))
        error = standard_error(errors, seen, counts, likely[rows], miss)
        return Estimate(estimate=float(likely[rows].sum()), standard_error=error, lower=0, upper=exact, matching=exact)

    def _plausible_miss(self, errors: Errors, likely: Floats, rows: Ints, present: set[str], absent: set[str]) -> float:
        """Return how far an estimate may be off because an item asked for is a telltale one that the fit missed.

        For each item as many rows as its own noisy sum leaves open, and for an item without one half of what is
        possible: of the rows that match and of those that may hold the sensitive item.
        """
        estimate, squares = float(likely[rows].sum()), 0.0
        place = {int(item): at for at, item in enumerate(self.public().frequent[: errors.layout.items])}
        for item in present | absent:
            at, having = place.get(self.transactions.items.index(item)), matching(self.transactions, [item], [])
            left = min(len(having), errors.most) / 2
            if at is not None:
                share = min(1.0, estimate / float(likely[having].sum())) if item in present else 1.0
                left = min(left, share * float(errors.by_item[at]))
            squares += left**2
        return min(math.sqrt(squares), len(rows) / 2, errors.most / 2)

    def draw(self, seed: int | None = None) -> Baskets:
        """Return baskets as the original may have been: each holds each sensitive item by chance, as the model has it.

        Without a seed, the system's entropy decides.
        """
        rng = np.random.default_rng(seed)
        drawn = [np.flatnonzero(rng.random(self.transactions.n) < self.chances(s)) for s in range(len(self.secrets))]
        row = np.concatenate([self.transactions.row_of_entries(), *drawn])
        number = self.transactions.d + np.repeat(np.arange(len(drawn)), [len(rows) for rows in drawn])
        item = np.concatenate([self.transactions.indices, number]).astype(np.int32)
        labels = (*self.transactions.items, *self.sensitive_items)
        return Baskets.build(*rows_from_pairs(row, item, self.transactions.n), labels, self.sensitive_items)


@lru_cache(maxsize=2)
def _public(release: ModelRelease) -> Public:
    return public_part(release.transactions, release.cell, release.measured, release.frequent)


def seen_by(secret: Secret, rows: Rows, joined: Ids) -> Rows:
    """Return rows as the model of a sensitive item sees them: with its cells, and items if they are measured for it."""
    coarser = rows.joined(joined[secret.level])
    return coarser if secret.layout.items else coarser.without_items()


def layout_of(level: int, items: int, joined: Ids, lengths: int) -> Layout:
    """Return how many items, cells of a level and classes of lengths are measured."""
    return Layout(items, int(joined[level].max(initial=0)) + 1, lengths)


def matching(transactions: Baskets, present: Collection[str], absent: Collection[str]) -> Ints:
    """Return the rows that hold all items of `present` and none of `absent`."""
    sign = np.array([(item in present) - transactions.d * (item in absent) for item in transactions.items], np.int64)
    return np.flatnonzero(transactions.to_scipy() @ sign == len(set(present)))


@lru_cache(maxsize=16)
def _errors(release: ModelRelease, secret: int) -> Errors:
    model, rows = release.secrets[secret], release.public().rows
    measured = rows if release.measured is None else rows.some(np.flatnonzero(release.measured))
    seen = seen_by(model, measured, release.joined)
    return errors_of(
        seen, model.layout, model.sums, model.weights, model.spread, scales(release, model), release.public().offsets,
        seen_by(model, rows, release.joined),
    )  # fmt: skip


def scales(release: ModelRelease, secret: Secret) -> tuple[int, ...]:
    """Return the noise scale of the total, items, cells and lengths of a sensitive item, on the grid."""
    epsilon = release.promise.epsilon
    branch = branch_of(int(secret.sums[0]), epsilon, release.rows_each)
    return total_scale(epsilon, release.rows_each), *scales_of(branch, epsilon, release.rows_each)


def _keys(release: ModelRelease, first: str, items: bool, cells: int, lengths: list[int]) -> list[list[str]]:
    """Return the part and the name of each sum or weight."""
    frequent = [release.transactions.items[item] for item in release.public().frequent] if items else []
    names = ["", *frequent, *map(str, range(cells)), *map(str, lengths)]
    return [[first, *["item"] * len(frequent), *["cell"] * cells, *["length"] * len(lengths)], names]


def _measured_rows(release: ModelRelease, secret: Secret) -> tuple[Any, ...]:
    starts = LENGTHS[: secret.layout.lengths].tolist()
    keys = _keys(release, "total", secret.layout.items > 0, secret.layout.cells, starts)
    return *keys, secret.sums, np.repeat(scales(release, secret), [1, *secret.layout])


def _weight_rows(release: ModelRelease, secret: Secret) -> tuple[Any, ...]:
    place, lengths = _expanded(release, secret)
    keys = _keys(release, "base", secret.layout.items > 0, release.joined.shape[1], lengths)
    return *keys, secret.weights[place], secret.spread[place]


def _expanded(release: ModelRelease, secret: Secret) -> tuple[Ints, list[int]]:
    """Return which weight each row of the table has, one for each cell and length, and the lengths."""
    items, cells, _ = secret.layout
    lengths = np.arange(int(release.transactions.lengths().max(initial=0)) + 1)
    places = [np.arange(1 + items), 1 + items + release.joined[secret.level], 1 + items + cells + length_class(lengths)]
    return np.concatenate(places).astype(np.int64), lengths.tolist()


def _stacked(release: ModelRelease, rows: Any) -> list[Any]:
    """Return the columns of a table of all sensitive items."""
    made = [rows(release, secret) for secret in release.secrets]
    label = [item for item, one in zip(release.sensitive_items, made, strict=True) for _ in one[0]]
    part, name = ([text for one in made for text in one[at]] for at in (0, 1))
    return [label, part, name, *(np.concatenate([one[at] for one in made]) for at in (2, 3))]


def _column(table: pa.Table, name: str) -> Any:
    column = table.column(name).combine_chunks()
    if column.null_count:
        raise TamperedRelease(f"The column {name} has a missing value.")
    return column.to_numpy(zero_copy_only=False)


def _read_scores(table: pa.Table, items: tuple[str, ...]) -> tuple[Ids, Ints]:
    labels, cell, score = (_column(table, name) for name in ("item", "cell", "score"))
    width = int(cell.max(initial=-1)) + 1
    place = {item: number for number, item in enumerate(items)}
    named = labels[:: max(width, 1)]
    scored = np.array([place.get(item, -1) for item in named], np.int32)
    exact = len(scored) * width == len(cell) and bool((np.diff(scored, prepend=-1) > 0).all())
    if not (exact and bool((cell == np.tile(np.arange(width), len(scored))).all())):
        raise TamperedRelease("The centres do not score each item once for each cell, in order.")
    return scored, score.reshape(len(scored), width)


def _read_secrets(made: ModelRelease, sums: pa.Table, weights: pa.Table) -> tuple[tuple[str, ...], tuple[Secret, ...]]:
    """Return the sensitive items with their sums and models, if the tables have exactly the rows that these need."""
    (labels, values), (again, weight), (_, spread) = (
        _split(sums, "value"),
        _split(weights, "weight"),
        _split(weights, "spread"),
    )
    if list(labels) != sorted(set(labels)) or set(labels) & {*made.transactions.items, ""}:
        raise TamperedRelease("The sensitive items are not in order, or are published as ordinary ones.")
    other = TamperedRelease("The tables of sums and weights do not have the rows that the noisy totals ask for.")
    if labels != again:
        raise other
    secrets, public = [], made.public()
    for value, each, allowed in zip(values, weight, spread, strict=True):
        if not (np.isfinite(each).all() and np.isfinite(allowed).all() and bool((allowed > 0).all())):
            raise TamperedRelease("A weight or its spread is not a number that it can be.")
        branch = branch_of(int(value[0]), made.promise.epsilon, made.rows_each)
        layout = layout_of(branch.level, len(public.frequent) if branch.items else 0, made.joined, public.lengths)
        secret = Secret(layout, branch.level, value, np.zeros(layout.size), np.ones(layout.size))
        place, _ = _expanded(made, secret)
        if (len(value), len(each)) != (layout.size, len(place)):
            raise other
        secret.weights[place], secret.spread[place] = each, allowed
        secrets.append(secret)
    read = replace(made, sensitive_items=labels, secrets=tuple(secrets))
    for table, rows in ((sums, _measured_rows), (weights, _weight_rows)):
        if secrets and [_column(table, name).tolist() for name in table.column_names[:3]] != _stacked(read, rows)[:3]:
            raise other
    return labels, read.secrets


def _split(table: pa.Table, name: str) -> tuple[tuple[str, ...], list[Any]]:
    """Return the sensitive items of a table, and the values of a column by item."""
    label = _column(table, "sensitive")
    starts = np.flatnonzero(label[1:] != label[:-1]) + 1
    values = np.split(_column(table, name), starts) if len(label) else []
    return tuple(label[[0, *starts]].tolist() if len(label) else ()), values
