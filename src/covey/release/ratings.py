"""Releases of ratings: fewer ratings than there were, perhaps on a coarser scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from covey.arrays import Ints, Mask
from covey.counting import sizes
from covey.data import Ratings, Scale
from covey.data.equal_rows import equal_rows
from covey.errors import CoveyError, TamperedRelease
from covey.release.base import Release, Statement, Words
from covey.release.item_columns import LabelCodes
from covey.release.manifest import Manifest
from covey.release.tables import FLOAT, INT, TEXT, Schema, Tables
from covey.release.trace import Trace, remember

USE = """\
Published ratings are exact, unless the manifest says from which scale they were rounded. Where ratings were left out
(see above how many), that was not at random: means and counts describe what is published. In DuckDB:

```sql
SELECT issue, count(*) AS ratings, avg(rating) AS mean FROM $ratings WHERE issue IS NOT NULL GROUP BY issue
```"""

WORDS = Words(
    row="record",
    counts={
        "records": "records",
        "issues": "issues",
        "ratings": "published ratings",
        "suppressed_ratings": "ratings of published records left out",
        "suppressed_records": "records left out",
        "unique": "records that someone finds who knows all their ordinary ratings exactly: no other record has these",
        "single": "records that someone finds who knows one ordinary rating exactly: no other record has it",
    },
    facts={
        "scale": "The scale of the ratings",
        "rounded_from": "The scale that they were rounded from",
        "sensitive": "Sensitive issues",
    },
    use=USE,
)

#: Records per piece; a row group of the Parquet file.
PIECE = 1 << 17

TABLE = Schema(
    {"record": INT, "issue": TEXT, "rating": FLOAT},
    row="Each row is one rating. A record without any published rating has one row with neither issue nor rating.",
    says={
        "record": "One person's ratings; the number means nothing else.",
        "issue": "What was rated.",
        "rating": "The rating, exactly as it was.",
    },
)
ROUNDED = replace(TABLE, says={**TABLE.says, "rating": "The rating, rounded to the nearest of the scale."})


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RatingsRelease(Release):
    """Published ratings.

    The records are in random order, and their users are numbers that mean nothing. Suppressed ratings are those of
    published records. `rounded_from` is the scale of the original, where ratings are published on a coarser one.
    """

    kind: ClassVar[str] = "ratings"
    data_kinds: ClassVar[tuple[str, ...]] = ("ratings",)
    words: ClassVar[Words] = WORDS

    ratings: Ratings
    suppressed_ratings: int = 0
    suppressed_records: int = 0
    rounded_from: Scale | None = None

    def __repr__(self) -> str:
        return (
            f"RatingsRelease({self.guarantee} by {self.method}: "
            f"{sizes(records=self.ratings.n, ratings=self.ratings.entries)}, {self.suppressed_ratings} suppressed)"
        )

    @property
    def kept(self) -> float:
        """Share of the published records' ratings that were kept."""
        return self.ratings.entries / max(self.ratings.entries + self.suppressed_ratings, 1)

    @classmethod
    def schemas(cls, manifest: Manifest) -> Mapping[str, Schema]:
        """Return the exact table."""
        return {"ratings": TABLE if manifest.options.get("round") is None else ROUNDED}

    @classmethod
    def problem(cls, manifest: Manifest) -> str:
        """The scale and the sensitive issues must be stated, of rounded ratings the scale before, and nothing else."""
        facts = manifest.facts
        sensitive, step = facts.get("sensitive"), manifest.options.get("round")
        scales = ["scale"] if step is None else ["scale", "rounded_from"]
        if set(facts) != {*scales, "sensitive"} or not all(isinstance(facts[name], str) for name in scales):
            return f"must state as facts the {' and '.join(scales)}, and the sensitive issues"
        if not isinstance(sensitive, list):
            return "does not list the sensitive issues"
        if sensitive != sorted({str(name) for name in sensitive}):
            return "does not list the sensitive issues in label order"
        try:
            stated = {name: Scale.parse(facts[name]) for name in scales}
            rounded = stated["scale"] if step is None else stated["rounded_from"].coarser(step)
        except CoveyError as error:
            return f"states a scale that is none ({error})"
        for name, scale in {**stated, "scale": rounded}.items():
            if scale.text != facts[name]:
                return f"states the scale {facts[name]!r} instead of {scale.text!r}"
        return ""

    @classmethod
    def from_tables(cls, found: Tables, manifest: Manifest) -> Self:
        """The release that such a table is of."""
        scale, sensitive = Scale.parse(manifest.facts["scale"]), manifest.facts["sensitive"]
        try:
            ratings = _assemble(found.table("ratings"), scale, sensitive)
        except CoveyError as error:
            if isinstance(error, TamperedRelease):
                raise
            raise TamperedRelease(f"The table and the manifest do not fit together: {error}") from None
        counts = manifest.counts
        return cls(
            ratings=ratings,
            made=manifest.made,
            suppressed_ratings=counts.get("suppressed_ratings", 0),
            suppressed_records=counts.get("suppressed_records", 0),
            rounded_from=Scale.parse(before) if (before := manifest.facts.get("rounded_from")) else None,
        )

    def tables(self) -> Mapping[str, Iterator[pa.RecordBatch]]:
        """Return the table as it is written."""
        return {"ratings": rating_batches(self)}

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        return {
            "records": self.ratings.n,
            "issues": self.ratings.d,
            "ratings": self.ratings.entries,
            "suppressed_ratings": self.suppressed_ratings,
            "suppressed_records": self.suppressed_records,
            **self._found_exactly(),
        }

    def _found_exactly(self) -> dict[str, int]:
        """Count the records that exact ordinary ratings single out: all of them together, and one alone."""
        public = self.ratings.split()[0]
        keys = public.indices.astype(np.int64) * (public.scale.levels + 1) + public.codes
        distinct, rating = np.unique(keys, return_inverse=True)
        alone = np.bincount(rating, minlength=len(distinct))[rating] == 1
        _, size, _ = equal_rows(public.indptr, rating.astype(np.int32), len(distinct))
        rows = np.repeat(np.arange(public.n), public.lengths())
        return {"unique": int((size == 1).sum()), "single": len(np.unique(rows[alone]))}

    def facts(self) -> dict[str, object]:
        """The scale of the ratings and the sensitive issues, without which the promise could not be checked.

        Of rounded ratings also the scale that they were on.
        """
        rounded = {} if self.rounded_from is None else {"rounded_from": self.rounded_from.text}
        return {"scale": self.ratings.scale.text, "sensitive": self.ratings.sensitive_issues(), **rounded}

    def reading_options(self) -> Mapping[str, object]:
        """Return the scale on which the original must be read to be compared."""
        return {"scale": (self.rounded_from or self.ratings.scale).text}


def rating_batches(release: RatingsRelease, records: int = PIECE) -> Iterator[pa.RecordBatch]:
    """The table (record, issue, rating) in pieces; at least one piece, perhaps empty."""
    for row, issue, rating in rows_of(release.ratings, records):
        yield TABLE.batch(row + 1, issue, rating)


def rows_of(data: Ratings, records: int) -> Iterator[tuple[Ints, pa.Array, pa.Array]]:
    """Respondent, issue and rating of all ratings in pieces; a respondent without any has neither, but a row."""
    labels = pa.array(data.issues, pa.string())
    for first in range(0, max(data.n, 1), records):
        last = min(first + records, data.n)
        lengths = np.diff(data.indptr[first : last + 1])
        row = np.repeat(np.arange(first, last), np.maximum(lengths, 1))
        filled = np.repeat(lengths > 0, np.maximum(lengths, 1))
        issue, rating = np.zeros(len(row), np.int32), np.zeros(len(row))
        part = slice(data.indptr[first], data.indptr[last])
        issue[filled], rating[filled] = data.indices[part], data.scale.decode(data.codes[part])
        yield row, labels.take(pa.array(issue, mask=~filled)), pa.array(rating, mask=~filled)


def _assemble(table: Any, scale: Scale, sensitive: list[str]) -> Ratings:
    record, issue, rating = (table.column(name).combine_chunks() for name in ("record", "issue", "rating"))
    missing = issue.is_null().to_numpy(zero_copy_only=False)
    if record.null_count or bool((missing != rating.is_null().to_numpy(zero_copy_only=False)).any()):
        raise TamperedRelease("A published rating has a missing value.")
    numbers, row = np.unique(record.to_numpy(zero_copy_only=False), return_inverse=True)
    codes = LabelCodes()
    column = codes.encode(issue.drop_null())
    labels = [*codes.labels, *(name for name in sensitive if name not in set(codes.labels))]
    values, bad = scale.encode(rating.drop_null().to_numpy(zero_copy_only=False).astype(np.float64))
    if len(bad):
        raise TamperedRelease(f"A published rating is not on the scale {scale.text}.")
    rows = row[~missing].astype(np.int64)
    cells = rows * max(len(labels), 1) + column
    if len(np.unique(cells)) < len(cells):
        raise TamperedRelease("A published record rates an issue twice.")
    names = [str(number) for number in numbers.tolist()]
    return Ratings.build(rows, column, values, users=names, labels=labels, scale=scale, sensitive=sensitive)


def ratings(
    data: Ratings,
    rows: Ints,
    keep: Mask,
    *,
    made: Statement,
    seed: int | None,
    rounded_from: Scale | None = None,
) -> RatingsRelease:
    """Make a release of the respondents `rows` with the ratings marked in `keep` (docs/papers.md, publishing).

    Records are shuffled and numbered in their new order, so a number tells nothing. Issues of which no rating
    is left are dropped, sensitive ones excepted: that they were asked is part of the promise.

    `data` is the original, its ratings rounded if they are to be. Without a seed, the system's entropy decides.
    """
    order = np.random.default_rng(seed).permutation(np.sort(rows))
    before = int(data.lengths()[rows].sum())
    published = data.keep(keep).take(order)
    occurring = np.zeros(data.d, np.bool_)
    occurring[published.indices] = True
    published = published.only(occurring | data.sensitive).replaced(users=tuple(str(i + 1) for i in range(len(order))))
    release = RatingsRelease(
        ratings=published,
        made=made,
        suppressed_ratings=before - published.entries,
        suppressed_records=data.n - len(order),
        rounded_from=rounded_from,
    )
    remember(release, Trace(rows=order))
    return release
