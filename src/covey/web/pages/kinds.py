"""What the result page says of each kind of release besides its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseWords:
    """The words for one kind of release, in which ``{row}`` is what a published row is, ``{member}`` what is counted.

    Attributes
    ----------
    holds : str
        What the published files hold of the original.
    unlinked : str
        What they do not, where rows are not what is counted.
    holds_by_data : mapping
        The same where it is another for some kind of data.
    tiles : mapping
        The headlines: the key of a figure, and what it is in plain words.
    is_unchanged : callable
        ``(figures) -> bool``: whether everything is published as it was, because the original kept the promise.
    unchanged : str
        What is said then.
    lost : str
        What becomes of the share that its cost tells as lost.
    guessing : str
        What its attackers do, as the beginning of a sentence.
    """

    holds: str = ""
    unlinked: str = ""
    holds_by_data: Mapping[str, str] = field(default_factory=dict)
    tiles: Mapping[str, str] = field(default_factory=dict)
    is_unchanged: Callable[[Mapping[str, Any]], bool] = lambda figures: False
    unchanged: str = ""
    lost: str = "of the detail is lost"
    guessing: str = "Each guesses something that is not published"

    def holds_of(self, data: str, *, row: str, member: str) -> str:
        """What the published files hold of an original of this kind, by what rows are and what is counted."""
        apart = "" if row == member else self.unlinked
        return (self.holds_by_data.get(data, self.holds) + apart).format(row=row, member=member)


def release_words(kind: str) -> ReleaseWords:
    """The words for a kind of release; a kind that brings none gets by with its figures."""
    return PAGES.get(kind, ReleaseWords())


#: What the published files hold, where the guarantee says it more exactly than the kind of release.
HOLDS: Mapping[str, str] = {
    "coherence": "They hold the public items of each {row} that could stay, and its private items as they were. "
    "Numbers or names of the {row}s are not in them, and the order is new.",
}

#: What the published files of groups hold when they are made of records.
GROUPED_RECORDS = (
    "They hold the attributes and ordinary items of each person exactly as they were; sensitive attributes and items "
    "only as counts per group, never next to a single person. Names and numbers of persons are not in them, and the "
    "order is new."
)

# Groups always publish sensitive items as counts: such a release is never the original.
GROUPED = ReleaseWords(
    holds="They hold the ordinary items of each {row} exactly as they were, and sensitive items only as counts per "
    "group, never next to a single {row}. Numbers or names of the {row}s are not in them, and the order is new.",
    unlinked=" Which {row}s belong to one {member} is not in them either.",
    holds_by_data={"records": GROUPED_RECORDS},
    tiles={
        "groups": "groups of similar {member}s",
        "link_before": "chance to guess a sensitive item from a few others, in the original",
        "link_after": "the same chance in this release",
        "patterns": "of frequent combinations with a sensitive item keep their count",
    },
    guessing="Each guesses who holds a sensitive item",
)


def _sets_unchanged(figures: Mapping[str, Any]) -> bool:
    loss = figures.get("gcp")
    return bool(figures.get("ncp") == 0 if loss is None else loss["published"] == loss["original"])


SETS = ReleaseWords(
    holds="They hold the items of each {row}, some of them broader or left out where the promise needs it, the "
    "others as they were. Numbers or names of the {row}s are not in them, and the order is new.",
    tiles={
        "gcp": "of item occurrences are not published as they were",
        "ncp": "of the meaning is lost along the taxonomy",
        "labels": "different labels published",
        "risk_before": "chance of being found by a few items, in the original",
        "risk_after": "the same chance in this release",
    },
    is_unchanged=_sets_unchanged,
    unchanged="The data already kept this promise: every item is published as it was, only without numbers or names "
    "of the {row}s and in a new order. What the risk step showed still holds for this release.",
)

# Chunks never say which pieces were one row: such a release is never the original.
CHUNKS = ReleaseWords(
    holds="They hold every item, but what one {row} holds is cut apart: of each cluster of similar {row}s the pieces "
    "that several of them have, each as often as it was there. Items that only a few of a cluster have are named, and "
    "not counted. Which pieces were one {row} is not said, nor are numbers or names of the {row}s; the order is new.",
    tiles={
        "labels": "different items published, all that were read",
        "counted": "of item occurrences are counted exactly",
        "top_deviation": "of the most frequent combinations are not found as such",
        "pair_error": "error of counts of pairs of less frequent items (0 is none, 2 is the most)",
    },
    lost="of item occurrences are not counted",
    guessing="Each guesses whose pieces they are, or what else someone holds",
)

RATINGS = ReleaseWords(
    holds="They hold the ratings that were not left out as they were given, or rounded if a coarser scale was chosen, "
    "sensitive ones included. Names or numbers of the people are replaced by new numbers, and the order is new.",
    tiles={
        "records_kept": "of the people are published",
        "ratings_kept": "of the ratings are published",
        "suppressed_records": "respondents left out",
        "unique": "of the published records are unique by exact ratings",
    },
    lost="of the ratings are left out",
    is_unchanged=lambda figures: bool(
        figures["records_kept"] == 1 and figures["ratings_kept"] == 1 and not figures.get("rounded_from")
    ),
    unchanged="The data already kept this promise: every rating is published as it was given, only under new numbers "
    "and in a new order. What the risk step showed still holds for this release.",
)

RECORDS = ReleaseWords(
    holds="They hold every person: attributes as ranges or broader groups where the promise needs it, items as "
    "they were, broader or left out. Other columns are as they were. Names and numbers of persons are not in them, "
    "and the order is new.",
    tiles={
        "gcp": "of the detail of the attributes is lost",
        "items_ncp": "of the meaning of the items is lost",
        "unique_before": "of persons were unique by their attributes in the original",
        "worst_after": "highest chance to find a person by all attributes in this release",
    },
    is_unchanged=lambda figures: bool(figures["gcp"] == 0 and figures["items_ncp"] == 0),
    unchanged="The data already kept this promise: attributes and items are published as they were, only in a new "
    "order. What the risk step showed still holds for this release.",
)

TABLE = ReleaseWords(
    holds="They hold every row: columns that may be known as ranges or broader groups where the promise needs it, "
    "sensitive and other columns as they were. Columns marked to be left out are not in them, and the order is new.",
    tiles={
        "gcp": "of the detail is lost",
        "query_error": "typical error of a count over one or two columns",
        "unique_before": "of rows stood alone in the original",
        "worst_after": "highest chance to find a row in this release",
    },
    is_unchanged=lambda figures: bool(figures["gcp"] == 0),
    unchanged="The data already kept this promise: every published column is as it was, only in a new order of rows. "
    "What the risk step showed still holds for this release.",
)

#: By kind of release.
PAGES: Mapping[str, ReleaseWords] = {
    "grouped": GROUPED,
    "sets": SETS,
    "chunks": CHUNKS,
    "ratings": RATINGS,
    "records": RECORDS,
    "table": TABLE,
}
