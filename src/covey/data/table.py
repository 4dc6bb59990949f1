"""Tables: rows of persons, columns with roles (docs/papers.md, PatternKa 2020).

Every column is stored as codes into an ordered list of its values. Numbers are in ascending order, categories in
the order of a walk of their hierarchy; so what a group of rows is published as depends only on its lowest and
its highest code. A missing value is a value like any other: the last code of its column.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from covey.arrays import Floats, Ids, Ints, Words
from covey.counting import counted
from covey.data.hierarchy import MISSING, ROOT, Hierarchy
from covey.data.labels import alike, require_text
from covey.data.persons import PersonRows, digests_of_rows, numbered, renumbered, require_persons
from covey.data.saving import Saved
from covey.data.summary import Secret, Summary
from covey.errors import InputError
from covey.parameters import did_you_mean

#: What a column is to an attacker. Identifiers are dropped at the door and never become a column.
ROLES = ("quasi", "sensitive", "other")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Column:
    """One column: a code per row and what the codes mean."""

    name: str
    #: One of `ROLES`.
    role: str
    #: The value of each row as a position in `values`.
    codes: Ids
    #: The texts of the values in their order; ``""`` is the missing value.
    values: tuple[str, ...]
    #: For numeric columns: the numbers, ascending; NaN, last, for the missing value.
    numbers: Floats | None = None
    #: For categorical columns: leaf i is value i.
    hierarchy: Hierarchy | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The values under the name that they have in a released column."""
        return self.values

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.numbers is not None

    def alike(self) -> Ids:
        """For each value the first that a person would take for the same; such values are one secret."""
        return np.arange(len(self.values), dtype=np.int32) if self.numeric else alike(self.values)

    def positions(self) -> Floats:
        """For numeric columns: each value's place in the range of the column, from 0 to 1.

        The missing value stands at 2, so that a range which mixes it with numbers is at least 1 wide, while a
        group of missing values alone is 0 wide.
        """
        assert self.numbers is not None
        known = self.numbers[~np.isnan(self.numbers)]
        if not len(known):
            return np.zeros(len(self.numbers))
        width = known[-1] - known[0]
        places = (self.numbers - known[0]) / (width if width > 0 else 1.0)
        return np.where(np.isnan(self.numbers), 2.0, places)

    def span_text(self, low: int, high: int) -> str:
        """What a group of rows with codes from `low` to `high` is published as.

        Examples
        --------
        >>> ages = Column.of_numbers("age", [30, 20, None])
        >>> ages.span_text(0, 1), ages.span_text(0, 0), ages.span_text(0, 2)
        ('[20-30]', '20', '*')
        """
        if low == high:
            return self.values[low]
        if self.hierarchy is not None:
            return self.hierarchy.labels[self.hierarchy.common_ancestor(low, high)]
        if self.values[high] == MISSING:
            return ROOT
        return f"[{self.values[low]}-{self.values[high]}]"

    @classmethod
    def of_numbers(cls, name: str, values: Sequence[float | None] | Floats) -> Column:
        """A numeric quasi-identifier; None and NaN are missing."""
        given = np.array([np.nan if v is None else float(v) for v in values], np.float64)
        if np.isinf(given).any():
            raise InputError("an infinite number", column=name, remedy="Leave it empty or give a number.")
        # NaN sorts last and np.unique folds all of them into one.
        numbers, codes = np.unique(given, return_inverse=True)
        texts = tuple(MISSING if np.isnan(v) else number_text(float(v)) for v in numbers)
        return cls(name=name, role="quasi", codes=codes.reshape(-1).astype(np.int32), values=texts, numbers=numbers)

    @classmethod
    def of_codes(
        cls, name: str, codes: Ids, labels: Sequence[str], role: str = "quasi", hierarchy: Hierarchy | None = None
    ) -> Column:
        """A categorical column from codes into distinct `labels` in any order."""
        require_text(labels, "value", name)
        used = set(labels)
        tree = hierarchy or Hierarchy.flat(used - {MISSING})
        place = {label: i for i, label in enumerate(tree.labels[: tree.leaves])}
        if MISSING in used and MISSING not in place:
            tree = tree.with_leaf(MISSING)
            place[MISSING] = tree.leaves - 1
        unknown = sorted(used - place.keys())
        if unknown:
            inner = unknown[0] in tree.labels
            raise InputError(
                f"the value {unknown[0]!r} is "
                + ("a group, not a leaf, of" if inner else "not in")
                + f" the hierarchy ({counted(len(unknown), 'such value')})",
                column=name,
                remedy=did_you_mean(unknown[0], place).strip() or "Add it to the hierarchy.",
            )
        rename = np.array([place[label] for label in labels] or [0], np.int32)
        return cls(name=name, role=role, codes=rename[codes], values=tree.labels[: tree.leaves], hierarchy=tree)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(PersonRows, Saved):
    """`n` rows over named columns; never changed.

    Use `Table.of` or `covey.io.table.read_table` rather than the constructor.

    Examples
    --------
    >>> Table.of({"age": [30, 34], "sex": ["f", "m"], "flu": ["yes", "no"]}, sensitive=["flu"])
    Table(2 rows, quasi: age, sex; sensitive: flu)
    """

    kind: ClassVar[str] = "table"
    row_noun: ClassVar[str] = "rows"

    #: In the order in which they are published.
    columns: tuple[Column, ...]
    #: The number of each row's person; None as long as nobody has said who they are.
    person: Ids | None = None
    #: A digest of each person's name (`covey.data.persons`), to find persons again in other data; never published.
    names: Words | None = None
    #: Columns that were there but that nobody gave a role; they are not published.
    left_out: tuple[str, ...] = ()
    #: The saved dataset that these rows were loaded from (`covey.load`).
    directory: Path | None = None

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        require_text(names, "column name")
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InputError(f"the column {twice[0]!r} is there twice", remedy="Rename one of them.")
        if not self.columns:
            raise InputError("the table has no columns left", remedy="Name quasi-identifiers to publish.")
        if len({len(column.codes) for column in self.columns}) > 1:
            raise InputError("the columns of a table must be equally long")
        for column in self.columns:
            if column.role not in ROLES:
                raise InputError(f"the role {column.role!r} is none of {', '.join(ROLES)}", column=column.name)
            column.codes.flags.writeable = False
        require_persons(self.person, self.n)

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any]],
        *,
        sensitive: Collection[str] = (),
        other: Collection[str] = (),
        hierarchies: Mapping[str, Hierarchy] | None = None,
        persons: Iterable[Hashable] | None = None,
    ) -> Table:
        """Make a table from columns in memory; all are quasi-identifiers but the ones named otherwise.

        A column whose values are all numbers (or None) is numeric, unless a hierarchy is given for it. `persons` names
        the person of each row, if someone may have several.
        """
        trees = hierarchies or {}
        for name in (*sensitive, *other, *trees):
            if name not in columns:
                raise InputError(f"there is no column {name!r}", remedy=did_you_mean(name, columns).strip())
        made = []
        for name, values in columns.items():
            role = "sensitive" if name in sensitive else "other" if name in other else "quasi"
            known = [v for v in values if v is not None]
            numbers = bool(known) and all(isinstance(v, int | float) and v is not True for v in known)
            if numbers and role == "quasi" and name not in trees:
                made.append(Column.of_numbers(name, values))
                continue
            texts = [MISSING if v is None or v != v else str(v) for v in values]
            labels = sorted(set(texts))
            place = {label: i for i, label in enumerate(labels)}
            codes = np.array([place[text] for text in texts], np.int32)
            made.append(Column.of_codes(name, codes, labels, role, trees.get(name)))
        if persons is None:
            return cls(tuple(made))
        named = list(persons)
        return cls(tuple(made), numbered(named), digests_of_rows(named))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0].codes)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        roles = [f"{role}: {', '.join(c.name for c in self.of_role(role))}" for role in ROLES]
        whose = "" if self.persons is None else f" of {counted(self.persons, 'person')}"
        return f"Table({counted(self.n, 'row')}{whose}, {'; '.join(r for r in roles if not r.endswith(': '))})"

    def of_role(self, role: str) -> tuple[Column, ...]:
        """The columns with a role, in order."""
        return tuple(column for column in self.columns if column.role == role)

    def column(self, name: str) -> Column:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        known = [column.name for column in self.columns]
        raise InputError(f"there is no column {name!r}", remedy=did_you_mean(name, known).strip())

    def with_sensitive(self, names: Collection[str]) -> Table:
        """The same table with exactly these columns sensitive; those that were so before become quasi.

        A numeric quasi-identifier cannot become sensitive this way without losing its exact text, so it is
        rewritten as text.
        """
        for name in names:
            self.column(name)
        made = []
        for column in self.columns:
            wanted = column.name in names
            if wanted and column.role != "sensitive":
                made.append(Column.of_codes(column.name, column.codes, column.values, "sensitive"))
            elif not wanted and column.role == "sensitive":
                made.append(replace(column, role="quasi"))
            else:
                made.append(column)
        return replace(self, columns=tuple(made))

    def take(self, rows: Ints) -> Table:
        """Some of the rows, in this order; the persons among them are numbered anew."""
        person, names = (None, None) if self.person is None else renumbered(self.person, self.names, rows)
        return Table(tuple(replace(column, codes=column.codes[rows]) for column in self.columns), person, names)

    def by_person(self) -> Table:
        """One row per person, in each column the middle one of the person's values; as it is when none are named.

        Values are in their order, so that the middle one is typical of a number, and near the others in a hierarchy.

        Examples
        --------
        >>> visits = Table.of({"age": [30, 71, 31, 32]}, persons=["ann", "bob", "ann", "ann"])
        >>> visits.by_person().columns[0].codes.tolist(), visits.persons
        ([1, 3], 2)
        """
        owner = self.owner
        if np.array_equal(owner, np.arange(self.n)):
            return self
        sizes = np.bincount(owner)
        middle = np.cumsum(sizes) - sizes + (sizes - 1) // 2
        made = [
            replace(column, codes=column.codes[np.lexsort((column.codes, owner))[middle]]) for column in self.columns
        ]
        return Table(tuple(made), np.arange(len(sizes), dtype=np.int32), self.names)

    to_group = by_person

    def summary(self) -> Summary:
        """What guarantees ask before a release is made: of persons, if they are named."""
        secrets = []
        for column in self.of_role("sensitive"):
            # Each value once per person.
            held = np.unique(self.owner.astype(np.int64) * len(column.values) + column.alike()[column.codes])
            counts = np.bincount(held % len(column.values), minlength=1)
            secrets.append(
                Secret(
                    label=column.name,
                    holders=int(counts.max()),
                    values=int((counts > 0).sum()),
                    commonest=column.values[int(counts.argmax())] or "(missing)",
                )
            )
        rows = int(self.owner.max(initial=-1)) + 1
        return Summary(rows=rows, filled=rows, unit=self.unit, secrets=tuple(secrets))

    def rows(self, role: str) -> Ids:
        """The codes of the columns with a role, one row of the result per row of the table."""
        columns = self.of_role(role)
        out = np.empty((self.n, len(columns)), np.int32)
        for j, column in enumerate(columns):
            out[:, j] = column.codes
        return out


def number_text(value: float) -> str:
    """A number as it is published: without a fraction when it is whole.

    Examples
    --------
    >>> number_text(39.0), number_text(0.5)
    ('39', '0.5')
    """
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)
