"""A grouped release: exact quasi-identifier items per transaction, sensitive items only as counts per group."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Ids, Ints
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import beside, rows_from_pairs
from covey.data.groups import matches_per_group
from covey.errors import InputError, ParameterError
from covey.parameters import did_you_mean
from covey.release.base import Release
from covey.release.persons import BY_PERSON, SECRET_COLUMNS
from covey.release.table.model import TableRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The answer to a count query, reconstructed from groups (Ghinita et al. 2008, eq. 2) or chunks.

    Only `lower` and `upper` bound the truth. The standard error is the spread when sensitive items are dealt at random
    within each group; where an item really goes with what is asked for, the truth lies further off.

    Attributes
    ----------
    estimate : float
        Expected count when every member of a group is equally likely to hold its sensitive items, or every record of
        the clusters of a chunk its sub-records.
    standard_error : float
        The spread under random dealing (of a sum of hypergeometric variables, one per group); no error bar of the
        truth.
    lower, upper : int
        The count lies between these whatever the truth is.
    matching : int or None
        Of groups: transactions that match the predicate on published items; exact.
    persons : int or None
        Persons who hold the sensitive item in any of their transactions, whatever else is in them; exact. None where
        the release does not count persons. Transactions are not linked, so nothing can be said of predicates by person.
    """

    estimate: float
    standard_error: float
    lower: int
    upper: int
    matching: int | None = None
    persons: int | None = None

    def to_dict(self) -> dict[str, float | int]:
        """The answer as plain data for JSON."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GroupedRelease(Release):
    """Transactions in groups, with sensitive items counted per group.

    Attributes
    ----------
    transactions : Baskets
        The published items of each transaction; rows of one group stand together.
    group_ptr : int64 array
        Rows ``group_ptr[g]`` to ``group_ptr[g + 1]`` are group g.
    sensitive_items : tuple of str
        Labels of the sensitive items, in label order.
    count_group, count_item, count : arrays
        Group, position in `sensitive_items`, and number of occurrences; by group, then item.
    group_persons, holders : int64 arrays or None
        Where persons are counted: how many each group has, and how many of them hold the item of each count.
    attributes : TableRelease or None
        Of records: the attributes of each person, exactly, row by row; `transactions` has their values among the items,
        such as ``age=30``.
    secret_columns : tuple of str
        Of records: the sensitive columns; their values, such as ``illness=flu``, are among the `sensitive_items`.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "grouped"

    transactions: Baskets
    group_ptr: Ints
    sensitive_items: tuple[str, ...]
    count_group: Ints
    count_item: Ids
    count: Ints
    group_persons: Ints | None = None
    holders: Ints | None = None
    attributes: TableRelease | None = None
    secret_columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = (self.group_ptr, self.count_group, self.count_item, self.count)
        for array in (*given, self.group_persons, self.holders):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        whose = "" if self.persons is None else f" of {counted(self.persons, 'person')}"
        return (
            f"GroupedRelease({self.guarantee} by {self.method}: {counted(self.transactions.n, 'transaction')}{whose}, "
            f"{counted(self.groups, 'group')}, {counted(len(self.sensitive_items), 'sensitive item')})"
        )

    @property
    def items(self) -> tuple[str, ...]:
        """The items that are published as they were, in label order."""
        return self.transactions.items

    @property
    def n(self) -> int:
        """Number of transactions."""
        return self.transactions.n

    def supports(self) -> Ints:
        """In how many transactions each of these items is."""
        return self.transactions.supports()

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.group_ptr) - 1

    @property
    def persons(self) -> int | None:
        """Number of persons, as far as it is stated; None where transactions are counted."""
        return None if self.group_persons is None else sum(self.group_persons.tolist())

    def group_sizes(self) -> Ints:
        """Number of transactions in each group."""
        return np.diff(self.group_ptr)

    def members(self) -> Ints:
        """How many each group has of what is counted: persons, or transactions."""
        return self.group_sizes() if self.group_persons is None else self.group_persons

    def holding(self) -> Ints:
        """How many of these hold the item, for each group and item that is counted."""
        return self.count if self.holders is None else self.holders

    def sensitive_totals(self) -> Ints:
        """Occurrences of each sensitive item in the whole release."""
        return np.bincount(self.count_item, weights=self.count, minlength=len(self.sensitive_items)).astype(np.int64)

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        items = self.items_alone()
        return {
            "transactions": items.n,
            **({} if self.persons is None else {"persons": self.persons}),
            **({} if self.attributes is None else {"columns": len(self.attributes.columns)}),
            "items": items.d,
            "entries": items.entries,
            "groups": self.groups,
            "sensitive_items": len(self.sensitive_items),
            "sensitive_entries": int(self.count.sum()),
        }

    def facts(self) -> dict[str, Any]:
        """What the groups are made of, if not of transactions, and which columns of records are sensitive."""
        told = {} if self.group_persons is None else dict(BY_PERSON)
        return told if self.attributes is None else {**told, SECRET_COLUMNS: list(self.secret_columns)}

    @property
    def made_from(self) -> str:
        """The kind of data that it was made from."""
        return "baskets" if self.attributes is None else "records"

    def named_columns(self) -> dict[str, dict[str, str]]:
        """The attributes of records, all of which are published as they were."""
        if self.attributes is None:
            return {}
        return {"table": {column.name: "An attribute, exactly as it was." for column in self.attributes.columns}}

    @property
    def unit(self) -> str:
        """What a row is, in the plural."""
        return "transactions" if self.attributes is None else "persons"

    def items_alone(self) -> Baskets:
        """The published items of each transaction, without the values of attributes."""
        if self.attributes is None:
            return self.transactions
        values = {f"{column.name}={label}" for column in self.attributes.columns for label in column.labels}
        return self.transactions.only(np.array([item not in values for item in self.transactions.items], np.bool_))

    def estimate(
        self, sensitive: str | None = None, *, present: Collection[str] = (), absent: Collection[str] = ()
    ) -> Estimate:
        """Estimate how many transactions hold `sensitive`, all of `present` and none of `absent`.

        Examples
        --------
        >>> import covey
        >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["a"], ["b"]], sensitive=["s"])
        >>> release = covey.anonymize(baskets, "degree(p=2)", seed=1)
        >>> release.estimate("s").estimate
        1.0
        """
        sign = self._signs(present, absent)
        matches = matches_per_group(
            self.transactions.indptr, self.transactions.indices, self.group_ptr, sign, len(set(present))
        )
        if sensitive is None:
            found = int(matches.sum())
            return Estimate(estimate=float(found), standard_error=0.0, lower=found, upper=found, matching=found)
        rows = self.count_item == self._sensitive_position(sensitive)
        groups, a = self.count_group[rows], self.count[rows]
        size, b = self.group_sizes()[groups], matches[groups]
        share = b / size
        variance = a * share * (1 - share) * (size - a) / np.maximum(size - 1, 1)
        return Estimate(
            estimate=float((a * share).sum()),
            standard_error=math.sqrt(float(variance.sum())),
            lower=int(np.maximum(0, a + b - size).sum()),
            upper=int(np.minimum(a, b).sum()),
            matching=int(matches.sum()),
            persons=None if self.holders is None else int(self.holders[rows].sum()),
        )

    def draw(self, seed: int | None = None) -> Baskets:
        """Complete baskets that this release allows, each group's sensitive items dealt to its members at random.

        One draw is taken from all worlds that the release allows with equal chances, so it tells nothing about anybody
        that the release does not. Row i is row i of the release. Compute on several draws, and combine them with
        `covey.combine`: the mean agrees with `estimate`. Where persons are counted, baskets are drawn, not persons:
        which baskets belong to one person is not published.

        Examples
        --------
        >>> import covey
        >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["a"], ["b"]], sensitive=["s"])
        >>> covey.anonymize(baskets, "degree(p=2)", seed=1).draw(seed=3)
        Baskets(4 transactions, 3 items, 5 entries, 1 sensitive)
        """
        rng = np.random.default_rng(seed)
        sizes, first = self.group_sizes(), self.group_ptr
        dealt = [
            first[group] + rng.choice(sizes[group], count, replace=False, shuffle=False)
            for group, count in zip(self.count_group, self.count, strict=True)
        ]
        public = self.transactions
        rows = np.concatenate([np.empty(0, np.int64), *dealt]).astype(np.int32)
        secret = np.repeat(self.count_item, self.count) + np.int32(public.d)
        indptr, indices = beside(public.indptr, public.indices, *rows_from_pairs(rows, secret, public.n))
        return Baskets.build(indptr, indices, [*public.items, *self.sensitive_items], self.sensitive_items)

    def _signs(self, present: Collection[str], absent: Collection[str]) -> NDArray[np.int8]:
        for given in (present, absent):
            if isinstance(given, str):
                raise ParameterError(f"Give items as a list, such as [{given!r}], not as the text {given!r}.")
        both = sorted(set(present) & set(absent))
        if both:
            raise ParameterError(f"The item {both[0]!r} cannot be both present and absent.")
        sign = np.zeros(self.transactions.d, np.int8)
        position = {name: i for i, name in enumerate(self.transactions.items)}
        for names, value in ((present, 1), (absent, -1)):
            for name in names:
                if name not in position:
                    remedy = did_you_mean(name, self.transactions.items).strip()
                    if name in self.sensitive_items:
                        remedy = "It is sensitive: ask for it with --sensitive (one sensitive item per query)."
                    raise InputError(f"the release has no item {name!r}", remedy=remedy)
                sign[position[name]] = value
        return sign

    def _sensitive_position(self, name: str) -> int:
        if name in self.sensitive_items:
            return self.sensitive_items.index(name)
        known = ", ".join(self.sensitive_items[:8]) + (" …" if len(self.sensitive_items) > 8 else "")
        hint = did_you_mean(name, self.sensitive_items).strip()
        raise InputError(f"{name!r} is not a sensitive item of this release", remedy=f"{hint} It has: {known}.".strip())

    def to_frame(
        self,
        table: Literal["transactions", "sensitive", "groups"] = "transactions",
        *,
        library: Literal["pandas", "polars", "arrow"] = "pandas",
    ) -> Any:
        """One of the published tables as a frame, exactly as it stands in the files.

        Parameters
        ----------
        table : {"transactions", "sensitive", "groups"}
            ``transactions`` has the columns group and items, and between them the attributes of records; ``sensitive``
            has group, item and count; ``groups`` has group and transactions. Where persons are counted, their
            numbers are there, too.
        library : {"pandas", "polars", "arrow"}
            What to return.
        """
        if table not in ("transactions", "sensitive", "groups"):
            raise ParameterError(f"A release has the tables 'transactions', 'sensitive' and 'groups', not {table!r}.")
        attributes = ("table",) if table == "transactions" and self.attributes is not None else ()
        return self.frame_of(table, *attributes, library=library)


def roles_of(release: GroupedRelease) -> dict[str, list[str]]:
    """The roles with which the original must be read to be compared with a release; sensitive columns as they are."""
    if release.attributes is None:
        return {}
    of_role = release.attributes.of_role
    return {
        "quasi": [column.name for column in of_role("quasi")],
        "categorical": [column.name for column in of_role("quasi") if not column.numeric],
        "other": [*(column.name for column in of_role("other")), *release.secret_columns],
    }


def unprotected_columns(release: GroupedRelease) -> list[tuple[str, float]]:
    """The attributes of records, which are published as they were, and which share of their values is different."""
    if release.attributes is None:
        return []
    return [(column.name, len(column.labels) / max(release.attributes.n, 1)) for column in release.attributes.columns]
