"""What someone who knows labels of a row finds and guesses in published rows: for attacks on sets and ratings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, Mask
from covey.counting import counted
from covey.data import Baskets
from covey.data.csr import take_rows, transpose
from covey.data.equal_rows import equal_rows
from covey.data.postings import Postings
from covey.measure.attacks.result import AttackResult, compared
from covey.measure.risk import pick_items
from covey.tabular import Plain

#: People attacked, at most; each once.
TARGETS = 2_000


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


def targets(eligible: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Who is attacked: everyone where they are not more than `most`, else so many of them, nobody twice.

    Examples
    --------
    >>> targets(np.array([4, 7]), 3, np.random.default_rng(0)).tolist()
    [4, 7]
    """
    return eligible if len(eligible) <= most else rng.choice(eligible, most, replace=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Published rows of labels, and the rows that hold each label."""

    #: The labels of each row, ascending.
    indptr: Ints
    indices: Ids
    #: How many labels there are.
    labels: int

    @classmethod
    def of(cls, baskets: Baskets) -> Rows:
        """The items of baskets as labels."""
        return cls(indptr=baskets.indptr, indices=baskets.indices, labels=baskets.d)

    def finds(self, known: int, rng: np.random.Generator) -> Finds:
        """Look for rows of which `known` labels are known.

        Of few rows several sets of labels are drawn each, for the chance then depends on which are known.
        """
        eligible = np.flatnonzero(np.diff(self.indptr) >= known)
        if not len(eligible):
            return Finds(known=known)
        people = targets(eligible, TARGETS, rng)
        told = {"known": known, "targets": len(people), "eligible": len(eligible)}
        if not known:  # all rows are alike to who knows nothing
            return Finds(risk=1 / len(eligible), unique=float(len(eligible) == 1), **told)
        asked = np.repeat(people, TARGETS // len(people))
        sets = pick_items(self.indptr, self.indices, asked, rng.random((len(asked), known)))
        found = Postings.of_rows(self.indptr, self.indices, self.labels).containing(sets)
        return Finds(risk=float((1 / found).mean()), unique=float((found == 1).mean()), **told)

    def alike(self) -> Ints:
        """For each row the number of rows with exactly its labels."""
        number, size, _ = equal_rows(self.indptr, self.indices, self.labels, seed=0)
        return size[number]

    def guesses(
        self,
        hidden: Mask,
        knowable: Mask,
        topic: Ids,
        rng: np.random.Generator,
        *,
        seen: Rows | None = None,
        most: int = TARGETS,
    ) -> tuple[int, int, int]:
        """Guess a label from the others of its row; return (right, right without the row itself, targets).

        Rows that hold all the others are looked up, and the label most of them have besides is guessed.

        Parameters
        ----------
        hidden, knowable : bool arrays
            Which labels are guessed, and which are known if they are not.
        topic : int32 array
            What each label is about; only labels about the same as the true one are guessed.
        seen : Rows or None
            Where it is looked up what goes with the others, if not here.
        most : int
            So many labels are guessed.
        """
        entries = np.flatnonzero(hidden[self.indices])
        row_of = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        entries = entries[np.diff(self.indptr)[row_of[entries]] >= 2]
        if not len(entries):
            return 0, 0, 0
        published = self if seen is None else seen
        by_label = transpose(self.indptr, self.indices, self.labels)
        by_published = by_label if seen is None else transpose(seen.indptr, seen.indices, seen.labels)
        drawn = rng.choice(entries, min(most, len(entries)), replace=False)
        with_row = without = 0
        for entry in drawn:
            row, truth = row_of[entry], self.indices[entry]
            labels = self.indices[self.indptr[row] : self.indptr[row + 1]]
            known = labels[knowable[labels] & (labels != truth)]
            candidates = np.setdiff1d(np.flatnonzero((topic == topic[truth]) & hidden), known)
            found = holding(*by_label, known)
            there = found if seen is None else holding(*by_published, known)
            with_row += published.likeliest(there, candidates) == truth
            without += self.likeliest(found[found != row], candidates) == truth
        return int(with_row), int(without), len(drawn)

    def inference(self, does: str, seed: int, *, seen: Rows | None = None, most: int = TARGETS) -> AttackResult:
        """Attack rows by guessing any label from all the others, as by `guesses`; `does` says so in a sentence.

        What other rows tell, without the one that is attacked, is the baseline.
        """
        every, topic = np.ones(self.labels, np.bool_), np.zeros(self.labels, np.int32)
        right, without, tried = self.guesses(every, every, topic, np.random.default_rng(seed), seen=seen, most=most)
        rate, baseline = right / max(tried, 1), without / max(tried, 1)
        return AttackResult.of(
            "inference",
            rate,
            claim=None,
            chance=0.0,
            baseline=baseline,
            targets=tried,
            explanation=f"{does} Right in {{right}} of {counted(tried, 'guess')}. {compared(rate, None, baseline)}",
        )

    def likeliest(self, rows: Ints, candidates: Ints) -> int:
        """The candidate that most of `rows` hold; of all rows, if none of these holds any."""
        _, labels = take_rows(self.indptr, self.indices, rows)
        for held in (labels, self.indices):
            often = np.bincount(held, minlength=self.labels)[candidates]
            if often.any():
                return int(candidates[often.argmax()])
        return -1


def attacked(found: Finds, row: str) -> str:
    """Whom someone looked for, in words.

    Examples
    --------
    >>> attacked(Finds(known=8, targets=25, eligible=25), "respondent"), attacked(Finds(known=8), "basket")
    ('the 25 respondents', 'the 0 baskets')
    >>> attacked(Finds(known=2, targets=2_000, eligible=60_000), "basket")
    '2,000 drawn from the 60,000 baskets'
    """
    everyone = f"the {counted(found.eligible, row)}"
    return everyone if found.targets == found.eligible else f"{found.targets:,} drawn from {everyone}"


def holding(ptr: Ints, rows: Ids, labels: Ids) -> Ints:
    """The rows that hold all of `labels`, shortest lists first; all rows with any label when there are none."""
    if not len(labels):
        return np.unique(rows).astype(np.int64)
    ordered = labels[np.argsort(ptr[labels + 1] - ptr[labels])]
    found = rows[ptr[ordered[0]] : ptr[ordered[0] + 1]]
    for label in ordered[1:]:
        found = np.intersect1d(found, rows[ptr[label] : ptr[label + 1]], assume_unique=True)
    return found.astype(np.int64)
