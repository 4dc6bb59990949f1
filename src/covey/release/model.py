"""Releases of a model: ordinary items exact, and noisy sums of who holds what, with a model fitted to them.

The tables hold everything that the noisy sums and the model follow from but the noise: the cells of the transactions,
and the scores by which each is in its cell. Where persons are named, a transaction is `measured` or not, as only so
many of a person's count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa

from covey.arrays import Floats, Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import rows_from_pairs
from covey.errors import InputError, ParameterError, TamperedRelease
from covey.guarantees import guarantee
from covey.guarantees.label_dp import LabelDP
from covey.parameters import did_you_mean
from covey.release.attributes import WithAttributes, misstated_columns, with_attributes
from covey.release.base import BY_PERSON, SECRET_COLUMNS, Words, counts_persons
from covey.release.estimate import Estimate
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.model_errors import Errors, errors_of, standard_error
from covey.release.model_sums import GRID, LENGTHS, Public, Rows, length_class, level_of, public_part, scales_of
from covey.release.table import COLUMNS, TABLE, TableRelease
from covey.release.tables import FLOAT, INT, TEXT, TEXTS, Schema, Tables

USE = """\
Questions about ordinary items alone have exact answers: count rows of `transactions`.

Nobody is told which transactions hold a sensitive item. A transaction holds it with the chance 1 / (1 + exp(-score)),
where the score adds up the weights of the item in `models`: the one of `total`, one for each item that has a weight,
one for the cell (or for the `middle` or `wide` cell that it is joined to), one for the length. Add up the chances of
the transactions that you ask for. With pandas, from Parquet:

```python
t = pandas.read_parquet("transactions.parquet").merge(pandas.read_parquet("cells.parquet"), on="cell")
w = pandas.read_parquet("models.parquet").query("sensitive == 'A SENSITIVE ITEM'")
w = w.set_index(["part", "name"])["weight"].to_dict()
keys = [[("total", ""), *((part, str(row[part])) for part in ("wide", "middle", "cell", "length")),
         *(("item", item) for item in row["items"])] for row in t.to_dict("records")]
t["chance"] = [1 / (1 + math.exp(-sum(w.get(key, 0) for key in row))) for row in keys]
print(t["chance"][["AN ORDINARY ITEM" in items for items in t["items"]]].sum())
```

In DuckDB:

```sql
WITH w AS (FROM $models WHERE sensitive = 'A SENSITIVE ITEM'),
t AS (SELECT row_number() OVER () AS id, cell, middle, wide, length, list_filter($labels, lambda i: i <> '') AS items
      FROM $transactions JOIN $cells USING (cell)),
k AS (SELECT id, 'item' AS part, unnest(items) AS name FROM t UNION ALL SELECT id, 'total', '' FROM t
      UNION ALL (UNPIVOT (SELECT id, cell::TEXT AS cell, middle::TEXT AS middle, wide::TEXT AS wide,
                          length::TEXT AS length FROM t) ON cell, middle, wide, length INTO NAME part VALUE name)),
scores AS (SELECT id, sum(weight) AS score FROM k JOIN w ON k.part = w.part AND k.name = w.name GROUP BY id)
SELECT sum(1 / (1 + exp(-score))) AS estimate FROM t JOIN scores USING (id)
WHERE list_contains(items, 'AN ORDINARY ITEM')
```

`covey query` also states a standard error. The noisy sums are in `models`, too: divide a `sum` by the `grid` above; its
noise has the standard deviation 1.41 × `scale` / `grid`."""

WORDS = Words(
    row="basket",
    counts={
        "transactions": "transactions, all that were read",
        "measured_transactions": "transactions that count in the noisy sums, at most so many of each person",
        "columns": "attributes of each person, as they were",
        "items": "published items, values of attributes among them",
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
        "sensitive_columns": "Columns whose values are sensitive items",
        "epsilon_item": "The epsilon for one sensitive item of one of them",
        "epsilon_all": "The epsilon for all sensitive items of one of them together",
    },
    drawn="The ordinary items are as published. The sensitive ones were drawn at random from the model: **who has them "
    "is made up**.",
    use=USE,
)

_ROWS = Schema(
    {"cell": INT, "length": INT, "items": TEXTS},
    row="Each row is one transaction, without its sensitive items. Rows are in random order.",
    says={
        "cell": "The cell of similar transactions that it is in; follows from the items.",
        "length": "The shortest length of its class: 0 to 5, 7, 9, 12, 17, 24, 33, 48 or 65 items.",
        "items": "The ordinary items of the transaction, exactly as they were. Of records: all items of a person and "
        "the values of their attributes, such as `age=30`; row i belongs to row i of `table`.",
    },
)
_ROWS_OF_PERSONS = replace(
    _ROWS,
    columns={"cell": INT, "length": INT, "measured": INT, "items": TEXTS},
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
_MODELS = Schema(
    {"sensitive": TEXT, "part": TEXT, "name": TEXT, "sum": INT, "scale": INT, "weight": FLOAT, "spread": FLOAT},
    row="Each row is a noisy sum over the transactions that hold a sensitive item, and the weight that was fitted.",
    says={
        "sensitive": "The sensitive item.",
        "part": "What is summed: 1 for each transaction (total), shares of a frequent item, or 1 by cell (by wide or "
        "middle cells for items with fewer holders) or length.",
        "name": "Which item, cell or length.",
        "sum": "The sum with its noise, on the grid.",
        "scale": "The scale of the discrete Laplace noise, on the grid.",
        "weight": "What it adds to the log odds of a transaction.",
        "spread": "The standard deviation that the weight was allowed around the base rate.",
    },
    key=("sensitive", "part", "name"),
)
#: What the cells of each level are called in these tables.
_PARTS = ("wide", "middle", "cell")


class Secret(NamedTuple):
    """Noisy sums of a sensitive item, and the model that was fitted to them, laid out by the level's `Layout`."""

    level: int
    sums: Ints
    weights: Floats
    spread: Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ModelRelease(WithAttributes):
    """Exact ordinary items, noisy sums of sensitive ones, and the model fitted to those."""

    kind: ClassVar[str] = "model"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets", "records")
    words: ClassVar[Words] = WORDS
    stated: ClassVar[tuple[str, ...]] = (
        "unit", "grid", "rows_each", "frequent", "epsilon_item", "epsilon_all", SECRET_COLUMNS,
    )  # fmt: skip

    #: The cell of each transaction; they are in random order.
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
    #: Sums and model of each sensitive item, also of those that nobody holds.
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
        exact = {"transactions": rows, "centres": _CENTRES, "cells": _CELLS, "models": _MODELS}
        return exact | ({"table": TABLE, "columns": COLUMNS} if SECRET_COLUMNS in manifest.facts else {})

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """Return what is wrong with the facts of a manifest, in words; "" when nothing is."""
        facts = manifest.facts
        if problem := super(ModelRelease, cls).problem(manifest) or misstated_columns(facts):
            return problem
        if not all(type(facts.get(name)) is int and facts[name] >= 0 for name in ("rows_each", "frequent")):
            return "does not state how many transactions of a person and how many items have sums, as whole numbers"
        if facts.get("grid") != GRID or (facts["rows_each"] != 1 and not counts_persons(facts)):
            return "states another grid, or several transactions of a person where none is named"
        return ""

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """Read the release from its tables; what follows from others is compared when it is written again."""
        transactions, columns = assemble_baskets(found.batches("transactions"))
        cell = columns["cell"].astype(np.int32)
        measured = columns["measured"] == 1 if counts_persons(manifest.facts) else None
        joined = np.stack(found.columns("cells", *_PARTS)).astype(np.int32)
        width = joined.shape[1]
        if any(some.min(initial=0) < 0 or some.max(initial=0) >= width for some in (cell, joined)):
            raise TamperedRelease("A transaction is in a cell that does not exist.")
        named, score = found.columns("centres", "item", "score")
        scored, scores = _read_scores(named, score, transactions.items, width)
        made = cls(
            transactions=transactions,
            cell=cell,
            measured=measured,
            rows_each=manifest.facts["rows_each"],
            frequent=manifest.facts["frequent"],
            scored=scored,
            scores=scores,
            joined=joined,
            sensitive_items=(),
            secrets=(),
            made=manifest.made,
        )
        named, sums, weights, spreads = found.columns("models", "sensitive", "sum", "weight", "spread")
        labels = named.to_pylist()
        sizes = {label: len(list(rows)) for label, rows in groupby(labels)}
        if list(sizes) != sorted(set(labels)) or sum(sizes.values()) != len(labels):
            raise TamperedRelease("The rows of the models are not in the order of the sensitive items.")
        if sizes.keys() & {*transactions.items, ""}:
            raise TamperedRelease("A sensitive item is published as an ordinary one, or has no name.")
        if SECRET_COLUMNS in manifest.facts:
            made = made.of_records(TableRelease.from_tables(found, manifest, ranges=False), tuple(sizes), manifest)
        starts = np.cumsum([0, *sizes.values()])[:-1]
        parts = [np.split(np.asarray(column), starts[1:]) for column in (sums, weights, spreads)]
        secrets = tuple(made.read_secret(*one) for one in zip(*parts, strict=True)) if sizes else ()
        return replace(made, sensitive_items=tuple(sizes), secrets=secrets)

    def of_records(self, attributes: TableRelease, labels: tuple[str, ...], manifest: Manifest) -> Self:
        """Return the same with attributes, whose values must be what is beside the items in the transactions."""
        secret = manifest.facts[SECRET_COLUMNS]
        read = replace(self, attributes=attributes, secret_columns=tuple(secret))
        if with_attributes(read.items_alone(), attributes, secret, labels) != self.transactions:
            raise TamperedRelease("The values of attributes among the items are not those of the table.")
        return read

    def read_secret(self, sums: Ints, weights: Floats, spread: Floats) -> Secret:
        """Return the model of a sensitive item from its rows."""
        level = level_of(int(sums[0]), self.promise.epsilon, self.rows_each)
        if len(sums) != self.public().layout(level).size:
            raise TamperedRelease("A model does not have the rows that its noisy total asks for.")
        if not (np.isfinite(weights).all() and np.isfinite(spread).all() and bool((spread > 0).all())):
            raise TamperedRelease("A weight or its spread is not a number that it can be.")
        return Secret(level, sums, weights, spread)

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written."""
        columns = {"cell": self.cell, "length": LENGTHS[length_class(self.transactions.lengths())]}
        if self.measured is not None:
            columns["measured"] = self.measured.astype(np.int64)
        width = self.joined.shape[1]
        items = [self.transactions.items[item] for item in self.scored for _ in range(width)]
        return {
            "transactions": item_batches(self.transactions, columns),
            "centres": iter([_CENTRES.batch(items, np.tile(np.arange(width), len(self.scored)), self.scores.ravel())]),
            "cells": iter([_CELLS.batch(np.arange(width), *self.joined[-2::-1])]),
            "models": iter([self._models()]),
            **({} if self.attributes is None else self.attributes.tables()),
        }

    def _models(self) -> pa.RecordBatch:
        """Return the noisy sums and the weights of all sensitive items."""
        frequent = [self.transactions.items[item] for item in self.public().frequent]
        rows: list[tuple[Any, ...]] = []
        for label, one in zip(self.sensitive_items, self.secrets, strict=True):
            layout = self.public().layout(one.level)
            part = np.repeat(["total", "item", _PARTS[one.level], "length"], [1, *layout]).tolist()
            numbers = *range(layout.cells), *LENGTHS[: layout.lengths]
            names = ["", *frequent[: layout.items], *map(str, numbers)]
            scales = np.repeat(self.scales(one), [1, *layout])
            rows += zip([label] * layout.size, part, names, one.sums, scales, one.weights, one.spread, strict=True)
        return _MODELS.batch(*(zip(*rows, strict=True) if rows else [[]] * 7))

    def counts(self) -> dict[str, int]:
        """Return figures that follow from the ordinary items alone."""
        return {
            "transactions": self.transactions.n,
            **({} if self.measured is None else {"measured_transactions": int(self.measured.sum())}),
            **({} if self.attributes is None else {"columns": len(self.attributes.columns)}),
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
            **self.column_facts(),
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

    def scales(self, secret: Secret) -> tuple[int, ...]:
        """Return the noise scale of the total, items, cells and lengths of a sensitive item, on the grid."""
        return scales_of(secret.level, self.promise.epsilon, self.rows_each)

    def chances(self, secret: int, rows: Rows | None = None) -> Floats:
        """Return how likely each transaction, or each of some rows, is to hold a sensitive item, given by its place."""
        model = self.secrets[secret]
        return self.public().at(model.level, rows).chances(model.weights)

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
        seen = public.at(self.secrets[secret].level, public.rows.some(rows))
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
        place = {int(item): at for at, item in enumerate(self.public().frequent[: len(errors.by_item)])}
        for item in present | absent:
            at, having = place.get(self.transactions.items.index(item)), matching(self.transactions, [item], [])
            left = min(len(having), errors.most) / 2
            if at is not None:
                share = min(1.0, estimate / float(likely[having].sum())) if item in present else 1.0
                left = min(left, share * float(errors.by_item[at]))
            squares += left**2
        return min(float(np.sqrt(squares)), len(rows) / 2, errors.most / 2)

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
    return public_part(release.transactions, release.cell, release.joined, release.measured, release.frequent)


@lru_cache(maxsize=16)
def _errors(release: ModelRelease, secret: int) -> Errors:
    model, public = release.secrets[secret], release.public()
    layout, every = public.layout(model.level), public.at(model.level)
    rows = every if release.measured is None else every.some(np.flatnonzero(release.measured))
    prior = public.prior(rows, layout, float(model.sums[0]) / GRID)
    return errors_of(rows, every, layout, model.sums, release.scales(model), model.weights, model.spread, prior)


def matching(transactions: Baskets, present: Collection[str], absent: Collection[str]) -> Ints:
    """Return the rows that hold all items of `present` and none of `absent`."""
    sign = np.array([(item in present) - transactions.d * (item in absent) for item in transactions.items], np.int64)
    return np.flatnonzero(transactions.to_scipy() @ sign == len(set(present)))


def _read_scores(named: pa.Array, scores: Ints, items: tuple[str, ...], width: int) -> tuple[Ids, Ints]:
    """Return the items that are scored, and items x cells their scores."""
    labels = named.to_pylist()[::width]
    place = {item: number for number, item in enumerate(items)}
    scored = np.array([place.get(item, -1) for item in labels], np.int32)
    if len(scores) != len(scored) * width or not bool((np.diff(scored, prepend=-1) > 0).all()):
        raise TamperedRelease("The centres do not score each item once for each cell, in order.")
    return scored, scores.reshape(len(scored), width)
