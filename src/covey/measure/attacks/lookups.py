"""Attacks on published sets, records and ratings: by more than is promised, by all that is published, by inference.

A row is a set of labels: items, for records within a class of attributes, for ratings pairs of issue and value. The
attacker knows what the person's labels are published as, which the release states itself where items are published
alike everywhere. Of someone in released records, all attributes are known besides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets, Ratings
from covey.data.csr import take_rows, transpose
from covey.data.equal_rows import equal_rows
from covey.data.postings import Postings
from covey.measure.attacks.result import AttackResult, compared, percent, promised
from covey.measure.risk import pick_items
from covey.parameters import parse_call
from covey.release.base import Release
from covey.release.kinds import promise_of
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease
from covey.tabular import Plain

#: People attacked, at most; each once.
TARGETS = 2_000
#: So many ratings are known exactly, and then more.
KNOWN_RATINGS = (2, 4, 8)


def drawn(eligible: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Return who is attacked: everyone where they are not more than `most`, else so many of them, nobody twice."""
    return eligible if len(eligible) <= most else rng.choice(eligible, most, replace=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finds(Plain):
    """How often rows are found by some of their labels."""

    #: So many labels are known of each.
    known: int
    #: The mean chance to pick the right row, and the share of rows that are the only one with what is known.
    risk: float = 0.0
    unique: float = 0.0
    #: Rows looked for, and rows that have so many labels at all.
    targets: int = 0
    eligible: int = 0

    def attacked(self, row: str) -> str:
        """Return who was looked for, in words.

        Examples
        --------
        >>> Finds(known=8, targets=25, eligible=25).attacked("respondent"), Finds(known=8).attacked("basket")
        ('the 25 respondents', 'the 0 baskets')
        >>> Finds(known=2, targets=2_000, eligible=60_000).attacked("basket")
        '2,000 drawn from the 60,000 baskets'
        """
        everyone = f"the {counted(self.eligible, row)}"
        return everyone if self.targets == self.eligible else f"{self.targets:,} drawn from {everyone}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Published rows of labels."""

    #: The labels of each row, ascending.
    indptr: Ints
    indices: Ids
    #: How many labels there are.
    labels: int

    @classmethod
    def of(cls, baskets: Baskets) -> Rows:
        """Return the items of baskets as labels."""
        return cls(indptr=baskets.indptr, indices=baskets.indices, labels=baskets.d)

    def finds(self, known: int, rng: np.random.Generator) -> Finds:
        """Look for rows of which `known` labels are known.

        Of few rows several sets of labels are drawn each, for the chance then depends on which are known.
        """
        eligible = np.flatnonzero(np.diff(self.indptr) >= known)
        if not len(eligible):
            return Finds(known=known)
        people = drawn(eligible, TARGETS, rng)
        found = np.array([len(eligible)])  # all rows are alike to who knows nothing
        if known:
            asked = np.repeat(people, TARGETS // len(people))
            sets = pick_items(self.indptr, self.indices, asked, rng.random((len(asked), known)))
            found = Postings.of_rows(self.indptr, self.indices, self.labels).containing(sets)
        risk, unique = float((1 / found).mean()), float((found == 1).mean())
        return Finds(known=known, risk=risk, unique=unique, targets=len(people), eligible=len(eligible))

    def alike(self) -> Ints:
        """Return for each row the number of rows with exactly its labels."""
        number, size, _ = equal_rows(self.indptr, self.indices, self.labels, seed=0)
        return size[number]

    def guesses(
        self, hidden: Mask, knowable: Mask, topic: Ids, rng: np.random.Generator, seen: Rows, most: int
    ) -> tuple[int, int, int]:
        """Guess a label from the others of its row; return (right, right without the row itself, targets).

        Rows that hold all the others are looked up, and the label most of them have besides is guessed.

        At most `most` of the `hidden` labels are guessed, from those that are `knowable`; only labels with the `topic`
        of the true one are. What goes with the others is looked up in `seen`.
        """
        lengths = np.diff(self.indptr)
        row_of = np.repeat(np.arange(len(lengths)), lengths)
        entries = np.flatnonzero(hidden[self.indices] & (lengths[row_of] >= 2))
        if not len(entries):
            return 0, 0, 0
        by_label = transpose(self.indptr, self.indices, self.labels)
        by_seen = by_label if seen is self else transpose(seen.indptr, seen.indices, seen.labels)
        tried = rng.choice(entries, min(most, len(entries)), replace=False)
        with_row = without = 0
        for entry in tried:
            row, truth = row_of[entry], self.indices[entry]
            labels = self.indices[self.indptr[row] : self.indptr[row + 1]]
            known = labels[knowable[labels] & (labels != truth)]
            candidates = np.setdiff1d(np.flatnonzero((topic == topic[truth]) & hidden), known)
            found = holding(*by_label, known)
            there = found if seen is self else holding(*by_seen, known)
            with_row += seen.likeliest(there, candidates) == truth
            without += self.likeliest(found[found != row], candidates) == truth
        return int(with_row), int(without), len(tried)

    def inference(
        self,
        does: str,
        seed: int,
        *,
        seen: Rows | None = None,
        most: int = TARGETS,
        hidden: Mask | None = None,
        knowable: Mask | None = None,
        topic: Ids | None = None,
        chance: float = 0.0,
    ) -> AttackResult:
        """Attack rows by `guesses`, of any label from all the others if nothing else is given; `does` states so.

        What other rows give away, without the one that is attacked, is the baseline, and at least the `chance`.
        """
        every, one_topic = np.ones(self.labels, np.bool_), np.zeros(self.labels, np.int32)
        right, without, tried = self.guesses(
            every if hidden is None else hidden,
            every if knowable is None else knowable,
            one_topic if topic is None else topic,
            np.random.default_rng(seed),
            seen or self,
            most,
        )
        rate, baseline = right / max(tried, 1), max(without / max(tried, 1), chance)
        guessed = f"{does} Right in {{right}} of {counted(tried, 'guess')}."
        return AttackResult.of(
            "inference",
            rate,
            claim=None,
            chance=chance,
            baseline=baseline,
            targets=tried,
            explanation=f"{guessed} {compared(rate, None, baseline)}",
        )

    def likeliest(self, rows: Ints, candidates: Ints) -> int:
        """Return the candidate that most of `rows` hold; of all rows, if none of these holds any."""
        _, labels = take_rows(self.indptr, self.indices, rows)
        for held in (labels, self.indices):
            often = np.bincount(held, minlength=self.labels)[candidates]
            if often.any():
                return int(candidates[often.argmax()])
        return -1


def holding(ptr: Ints, rows: Ids, labels: Ids) -> Ints:
    """Return the rows that hold all of `labels`, shortest lists first; all rows with any label if there are none."""
    if not len(labels):
        return np.unique(rows).astype(np.int64)
    first, *others = labels[np.argsort(ptr[labels + 1] - ptr[labels])]
    found = rows[ptr[first] : ptr[first + 1]]
    for label in others:
        found = np.intersect1d(found, rows[ptr[label] : ptr[label + 1]], assume_unique=True)
    return found.astype(np.int64)


def found_beyond(release: Release, rows: Rows, seed: int, row: str, besides: str = "") -> AttackResult:
    """Look for random rows by one label more than the promise covers, and then two, `besides` being known, too.

    Where the promise covers any number of labels, four are known, and then five.
    """
    covered, rng = promise_of(release.guarantee, release.kind).known, np.random.default_rng(seed)
    most = 3 if covered == math.inf else int(covered)
    first, then = steps = [rows.finds(known, rng) for known in (most + 1, most + 2)]
    claim = promised(release, "k") or 1.0
    up_to = "" if covered == math.inf else f" for up to {counted(most, 'label')}; of more, nothing"
    return AttackResult.of(
        "linkage",
        first.risk,
        claim=claim if covered == math.inf else None,
        chance=1 / max(len(rows.indptr) - 1, 1),
        targets=first.targets,
        explanation=(
            f"Knows {besides}{most + 1} labels of a {row}, and picks one of the {row}s with them at random. "
            f"Right for {{right}} of {first.attacked(row)} with as many or more; with {most + 2} labels, for "
            f"{percent(then.risk)} of {then.attacked(row)}. {percent(claim)} is claimed{up_to}."
        ),
        details={"by_known": [step.to_dict() for step in steps]},
    )


def found_whole(release: Release, rows: Rows, row: str, knows: str) -> AttackResult:
    """Look for every row by all that is published of it; only k-anonymity is about someone who knows as much."""
    same = rows.alike()
    n = len(same)
    rate, unique = (float((1 / same).mean()), float((same == 1).mean())) if n else (0.0, 0.0)
    claim = promised(release, "k") if parse_call(release.guarantee)[0] == "k-anonymity" else None
    return AttackResult.of(
        "whole",
        rate,
        claim=claim,
        chance=1 / max(n, 1),
        targets=n,
        explanation=(
            f"Knows {knows} of a {row}, and picks one of the {row}s that are published with the same at random. Right "
            f"for {{right}} of {n:,} {row}s; {percent(unique)} are published like no "
            f"other. {compared(rate, claim, None)}"
        ),
        details={"unique": unique},
    )


def on_sets(release: SetsRelease, seed: int) -> Iterator[AttackResult]:
    """Attack baskets, or persons where they are counted.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b"], ["a", "b"], ["a", "b"]])
    >>> [one.success_rate for one in on_sets(covey.anonymize(baskets, "k-anonymity(k=3)", seed=0), 0)]
    [0.0, 0.3333333333333333, 1.0]
    """
    rows, row = Rows.of(release.transactions), "basket" if release.transactions.person is None else "person"
    does = f"Knows all labels of a random {row} but one, and guesses the one that most {row}s with the others have."
    yield found_beyond(release, rows, seed, row)
    yield found_whole(release, rows, row, "all labels")
    yield rows.inference(does, seed)


def on_records(release: RecordsRelease, seed: int) -> Iterator[AttackResult]:
    """Attack persons of whom all attributes are known, and some items, or all.

    Examples
    --------
    >>> import covey
    >>> data = covey.Records.of({"age": [20, 21, 22, 23]}, [["a", "b"]] * 4)
    >>> [one.success_rate for one in on_records(covey.anonymize(data, "k-km-anonymity(k=2, m=1)", seed=0), 0)]
    [0.5, 0.5]
    """
    yield found_beyond(release, _rows_of_records(release, False), seed, "person", "all attributes and ")
    yield found_whole(release, _rows_of_records(release, True), "person", "all attributes and all labels of items")


def _rows_of_records(release: RecordsRelease, with_class: bool) -> Rows:
    """Return the labels of each person, each another one in every class; `with_class` adds the class itself.

    Knowing a label so means knowing the class, too.
    """
    kind, sets = release.attributes.classes(), release.baskets
    # Label 0 of a class is the class.
    keys = np.repeat(kind, sets.lengths()) * (sets.d + 1) + sets.indices + 1
    indptr = sets.indptr
    if with_class:
        keys = np.insert(keys, indptr[:-1], kind * (sets.d + 1))
        indptr = indptr + np.arange(sets.n + 1)
    distinct, indices = np.unique(keys, return_inverse=True)
    return Rows(indptr=indptr, indices=indices.reshape(-1).astype(np.int32), labels=len(distinct))


def on_ratings(release: RatingsRelease, seed: int) -> Iterator[AttackResult]:
    """Attack respondents of whom some ratings are known exactly, where the promise is about approximate knowledge.

    Two, four and eight ordinary ratings are known, as far as there are so many, and the success rate is that of who
    finds most; the promise covers that only where ratings within epsilon are equal. Then a sensitive rating is guessed,
    or without such any, from all ordinary ones of the record; what the other records give away without this one is the
    baseline.
    """
    published = release.ratings
    ordinary = published.only(~published.sensitive)
    rng, rows = np.random.default_rng(seed), _rows_of_ratings(ordinary)
    most = int(np.diff(rows.indptr).max(initial=0))
    # Of fewer than eight ratings, all may be known.
    numbers = sorted({min(known, most) for known in KNOWN_RATINGS})
    steps = [rows.finds(known, rng) for known in numbers]
    best = max(steps, key=lambda step: step.risk)
    exactly = float(parse_call(release.guarantee)[2].get("epsilon", 0)) < published.scale.step
    claim = promised(release, "k") if exactly else None
    told = ", ".join(
        f"{percent(step.risk)} of {step.attacked('respondent')} with {step.known} or more" for step in steps
    )
    yield AttackResult.of(
        "linkage",
        best.risk,
        claim=claim,
        chance=1 / max(published.n, 1),
        targets=best.targets,
        explanation=(
            "Knows some of the published ordinary ratings of a respondent exactly, and picks one of the records with "
            f"them at random. Right for {told} published ordinary ratings. The promise is about ratings within "
            "epsilon, and covers that only where no others than equal ones are. "
            "Someone who knows as many ratings from the original, as uniqueness is measured, seldom finds all of them "
            "here, and so finds fewer people."
        ),
        details={"by_known": [step.to_dict() for step in steps]},
    )

    every, levels = _rows_of_ratings(published), published.scale.levels
    sensitive = np.repeat(published.sensitive, levels)
    hidden = sensitive if sensitive.any() else ~sensitive
    topic = np.repeat(np.arange(published.d, dtype=np.int32), levels)
    does = (
        "Knows all ordinary ratings of a random respondent, and guesses the value that most records with the same have."
    )
    yield every.inference(does, seed, hidden=hidden, knowable=~sensitive, topic=topic, chance=1 / levels)


def _rows_of_ratings(ratings: Ratings) -> Rows:
    """Return the ratings as labels: issue by issue, value by value."""
    levels = ratings.scale.levels
    labels = ratings.indices.astype(np.int64) * levels + ratings.codes - 1
    return Rows(indptr=ratings.indptr, indices=labels.astype(np.int32), labels=ratings.d * levels)
