"""Survey ratings: what each respondent answered on each issue, or nothing (docs/papers.md, Sun et al. 2010).

Stored as compressed sparse rows of small whole numbers: a rating is kept as its step on a declared scale, so
that "at most epsilon apart" is decided exactly, without the rounding of 0.3 - 0.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Codes, Ids, Ints, Mask, offsets_of
from covey.counting import counted, sizes
from covey.data.labels import in_label_order, require_rows, require_text, sensitive_mask
from covey.data.saving import Saved
from covey.data.scale import Scale
from covey.data.summary import Secret, Summary
from covey.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Ratings(Saved):
    """`n` respondents, `d` issues, and a rating or nothing for each pair; never changed.

    Use `Ratings.of`, `Ratings.build` or `covey.read_ratings` rather than the constructor, which accepts only
    canonical arrays.

    Examples
    --------
    >>> ratings = Ratings.of([[6, 1, None], [1, None, 5]], issues=["food", "films", "income"],
    ...                      sensitive=["income"], scale="1:6")
    >>> ratings
    Ratings(2 respondents, 3 issues, 4 ratings on 1:6, 1 sensitive)
    >>> ratings.record(1)
    {'food': 1.0, 'income': 5.0}
    """

    kind: ClassVar[str] = "ratings"

    #: Respondent i rated the issues ``indices[indptr[i]:indptr[i + 1]]``, strictly ascending.
    indptr: Ints
    indices: Ids
    #: The ratings as steps 1 .. `scale.levels`.
    codes: Codes
    #: Labels, strictly ascending; an issue's id is its position here.
    issues: tuple[str, ...]
    #: Which issues are sensitive; the others can be known to an attacker.
    sensitive: Mask
    scale: Scale
    #: Names of the respondents, for reporting; never published.
    users: tuple[str, ...]
    #: The saved dataset that these rows were loaded from (`covey.load`).
    directory: Path | None = None

    def __post_init__(self) -> None:
        require_rows(self.indptr, self.indices, self.issues, self.sensitive, "issue")
        if self.codes.dtype != np.int16 or len(self.codes) != len(self.indices):
            raise InputError("there must be one code of type int16 per rating")
        if len(self.users) != self.n:
            raise InputError(f"there are {counted(len(self.users), 'name')} for {counted(self.n, 'respondent')}")
        self.codes.flags.writeable = False
        if len(self.codes) and (self.codes.min() < 1 or self.codes.max() > self.scale.levels):
            raise InputError(f"a code lies outside the scale {self.scale.text}")

    @classmethod
    def build(
        cls,
        rows: NDArray[Any],
        columns: NDArray[Any],
        codes: NDArray[Any],
        *,
        users: Sequence[str],
        labels: Sequence[str],
        scale: Scale,
        sensitive: Collection[str] = (),
    ) -> Ratings:
        """Make ratings from triples in any order; each pair at most once, labels distinct but unsorted."""
        require_text(users, "user")
        issues, place = in_label_order(labels)
        keys = rows.astype(np.int64) * max(len(labels), 1) + place[columns]
        if len(keys) and not bool((keys[1:] > keys[:-1]).all()):
            order = np.argsort(keys, kind="stable")
            keys, codes = keys[order], codes[order]
        indptr = np.searchsorted(keys, np.arange(len(users) + 1) * max(len(labels), 1)).astype(np.int64)
        ratings = cls(
            indptr=indptr,
            indices=(keys % max(len(labels), 1)).astype(np.int32),
            codes=codes.astype(np.int16),
            issues=issues,
            sensitive=np.zeros(len(labels), np.bool_),
            scale=scale,
            users=tuple(users),
        )
        return ratings.with_sensitive(sensitive) if len(sensitive) else ratings

    @classmethod
    def of(
        cls,
        records: Iterable[Mapping[str, float | None] | Sequence[float | None]],
        *,
        scale: Scale | str,
        issues: Sequence[str] | None = None,
        sensitive: Collection[str] = (),
        users: Sequence[str] | None = None,
    ) -> Ratings:
        """Make ratings from a mapping per respondent, or from a list per respondent and the `issues`."""
        scale = Scale.parse(scale)
        ids = {name: i for i, name in enumerate(issues or ())}
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        count = 0
        for number, record in enumerate(records):
            pairs = record.items() if isinstance(record, Mapping) else _named(record, issues, number)
            for name, value in pairs:
                column = ids.setdefault(str(name), len(ids))
                if value is not None:
                    rows.append(number)
                    columns.append(column)
                    values.append(float(value))
            count = number + 1
        codes, bad = scale.encode(np.array(values, np.float64))
        if len(bad):
            raise InputError(
                f"respondent {rows[bad[0]]} rates {list(ids)[columns[bad[0]]]!r} {values[bad[0]]:g}, "
                f"which is not on the scale {scale.text}",
                remedy="Correct it, leave it out, or declare another scale.",
            )
        names = list(users) if users is not None else [str(i + 1) for i in range(count)]
        return cls.build(
            np.array(rows, np.int64),
            np.array(columns, np.int64),
            codes,
            users=names,
            labels=list(ids),
            scale=scale,
            sensitive=sensitive,
        )

    @property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.indptr) - 1

    @property
    def d(self) -> int:
        """Number of issues."""
        return len(self.issues)

    @property
    def entries(self) -> int:
        """Number of ratings."""
        return len(self.indices)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return (
            f"Ratings({sizes(respondents=self.n, issues=self.d, ratings=self.entries)} on {self.scale.text}, "
            f"{int(self.sensitive.sum())} sensitive)"
        )

    def __eq__(self, other: object) -> bool:
        """Equal when the same respondents in the same order gave the same ratings to the same issues."""
        if not isinstance(other, Ratings):
            return NotImplemented
        same = (self.issues, self.scale, self.users) == (other.issues, other.scale, other.users)
        names = ("indptr", "indices", "codes", "sensitive")
        return same and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def record(self, row: int) -> dict[str, float]:
        """The ratings of one respondent by issue."""
        part = slice(self.indptr[row], self.indptr[row + 1])
        values = self.scale.decode(self.codes[part]).tolist()
        return {self.issues[i]: v for i, v in zip(self.indices[part], values, strict=True)}

    def lengths(self) -> Ints:
        """Number of ratings of each respondent."""
        return np.diff(self.indptr)

    def sensitive_issues(self) -> list[str]:
        """Labels of the sensitive issues, in label order."""
        return [self.issues[i] for i in np.flatnonzero(self.sensitive)]

    def with_sensitive(self, names: Collection[str]) -> Ratings:
        """The same ratings with exactly these issues sensitive; unknown names are an error."""
        return self.replaced(sensitive=sensitive_mask(self.issues, names, "issue"))

    def take(self, rows: NDArray[Any]) -> Ratings:
        """The respondents `rows`, in that order."""
        lengths = self.lengths()[rows]
        indptr = offsets_of(lengths)
        place = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return self.replaced(
            indptr=indptr,
            indices=self.indices[place],
            codes=self.codes[place],
            users=tuple(self.users[row] for row in rows),
            directory=None,
        )

    def keep(self, entries: Mask) -> Ratings:
        """The same respondents and issues with only the ratings marked in `entries`."""
        before = offsets_of(entries)
        return self.replaced(indptr=before[self.indptr], indices=self.indices[entries], codes=self.codes[entries])

    def only(self, issues: Mask) -> Ratings:
        """The same respondents with only the issues marked in `issues`, which become the whole list."""
        kept = self.keep(issues[self.indices])
        rename = (np.cumsum(issues) - 1).astype(np.int32)
        return kept.replaced(
            indices=rename[kept.indices],
            issues=tuple(self.issues[i] for i in np.flatnonzero(issues)),
            sensitive=self.sensitive[issues],
        )

    def split(self) -> tuple[Ratings, Ratings]:
        """The non-sensitive part and the sensitive part, each with its own list of issues."""
        return self.only(~self.sensitive), self.only(self.sensitive)

    def rounded(self, step: float) -> Ratings:
        """The same ratings on a coarser scale: each as the nearest of it, the higher one of two as near.

        Examples
        --------
        >>> Ratings.of([[0.5, 3.5, 5]], issues=["a", "b", "c"], scale="0.5:5:0.5").rounded(2).record(0)
        {'a': 2.0, 'b': 4.0, 'c': 4.0}
        """
        coarse = self.scale.coarser(step)
        finer, known = (scale.decode(np.arange(1, scale.levels + 1, dtype=np.int16)) for scale in (self.scale, coarse))
        nearest = 1 + np.searchsorted(np.round((known[1:] + known[:-1]) / 2, 9), finer, side="right")
        return self.replaced(codes=nearest.astype(np.int16)[self.codes - 1], scale=coarse)

    def summary(self) -> Summary:
        """What guarantees ask before a release is made."""
        supports = np.bincount(self.indices, minlength=self.d)
        marked = np.flatnonzero(self.sensitive)
        return Summary(
            rows=self.n,
            filled=int((self.lengths() > 0).sum()),
            unit="respondents",
            secrets=tuple(Secret(label=self.issues[i], holders=int(supports[i])) for i in marked),
        )

    def replaced(self, **changes: Any) -> Ratings:
        """The same ratings with some attributes changed."""
        return replace(self, **changes)


def _named(
    record: Sequence[float | None], issues: Sequence[str] | None, number: int
) -> Iterable[tuple[str, float | None]]:
    if issues is None or len(record) != len(issues):
        raise InputError(
            f"respondent {number} has {counted(len(record), 'rating')} for {counted(len(issues or ()), 'issue')}",
            remedy="Give issues=[...] with one label per rating, and None where there is no rating.",
        )
    return zip(issues, record, strict=True)
