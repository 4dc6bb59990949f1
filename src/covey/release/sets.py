"""Releases of sets: fewer or broader items than there were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np
import pyarrow as pa

from covey.counting import sizes
from covey.data import Baskets
from covey.data.baskets import unmarked
from covey.data.csr import take_rows
from covey.data.taxonomy import ROOT
from covey.errors import TamperedRelease
from covey.release.base import BY_PERSON, Release, Statement, Words, counts_persons
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.tables import TEXT, TEXTS, Schema, Tables
from covey.release.trace import Trace, remember

USE = """\
Count the rows of `sets` that hold a label. A label that is an item of the original counts at most the sets that held
it: items may have been left out, never added. A label that stands for several items counts the sets that held any of
them; without further knowledge, treat each of them as equally likely. In DuckDB:

```sql
SELECT count(*) FILTER (WHERE list_contains($labels, 'A LABEL')) AS sets_with_it, count(*) AS sets
FROM $sets
```"""

WORDS = Words(
    row="basket",
    group="class",
    groups="classes of baskets that look alike",
    counts={
        "transactions": "transactions",
        "persons": "persons, each with the items of all their transactions",
        "items": "published items",
        "entries": "published entries",
        "empty": "sets published empty",
        "private_entries": "private entries, published as they were",
    },
    facts={
        "recoding": "How items were recoded (global: each item the same way everywhere, see `recoding.csv`; local: "
        "differently from set to set; suppressed: items were left out of some sets, and nothing was replaced)",
        "rest": "What every item that `recoding.csv` does not list is published as",
        "unit": "What a row is",
    },
    use=USE,
)

ITEMS = Schema(
    {"items": TEXTS},
    row="Each row is one set, in random order. A set may be empty.",
    says={"items": "The published labels: items as they were, or broader ones that stand for several."},
)
PRIVATE = Schema(
    {"items": TEXTS},
    row="Row i belongs to row i of `sets`.",
    says={"items": "The private items, exactly as they were."},
)
RECODING = Schema(
    {"item": TEXT, "published": TEXT},
    always_csv=True,
    row="Each row is one item of the original, or one that the taxonomy knows. Items not listed were left out.",
    says={"item": "The item.", "published": "The label that it is published as."},
    key=("item",),
)
RECODED = ("global", "local", "suppressed")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SetsRelease(Release):
    """Published sets, one per transaction, perhaps empty.

    Rows are in random order; where persons were named, a row is a person. With a global recoding, `recoding` has what
    each original item is published as, and `rest` what all others are, "" if they are suppressed. With coherence, row i
    of `private` has the private items of row i of `transactions`, as they are.
    """

    kind: ClassVar[str] = "sets"
    data_kinds: ClassVar[tuple[str, ...]] = ("baskets",)
    words: ClassVar[Words] = WORDS
    stated: ClassVar[tuple[str, ...]] = ("recoding", "rest", "unit")

    transactions: Baskets
    recoded: Literal["global", "local", "suppressed"]
    recoding: Mapping[str, str] | None = None
    rest: str = ""
    private: Baskets | None = None

    def __repr__(self) -> str:
        return (
            f"SetsRelease({self.guarantee} by {self.method}: "
            f"{sizes(**{self.transactions.unit: self.transactions.n}, labels=self.transactions.d)})"
        )

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact tables; private items are published with coherence, and with nothing else."""
        exact = {"sets": ITEMS}
        if _has_private(manifest):
            exact["private"] = PRIVATE
        if manifest.facts["recoding"] == "global":
            exact["recoding"] = RECODING
        return exact

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """Return what is wrong with the facts of a manifest, in words; "" when nothing is."""
        recoding, rest = manifest.facts.get("recoding"), manifest.facts.get("rest")
        if problem := super(SetsRelease, cls).problem(manifest):
            return problem
        if recoding not in RECODED or not isinstance(rest, str):
            return f"must state as facts the recoding ({', '.join(RECODED)}) and the rest"
        if recoding == "global":
            # Where an item is called like that, the flat taxonomy adds stars to the name of its root.
            return f"calls the rest {rest[:60]!r} instead of {ROOT!r}" if rest.strip(ROOT) else ""
        if rest:
            return "states a rest without a global recoding"
        # Only a global recoding can be repeated on the original, private items and all.
        return "publishes private items beside sets that were not recoded globally" if _has_private(manifest) else ""

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """Read the release from its tables."""
        baskets, _ = assemble_baskets(found.batches("sets"))
        private = recoding = None
        if "private" in found.schemas:
            private, _ = assemble_baskets(found.batches("private"))
        if "recoding" in found.schemas:
            listed = found.table("recoding")
            pairs = list(zip(*(listed.column(name).to_pylist() for name in ("item", "published")), strict=True))
            recoding = dict(pairs)
            if len(recoding) < len(pairs) or not all(item and label for item, label in pairs):
                raise TamperedRelease("The recoding lists an item twice, or lacks one.")
            _require_exact(recoding, manifest, baskets.items)
        if counts_persons(manifest.facts):
            baskets = replace(baskets, person=np.arange(baskets.n, dtype=np.int32))
        return cls(
            transactions=baskets,
            recoded=manifest.facts["recoding"],
            recoding=recoding,
            rest=manifest.facts["rest"],
            private=private,
            made=manifest.made,
        )

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the tables as they are written."""
        made = {"sets": item_batches(self.transactions)}
        if self.private is not None:
            made["private"] = item_batches(self.private)
        if self.recoding is not None:
            items = sorted(self.recoding)
            made["recoding"] = iter([RECODING.batch(items, [self.recoding[item] for item in items])])
        return made

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        lengths = self.transactions.lengths()
        private = {} if self.private is None else {"private_entries": self.private.entries}
        return {
            self.transactions.unit: self.transactions.n,
            "items": self.transactions.d,
            "entries": self.transactions.entries,
            "empty": int((lengths == 0).sum()),
            **private,
        }

    def facts(self) -> dict[str, object]:
        """How items were recoded, which says how the tables are to be read."""
        unit = {} if self.transactions.person is None else BY_PERSON
        return {"recoding": self.recoded, "rest": self.rest, **unit}

    def counted_items(self) -> set[str]:
        """The labels that are published in rows."""
        return set(self.transactions.items)

    def original(self, data: Baskets) -> Baskets:
        """What of the original the published sets are of."""
        return public_part(self, data)

    def draw(self, seed: int | None = None) -> Baskets:
        """Plain baskets as the original may have been: each broader label becomes one of the items it stands for.

        Which items these are, a global recoding says; other labels stay as they are, and the label for all that a
        recoding does not list is left out.

        Without a seed, the system's entropy decides.

        Examples
        --------
        >>> import covey
        >>> data = covey.Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"]])
        >>> covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm").draw(seed=1).supports().tolist()
        [3, 2]
        """
        sets = self.transactions
        if self.recoding is None:
            return sets
        stands_for: dict[str, list[str]] = {label: [] for label in sets.items}
        for item, label in sorted(self.recoding.items()):
            stands_for[label].append(item)
        names = sorted(self.recoding)
        number = {item: i for i, item in enumerate(names)}
        options = np.array([number[item] for label in sets.items for item in stands_for[label]], np.int32)
        many = np.array([len(stands_for[label]) for label in sets.items], np.int64)
        start = np.cumsum(many) - many
        rng = np.random.default_rng(seed)
        kept = many[sets.indices] > 0
        labels = sets.indices[kept]
        chosen = options[start[labels] + (rng.random(len(labels)) * many[labels]).astype(np.int64)]
        indptr = np.concatenate([[0], np.cumsum(kept)])[sets.indptr]
        return Baskets.build(indptr, chosen, names)


def public_part(release: SetsRelease, original: Baskets) -> Baskets:
    """The items of `original` that were to be generalized or left out; private ones are published as they are.

    Marks of sensitive items in `original` are not needed: the release says which items it treats as private. Where
    the release counts persons, it is the sets of persons.

    Examples
    --------
    >>> from covey.release.base import Statement
    >>> baskets = Baskets.of([["a", "s"], ["b"]])
    >>> release = SetsRelease(
    ...     transactions=Baskets.of([["a"], []]), private=Baskets.of([["s"], []]), recoded="suppressed",
    ...     made=Statement(guarantee="coherence(h=0.5, k=2, p=1)", method="mm"),
    ... )
    >>> public_part(release, baskets).items
    ('a', 'b')
    """
    if release.transactions.person is not None:
        original = original.by_person()
    if release.private is None:
        return original
    private = set(release.private.items)
    return original.only(np.array([item not in private for item in original.items], np.bool_))


def _has_private(manifest: Manifest) -> bool:
    return manifest.guarantee.startswith("coherence(")


def _require_exact(recoding: Mapping[str, str], manifest: Manifest, published: tuple[str, ...]) -> None:
    """Raise unless the recoding leads to what is published, and to nothing else, each label to itself."""
    rest = manifest.facts["rest"]
    labels = {*recoding.values(), *([rest] if rest else [])}
    odd = labels ^ set(published)
    if odd:
        raise TamperedRelease(f"The recoding and the sets do not agree on the label {min(odd)!r}.")
    for item, label in recoding.items():
        if item in labels and label != item:
            raise TamperedRelease(f"The label {item!r} is recoded to another, {label!r}.")


def sets(
    published: Baskets,
    *,
    made: Statement,
    seed: int | None,
    recoded: Literal["global", "local", "suppressed"],
    recoding: Mapping[str, str] | None = None,
    rest: str = "",
    private: Baskets | None = None,
    by_person: bool = False,
) -> SetsRelease:
    """Make a release of sets from what each original transaction is to be published as.

    Rows are shuffled, the private items of `private` with them; labels that no published transaction holds are
    dropped from the list of items, and from the recoding what would only lead to them. With `by_person` each row is a
    person, and the release says so.
    """
    kept = published.only(published.supports() > 0)
    order = np.random.default_rng(seed).permutation(kept.n)
    indptr, indices = take_rows(kept.indptr, kept.indices, order)
    transactions = Baskets(
        indptr=indptr,
        indices=indices,
        items=kept.items,
        sensitive=kept.sensitive,
        person=np.arange(kept.n, dtype=np.int32) if by_person else None,
    )
    if recoding is not None:
        known = set(transactions.items)
        recoding = {item: label for item, label in recoding.items() if label in known}
    if private is not None:
        private = private.only(private.supports() > 0)
        private = unmarked(*take_rows(private.indptr, private.indices, order), private.items)
    release = SetsRelease(
        transactions=transactions,
        recoded=recoded,
        recoding=recoding,
        rest=rest if rest in transactions.items else "",
        private=private,
        made=made,
    )
    remember(release, Trace(rows=order))
    return release
