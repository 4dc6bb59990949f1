"""The template of all methods: seed, options, feasibility, persons and publishing are dealt with here once.

A method is a frozen keyword-only dataclass of declared parameters with one verb, `Method.anonymize`. What is its own
goes into one function: the groups of a `GroupsBaskets` or `GroupsTables`, the labels of a `RecodesSets`, the ratings
that a `LeavesOutRatings` keeps. That function gets one row for each person (`to_group`), all that is known of them,
whether or not they have several in the data; its result is mapped back to the rows here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from covey.arrays import Ints, Mask
from covey.data import Baskets, Ratings, Records, Table, Taxonomy
from covey.guarantees.base import Guarantee
from covey.guarantees.l_diversity import LDiversity
from covey.methods.remaining import Rows
from covey.methods.work import WORK, WORK_HELP
from covey.parameters import Declared, parameter
from covey.progress import Progress, silent
from covey.release.base import Release, Statement
from covey.release.grouping import grouped, merged
from covey.release.ratings import ratings
from covey.release.sets import sets
from covey.release.table import table


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(Declared):
    """One published algorithm that turns data into a release which keeps a guarantee."""

    seed: int | None = parameter(
        None,
        at_least=0,
        any_size=True,
        says="Makes the release reproducible. If left out, random numbers come from the system.",
    )

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {name: value for name, value in self.values().items() if name not in ("seed", "taxonomy")}

    def statement(self, promise: Guarantee, notes: tuple[str, ...] = ()) -> Statement:
        """How a release is made, with the options that cut a search short."""
        return Statement(guarantee=promise.text, method=self.name, options=self.options(), notes=notes)

    #: Whether it can keep people in the company they had in an earlier release.
    keeps_company: ClassVar[bool] = False

    def anonymize(self, data: Any, guarantee: Any, *, before: Ints | None = None, progress: Progress = silent) -> Any:
        """Return a release of `data` that keeps `guarantee`, or raise `Infeasible` with what can be kept.

        `before` is the group that each person had in an earlier release, below 0 for newcomers: who was together stays
        so. Other parameters are as for `covey.anonymize`.
        """
        guarantee.require_feasible(data.summary())
        if before is None:
            return self.release(data, guarantee, progress)
        return self.release_like(data, guarantee, before, progress)

    def release(self, data: Any, promise: Any, progress: Progress) -> Release:
        """A release of `data`, which is known to be feasible."""
        raise NotImplementedError

    def release_like(self, data: Any, promise: Any, before: Ints, progress: Progress) -> Release:
        """As `release`, with everybody in the company of those they were with `before`, if it `keeps_company`."""
        raise NotImplementedError


class Groups(NamedTuple):
    """The group of each row, the number of groups, and the options that cut the search for them short."""

    group: Ints
    number: int
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, order: Ints, group: Ints, number: int, notes: tuple[str, ...] = ()) -> Groups:
        """Groups that were made of the rows in another `order`."""
        group_of_row = np.empty(len(order), np.int64)
        group_of_row[order] = group
        return cls(group_of_row, number, notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsBaskets(Method):
    """A method that puts the baskets of persons into groups, for a grouped release.

    Records are grouped as baskets too, in which the values of attributes are items, so that they count in every
    similarity.
    """

    merge: bool = parameter(
        True,
        says="Publish groups of equal size and equal counts as one: estimates do not change, and attackers no longer "
        "see which baskets were grouped together.",
    )

    keeps_company = True

    def groups(self, data: Baskets, promise: Any, progress: Progress) -> Groups:
        """The group of each basket."""
        raise NotImplementedError

    def require_able_in_parts(self) -> None:
        """Refuse options that do not work on parts of the data."""

    def group_part(self, public: Rows, d: int, secret: Rows, m: int, p: int) -> Groups:
        """Groups of the rows of a part, of d ordinary and m sensitive items, that keep the degree `p`.

        Engines that have the data in several places call it.
        """
        raise NotImplementedError

    def release(self, data: Baskets | Records, promise: Any, progress: Progress) -> Release:
        """Put the transactions into groups and publish them."""
        return self._published(data, self.groups(data.to_group(), promise, progress), promise, progress)

    def release_like(self, data: Baskets | Records, promise: Any, before: Ints, progress: Progress) -> Release:
        """The same from groups that lie within the earlier ones, as far as the promise allows."""
        from covey.methods.keeping import keep_company

        seed = None if self.seed is None else [self.seed, 3]
        made = keep_company(lambda some: self.groups(some, promise, progress), data.to_group(), promise, before, seed)
        return self._published(data, made, promise, progress)

    def _published(self, data: Baskets | Records, made: Groups, promise: Any, progress: Progress) -> Release:
        """Publish ordinary items exactly and sensitive ones as counts per group."""
        baskets = data.as_baskets()
        progress("publishing", 0.0)
        group, number = made.group[baskets.owner], made.number
        if self.merge:
            group, number = merged(group, number, baskets.only(baskets.sensitive))
        return grouped(data, group, number, made=self.statement(promise, made.notes), seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsTables(Method):
    """A method that groups typical rows of persons; a group's rows, all of these persons, are published alike."""

    def groups(self, data: Table, promise: Any, progress: Progress) -> Groups:
        """The group of each row."""
        raise NotImplementedError

    keeps_company = True

    def release(self, data: Table, promise: Any, progress: Progress) -> Release:
        """Publish what covers each group."""
        return self._published(data, self.groups(data.to_group(), promise, progress), promise, progress)

    def release_like(self, data: Table, promise: Any, before: Ints, progress: Progress) -> Release:
        """The same from groups that lie within the earlier classes, as far as the promise allows."""
        from covey.methods.keeping import keep_classes

        made = keep_classes(lambda some: self.groups(some, promise, progress), data.to_group(), promise, before)
        return self._published(data, made, promise, progress)

    def _published(self, data: Table, made: Groups, promise: Any, progress: Progress) -> Release:
        progress("publishing", 0.0)
        group, number = enough_persons(data, made.group, promise)
        return table(data, group, number, made=self.statement(promise, made.notes), seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecodesRecords(Method):
    """A method that publishes persons with coarser attributes, and with fewer or coarser items."""

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, an item is published or suppressed."
    )
    weight: float = parameter(
        0.5,
        at_least=0,
        at_most=1,
        says="Weight of the loss of attributes (GCP) against that of items (NCP), from 0 to 1.",
    )
    work: int = parameter(
        10 * WORK,
        at_least=1,
        expert=True,
        label="Work for the search",
        says=WORK_HELP,
        cut_short="Some cuts of a class had too many threats to examine; more work may lose less.",
    )


class Kept(NamedTuple):
    """The respondents to publish and which ratings of the data, and the options that cut the search short."""

    rows: Ints
    ratings: Mask
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavesOutRatings(Method):
    """A method that publishes ratings by leaving some out, on their own scale or on a coarser one.

    A method sees the ratings as they will be published: what is promised is kept by those.
    """

    round: float | None = parameter(
        None,
        above=0,
        label="Round ratings to steps of",
        says="Publish ratings on a coarser scale: each as the nearest of the values this step apart. Fewer people are "
        "then unique; left out, ratings are published as they are.",
    )

    def keep(self, data: Ratings, promise: Any, progress: Progress) -> Kept:
        """What can be published."""
        raise NotImplementedError

    def release(self, data: Ratings, promise: Any, progress: Progress) -> Release:
        """Publish the ratings that can be kept."""
        shown = data if self.round is None else data.rounded(self.round)
        kept = self.keep(shown, promise, progress)
        progress("publishing", 0.0)
        return ratings(
            shown,
            kept.rows,
            kept.ratings,
            made=self.statement(promise, kept.notes),
            seed=self.seed,
            rounded_from=None if self.round is None else data.scale,
        )


class Recoded(NamedTuple):
    """What each basket is published as, and what the release states of it; see `covey.release.sets.sets`.

    The options that cut the search for it short are the `notes`.
    """

    published: Baskets
    recoding: Mapping[str, str] | None = None
    rest: str = ""
    private: Baskets | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecodesSets(Method):
    """A method that publishes the baskets of persons with fewer or coarser labels than they had."""

    #: Whether each item is published alike everywhere, baskets are generalized one by one, or items only left out.
    recoded: ClassVar[Literal["global", "local", "suppressed"]] = "global"

    def recode(self, data: Baskets, promise: Any, progress: Progress) -> Recoded:
        """What each basket is published as."""
        raise NotImplementedError

    def release(self, data: Baskets, promise: Any, progress: Progress) -> Release:
        """Publish the baskets as they were recoded."""
        found = self.recode(data.to_group(), promise, progress)
        progress("publishing", 0.0)
        return sets(
            found.published,
            by_person=data.unit == "persons",
            made=self.statement(promise, found.notes),
            seed=self.seed,
            recoded=self.recoded,
            recoding=found.recoding,
            rest=found.rest,
            private=found.private,
        )


def enough_persons(data: Table, home: Ints, promise: Any) -> tuple[Ints, int]:
    """The group of each row, and how many groups there are, given the group of each person.

    A typical row shows one of a person's sensitive values; by the others a group may still fall short of l-diversity.
    Such a group is joined with the next one, which methods number by neighbourhood, until none is left; all persons
    together keep the promise, or it would be infeasible. O(rows log rows) for each round, of which few are needed.
    """
    home = np.unique(home, return_inverse=True)[1].reshape(-1)
    while isinstance(promise, LDiversity):
        short = _falls_short(data, home, promise)
        if len(short) < 2 or not short.any():
            break
        groups = np.arange(len(short))
        joins = short.copy()
        joins[1:] &= ~short[:-1]  # two that fall short side by side are joined, not both moved on
        target = np.where(joins, np.where(groups < len(short) - 1, groups + 1, groups - 1), groups)
        home = np.unique(target[home], return_inverse=True)[1].reshape(-1)
    return home[data.owner], int(home.max(initial=-1)) + 1


def _falls_short(data: Table, home: Ints, promise: LDiversity) -> Mask:
    """Which groups of persons do not have l well represented values in some sensitive column."""
    persons = np.bincount(home)
    short = np.zeros(len(persons), np.bool_)
    for column in data.of_role("sensitive"):
        width = len(column.values)
        held = np.unique(data.owner.astype(np.int64) * width + column.alike()[column.codes])
        cells, holders = np.unique(home[held // width] * width + held % width, return_counts=True)
        if not promise.by_frequency:
            short |= np.bincount(cells // width, minlength=len(persons)) < promise.l
        else:
            most = np.zeros(len(persons), np.int64)
            np.maximum.at(most, cells // width, holders)
            short |= most > persons // promise.l
    return short
